/**
 * The file names of a unified diff: git's quoting undone, time stamps and the `a/` `b/` prefixes taken off.
 * A prefix goes only where both names carry one of their own side, so that a real directory named `a` stays.
 */

export interface FileNames {
  /** `undefined`: /dev/null. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function namesOf(header: { readonly before: string; readonly after: string } | undefined, git: string | undefined): FileNames {
  if (header !== undefined) return withoutPrefixes({ before: fileName(header.before), after: fileName(header.after) });
  return withoutPrefixes(gitNames(git ?? ""));
}

function fileName(written: string): string | undefined {
  const text = written.replace(/\r$/, "");
  const name = text.startsWith('"') ? unquoted(text.slice(0, text.lastIndexOf('"') + 1)) : text.replace(/\t.*$/, "").trimEnd();
  return name === "/dev/null" ? undefined : name;
}

/** Of `a/x b/x` without further headers; both names are the same then, so the text halves even with blanks in it. */
function gitNames(text: string): FileNames {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*")$/.exec(text) ?? /^("(?:[^"\\]|\\.)*") (\S+)$/.exec(text);
  if (quoted?.[1] !== undefined && quoted[2] !== undefined) return { before: unquoted(quoted[1]), after: unquoted(quoted[2]) };
  const middle = (text.length - 1) / 2;
  return { before: text.slice(0, middle), after: text.slice(middle + 1) };
}

/** Git's own letters; with `diff.mnemonicPrefix` others, but then always two that differ. */
const oldSide = /^[aciow]\//;
const newSide = /^[bciow]\//;

function withoutPrefixes({ before, after }: FileNames): FileNames {
  const isPrefixed =
    before === undefined || after === undefined
      ? (before ?? "a/").startsWith("a/") && (after ?? "b/").startsWith("b/")
      : oldSide.test(before) && newSide.test(after) && before[0] !== after[0];
  return isPrefixed ? { before: before?.slice(2), after: after?.slice(2) } : { before, after };
}

const simpleEscapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Git's C-like quoting: escapes and octal bytes of UTF-8. Text without quotes is returned as it is. */
export function unquoted(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  const parts: Buffer[] = [];
  for (const piece of text.slice(1, -1).match(/\\[0-7]{3}|\\.|[^\\]+/gs) ?? []) {
    if (!piece.startsWith("\\")) parts.push(Buffer.from(piece));
    else if (piece.length === 4) parts.push(Buffer.of(Number.parseInt(piece.slice(1), 8)));
    else parts.push(Buffer.of(simpleEscapes[piece[1] ?? ""] ?? piece.charCodeAt(1)));
  }
  return Buffer.concat(parts).toString("utf8");
}
