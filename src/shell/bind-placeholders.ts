/**
 * Puts secure variables into shell text without ever pasting a value: each `$KARYI{NAME}` becomes an expansion of
 * an environment variable, quoted for the place it stands in, so that no value can run, split or match anything (V3).
 * A place where that cannot be promised is reported, and the caller refuses the command.
 */
import { parse } from "unbash";
import { placeholderPattern } from "../contract/index.ts";
import { boundPrefix } from "./environment.ts";
import { parseShell } from "./extract.ts";
import { findPlaces, isBoundSafely, type Place } from "./placeholder-places.ts";

interface BoundName {
  readonly name: string;
  /** Of the environment of the one process that runs the command. */
  readonly variable: string;
}

export interface BoundCommand {
  readonly command: string;
  readonly names: readonly BoundName[];
  /** Why the command must not run. Empty when all is well. */
  readonly problems: readonly string[];
}

interface Mark {
  readonly name: string;
  /** `$$KARYI{X}` stands for the text `$KARYI{X}`. */
  readonly isLiteral: boolean;
  readonly source: string;
  /** Where its stand-in begins in the marked text. */
  readonly at: number;
}

export function bindPlaceholders(text: string): BoundCommand {
  if (!text.includes("$KARYI{")) return { command: text, names: [], problems: [] };
  if (text.includes("__KARYI_") || text.includes("%KARYI")) return refuse(text, "uses a name that is reserved for secure variables");
  const { marked, marks, problems } = markPlaceholders(text);
  if (marks.length === 0) return { command: text, names: [], problems };
  if (problems.length > 0) return { command: text, names: [], problems };
  const parsed = parseShell(marked);
  if (!parsed.understood) return refuse(text, `cannot be parsed: ${parsed.errors[0]?.message ?? "syntax error"}`);
  const places = findPlaces(
    parse(marked),
    marks.map((mark) => mark.at),
  );
  const found: string[] = [];
  marks.forEach((mark, index) => {
    const place = places.get(index);
    if (place?.kind === "unsafe" && !mark.isLiteral) found.push(`$KARYI{${mark.name}} ${place.reason}`);
    if (place?.kind === "unsafe" && mark.isLiteral) found.push(`$$KARYI{${mark.name}} ${place.reason}`);
  });
  if (found.length > 0) return { command: text, names: [], problems: found };
  return assemble(text, marked, marks, places);
}

function refuse(text: string, problem: string): BoundCommand {
  return { command: text, names: [], problems: [problem] };
}

/** Replaces every placeholder by a word without meaning, so that the text can be parsed. */
function markPlaceholders(text: string): {
  readonly marked: string;
  readonly marks: readonly Mark[];
  readonly problems: readonly string[];
} {
  const marks: Mark[] = [];
  const problems: string[] = [];
  let marked = "";
  let from = 0;
  for (const match of text.matchAll(placeholderPattern)) {
    const [source, dollar = "", name = ""] = match;
    marked += text.slice(from, match.index);
    if (text[match.index - 1] === "$") problems.push(`${source} follows another dollar sign`);
    marks.push({ name, isLiteral: dollar !== "", source, at: marked.length });
    marked += standIn(marks.length - 1);
    from = match.index + source.length;
  }
  return { marked: marked + text.slice(from), marks, problems };
}

function standIn(index: number): string {
  return `%KARYI${index}Z%`;
}

/** A change of the marked text. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function assemble(text: string, marked: string, marks: readonly Mark[], places: ReadonlyMap<number, Place>): BoundCommand {
  const edits: Edit[] = [];
  const names = new Map<string, string>();
  let expected = 0;
  for (const [index, mark] of marks.entries()) {
    const place = places.get(index);
    const escaped =
      place !== undefined && place.kind !== "single" && place.kind !== "quoted-here-document" && oddBackslashes(marked, mark.at);
    if (escaped && mark.isLiteral) return refuse(text, `${mark.source} follows a backslash`);
    const variable = boundPrefix + mark.name;
    if (escaped) {
      // `\\$KARYI{X}` is text to bash as well.
      edits.push({ from: mark.at, to: mark.at + standIn(index).length, text: mark.source });
      continue;
    }
    // Outside every node stands only a comment, which keeps its text.
    const replacement =
      place === undefined ? mark.source : mark.isLiteral ? literalAt(mark.source.slice(1), place) : expansionAt(variable, place);
    if (place !== undefined && !mark.isLiteral) {
      names.set(mark.name, variable);
      expected += 1;
    }
    edits.push({ from: mark.at, to: mark.at + standIn(index).length, text: replacement });
  }
  for (const place of new Set(places.values())) {
    if (place.kind !== "quoted-here-document") continue;
    if (!/^[A-Za-z0-9_]+$/.test(place.delimiter.value)) return refuse(text, "a here-document whose delimiter cannot stand without quotes");
    edits.push({ from: place.delimiter.pos, to: place.delimiter.end, text: place.delimiter.value });
    escapeBody(marked, place, edits);
  }
  const command = applyEdits(marked, edits);
  if (!isBoundSafely(command, boundPrefix, expected)) return refuse(text, "cannot be bound safely");
  return { command, names: [...names].map(([name, variable]) => ({ name, variable })), problems: [] };
}

/** A quoted here-document becomes one whose every special character is quoted. */
function escapeBody(marked: string, place: Extract<Place, { kind: "quoted-here-document" }>, edits: Edit[]): void {
  for (let index = place.body.pos; index < place.body.end; index += 1) {
    const char = marked[index] ?? "";
    if (char === "\\" || char === "$" || char === "`") edits.push({ from: index, to: index, text: "\\" });
  }
}

function expansionAt(variable: string, place: Place): string {
  switch (place.kind) {
    case "bare":
      return `"\${${variable}}"`;
    case "single":
      return `'"\${${variable}}"'`;
    case "ansi":
      return `'"\${${variable}}"$'`;
    default:
      return `\${${variable}}`;
  }
}

function literalAt(source: string, place: Place): string {
  switch (place.kind) {
    case "bare":
      return `'${source}'`;
    case "single":
    case "ansi":
      return source;
    default:
      return `\\${source}`;
  }
}

function oddBackslashes(text: string, at: number): boolean {
  let count = 0;
  while (text[at - 1 - count] === "\\") count += 1;
  return count % 2 === 1;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((a, b) => a.from - b.from || a.to - b.to);
  let result = "";
  let at = 0;
  for (const edit of sorted) {
    result += text.slice(at, edit.from) + edit.text;
    at = Math.max(at, edit.to);
  }
  return result + text.slice(at);
}
