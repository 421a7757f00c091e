/**
 * When git shows contents of files it tracks, and of which. A file that path rules protect may be among them, so these
 * commands read what is tracked, though nobody named it.
 */
import { type Field, hasWildcard, textField } from "../field.ts";
import type { Judge } from "../judge.ts";
import type { GivenOptions, ParsedOptions } from "../options.ts";
import { patternRoot } from "../paths.ts";

/**
 * With an option that asks for a patch; unless only a summary is asked for, or (`object`) every operand names its file;
 * with `-v`; unless only facts are asked for.
 */
export type GitContents = "patch" | "unless-summary" | "object" | "stash" | "verbose" | "unless-facts";

const patches =
  "p u U c W patch unified cc patch-with-raw patch-with-stat binary word-diff word-diff-regex color-words function-context diff-merges check".split(
    " ",
  );
const summaries = "s X no-patch stat numstat shortstat dirstat compact-summary summary name-only name-status raw quiet cumulative".split(
  " ",
);

export function readContents(shows: GitContents, parsed: ParsedOptions, judge: Judge): void {
  if (showsContents(shows, parsed)) judge.readTracked(placesAmong(parsed.operands, parsed.afterDashes));
}

function showsContents(shows: GitContents, { options, operands }: ParsedOptions): boolean {
  switch (shows) {
    case "patch":
      return hasAny(options, patches);
    case "unless-summary":
      return hasAny(options, patches) || !hasAny(options, summaries);
    case "object":
      if (isNamed(operands)) return false;
      // A content that its number stands for is shown whole, whatever is said about patches.
      return hasAny(options, patches) || !hasAny(options, summaries) || operands.some(mayBeContent);
    case "stash":
      return hasAny(options, patches) || (operands[0]?.text !== "list" && !hasAny(options, summaries));
    case "verbose":
      return options.has("v") || options.has("verbose");
    case "unless-facts":
      return !hasAny(options, ["t", "s", "e", "batch-check"]) && !isNamed(operands);
  }
}

/** `REVISION:path` and nothing else: a file, which is read by its name, or a directory, of which only names are shown. */
function isNamed(operands: readonly Field[]): boolean {
  const named = /^[\w./@~^-]*:(?:[0-3]:)?(?![/(!^:])[^{}]+$/;
  return operands.length > 0 && operands.every(({ kind, text }) => kind === "text" && named.test(text));
}

function mayBeContent({ kind, text }: Field): boolean {
  return kind !== "text" || /^[0-9a-f]{4,64}$/.test(text);
}

function hasAny(options: GivenOptions, names: readonly string[]): boolean {
  return names.some((name) => options.has(name));
}

/**
 * The places that narrow it down: what stands behind `--`, or can be no revision by its spelling. None where a word may
 * be either, and where a place has a meaning beyond its name.
 */
export function placesAmong(operands: readonly Field[], afterDashes: number): readonly Field[] {
  const places = afterDashes > 0 ? operands.slice(-afterDashes) : operands.filter(isSurelyPath);
  if (places.some((field) => field.kind !== "text" || field.text === "" || field.text.startsWith(":"))) return [];
  return places.map((field) => (hasWildcard(field.text) ? textField(patternRoot(field.text).directory) : field));
}

function isSurelyPath({ kind, text }: Field): boolean {
  return kind === "text" && /^\.{0,2}\/|\/$/.test(text);
}
