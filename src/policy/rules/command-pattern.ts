/**
 * Owns how a `Bash(...)` rule meets the text of one simple command.
 * A permission is read narrowly, a prohibition widely: an allow rule must match the whole text and never reaches
 * through a wrapper, a deny rule also finds the program behind one.
 */
import type { RunEffect } from "../../contract/index.ts";
import { matchesPieces, piecesOf } from "./wildcard.ts";

export interface CommandPattern {
  /** Matches as a permission. */
  covers(effect: RunEffect): boolean;
  /** Matches as a prohibition or a question. */
  touches(effect: RunEffect): boolean;
}

/** `foldCase`: the file system takes `CURL` for `curl`, so a prohibition does too. */
export function compileCommandPattern(pattern: string, foldCase = false): CommandPattern {
  const plain = compileExactly(pattern);
  if (!foldCase) return plain;
  const folded = compileExactly(pattern.toLowerCase());
  const lower = (effect: RunEffect): RunEffect => ({ ...effect, program: effect.program.toLowerCase(), text: effect.text.toLowerCase() });
  return { covers: plain.covers, touches: (effect) => plain.touches(effect) || folded.touches(lower(effect)) };
}

function compileExactly(pattern: string): CommandPattern {
  const prefix = /^(.+?)(?<!\\):\*$/s.exec(pattern)?.[1];
  const open = prefix === undefined ? /^(.+?)\s+\*$/s.exec(pattern)?.[1] : undefined;
  const whole = piecesOf(prefix === undefined ? pattern : `${prefix} *`);
  const bare = prefix ?? open;
  const bareTexts = bare === undefined ? undefined : piecesOf(bare);
  const matches = (text: string): boolean => matchesPieces(whole, text) || (bareTexts !== undefined && matchesPieces(bareTexts, text));
  const exact = whole.length === 1;
  const glued = prefix === undefined ? undefined : piecesOf(`${prefix}*`);
  const word = exact && !/\s/.test(pattern) ? pattern : undefined;
  // Every spelling begins with the program or with the text's own first word, so most commands are done with one look.
  const head = /^[^\s*\\]+(?=\s|$)/.exec(prefix ?? pattern)?.[0];
  return {
    covers: (effect) => matches(effect.text) && (exact || firstProgram(effect.text) === effect.program),
    touches: (effect) =>
      (head === undefined || effect.program.startsWith(head) || effect.text.startsWith(head)) &&
      (spellings(effect).some((text) => matches(text) || (glued !== undefined && matchesPieces(glued, text))) || word === effect.program),
  };
}

/** The text itself, and from its own program on, under its plain name: `/usr/bin/env /bin/curl x` is `curl x` too. */
function spellings(effect: RunEffect): string[] {
  const found = [effect.text];
  for (const match of effect.text.matchAll(/(?:^|\s)(\S+)/g)) {
    const word = match[1] ?? "";
    if (baseName(word) !== effect.program) continue;
    const rest = effect.text.slice((match.index ?? 0) + match[0].length);
    found.push(`${effect.program}${rest}`);
    if (found.length > 8) break;
  }
  if (found.length === 1) found.push(`${effect.program} ${effect.text}`);
  return found;
}

function firstProgram(text: string): string {
  return baseName(/^\S*/.exec(text)?.[0] ?? "");
}

function baseName(word: string): string {
  const bare = word.replace(/^["']|["']$/g, "");
  return bare.slice(Math.max(bare.lastIndexOf("/"), bare.lastIndexOf("\\")) + 1);
}
