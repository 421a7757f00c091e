/**
 * What is known about one argument before it exists. A word of a script becomes any number of fields:
 * exact text, a pattern that file names will replace, a number, or something unknown.
 */
import { quote } from "./quote.ts";

type FieldKind =
  /** Exactly this text. */
  | "text"
  /** File names that match the pattern in `text` (backslash quotes), or the pattern itself. */
  | "glob"
  /** Digits, perhaps with a sign; with `many` any count of such numbers, or none. */
  | "number"
  /** A pipe of a process substitution. */
  | "stream"
  /** One argument of unknown content; `text` is how it surely begins. */
  | "word"
  /** Any number of arguments of unknown content. */
  | "words";

export interface Field {
  readonly kind: FieldKind;
  readonly text: string;
  /** May stand for several arguments. */
  readonly many: boolean;
  /** Source text, for display where the value is not known; empty where it is. */
  readonly shown: string;
  /** For `words`: they are file names that match this, cut at blanks. */
  readonly pattern?: string;
  /** For `word`: a name of a commit that git printed, shown by an example. */
  readonly revision?: string;
  /** For `glob`: every wildcard in it stands for a number, and no file name is looked for. */
  readonly numeric?: boolean;
  /** For `glob` and a `pattern`: the names were found by a program that goes into no link. */
  readonly walked?: boolean;
  /** For `stream`: roughly what comes out of it. */
  readonly flow?: string;
}

export function textField(text: string): Field {
  return { kind: "text", text, many: false, shown: "" };
}

function showField(field: Field): string {
  if (field.kind !== "text") return field.shown;
  // A tilde that nobody expanded must not be quoted into a literal one.
  return field.shown !== "" && field.text === field.shown ? field.shown : quote(field.text);
}

export function showFields(fields: readonly Field[], from = 0): string {
  let text = "";
  for (let index = from; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined) break;
    text += text === "" ? showField(field) : ` ${showField(field)}`;
  }
  return text;
}

/** Could the argument begin with a dash, and so be read as an option? */
export function mayBeOption(field: Field): boolean {
  if (field.kind === "text") return field.text.length > 1 && field.text.charCodeAt(0) === 0x2d;
  if (field.kind === "stream") return false;
  if (field.revision !== undefined) return field.revision.startsWith("-");
  if (field.text === "") return true;
  return field.kind === "glob" ? /^[*?[-]|^\\-/.test(field.text) : field.text.startsWith("-");
}

/** Names of files cut at blanks, as the names they are where none of them has a blank. */
export function uncut(field: Field): Field | undefined {
  if (field.kind !== "words" || field.pattern === undefined) return undefined;
  const names: Field = { kind: "glob", text: field.pattern, many: true, shown: field.shown };
  return field.walked === undefined ? names : { ...names, walked: field.walked };
}

const special = /[*?[\]\\]/g;

/** Literal text as part of a pattern. */
export function escapePattern(text: string): string {
  return text.replace(special, "\\$&");
}

export function unescapePattern(pattern: string): string {
  return pattern.replace(/\\(.)/gs, "$1");
}

export function hasWildcard(pattern: string): boolean {
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index];
    if (char === "\\") index += 1;
    else if (char === "*" || char === "?" || char === "[") return true;
  }
  return false;
}
