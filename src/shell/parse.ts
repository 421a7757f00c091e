/**
 * The only place that calls the parser on text from outside. Guards it against sizes and shapes it is slow on,
 * and against characters that make text and meaning differ; never throws.
 */
import { type ParsedScript, parse } from "unbash";
import { findSuspiciousCharacters } from "./characters.ts";

const maxLength = 65_536;
const maxBraces = 600;
const maxHereDocs = 600;
const maxSubstitutions = 2_000;

export interface Guarded {
  readonly script: ParsedScript | undefined;
  /** Why nothing in the text counts as understood. */
  readonly problem: string | undefined;
  /** The text must not run at all. */
  readonly impossible: boolean;
  /** Every word of the text is its own value: nothing in it is quoted, expanded or matched. */
  readonly inert: boolean;
}

/** Inert characters, blanks and operators without brackets: no quotes, expansions, patterns or comments, nothing invisible. */
const inertText = /^[\w@%+=:,./^ \t\n;&|<>-]*$/;

export function parseGuarded(text: string): Guarded {
  const problem = text.length > 2_000 ? tooMuch(text) : undefined;
  if (problem !== undefined) return { script: undefined, problem, impossible: false, inert: false };
  if (inertText.test(text)) return parsed(text, undefined, true);
  const finding = findSuspiciousCharacters(text);
  if (finding?.impossible === true) return { script: undefined, problem: finding.reason, impossible: true, inert: false };
  // What a last backslash joins depends on what follows the text where it is run.
  const open = text.endsWith("\\") && (/\\+$/.exec(text)?.[0].length ?? 0) % 2 === 1 ? "ends with a backslash" : undefined;
  return parsed(text, finding?.reason ?? open, false);
}

function parsed(text: string, problem: string | undefined, inert: boolean): Guarded {
  try {
    return { script: parse(text), problem, impossible: false, inert };
  } catch {
    return { script: undefined, problem: "cannot be parsed", impossible: false, inert: false };
  }
}

function tooMuch(text: string): string | undefined {
  if (text.length > maxLength) return "longer than 64 KB";
  let braces = 0;
  let hereDocs = 0;
  let substitutions = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x7b) braces += 1;
    else if (code === 0x60) substitutions += 1;
    else if (code === 0x28) {
      const before = text.charCodeAt(index - 1);
      if (before === 0x24 || before === 0x3c || before === 0x3e) substitutions += 1;
    } else if (code === 0x3c && text.charCodeAt(index + 1) === 0x3c) hereDocs += 1;
  }
  if (braces > maxBraces) return "too many braces to follow";
  if (hereDocs > maxHereDocs) return "too many here-documents to follow";
  return substitutions > maxSubstitutions ? "too many substitutions to follow" : undefined;
}
