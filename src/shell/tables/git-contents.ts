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
 * with `-v`; unless only facts are asked for; only of files that its operands name.
 */
export type GitContents = "patch" | "unless-summary" | "object" | "stash" | "verbose" | "unless-facts" | "named";

const patches =
  "p u U c W patch unified cc patch-with-raw patch-with-stat binary word-diff word-diff-regex color-words function-context diff-merges check".split(
    " ",
  );
const summaries = "s X no-patch stat numstat shortstat dirstat compact-summary summary name-only name-status raw quiet cumulative".split(
  " ",
);

/** Every reference that there is, also one to a content. */
const manyReferences = "all tags glob reflog walk-reflogs g".split(" ");

/** Whether it shows contents at all, be it of files that are named. */
export function showsAny(shows: GitContents, parsed: ParsedOptions): boolean {
  // Lines of a file are shown as patches, from what is recorded.
  if (parsed.options.has("L")) return true;
  return shows === "object" || shows === "named" || showsContents(shows, parsed) || isNamed(parsed.operands);
}

export function readContents(shows: GitContents, parsed: ParsedOptions, judge: Judge): void {
  if (showsContents(shows, parsed)) judge.readTracked(placesAmong(parsed.operands, parsed.afterDashes));
}

function showsContents(shows: GitContents, { options, operands, afterDashes }: ParsedOptions): boolean {
  const revisions = operands.slice(0, operands.length - afterDashes);
  switch (shows) {
    case "patch":
      return hasAny(options, patches);
    case "unless-summary":
      return hasAny(options, patches) || !hasAny(options, summaries);
    case "object":
      if (isNamed(operands)) return false;
      // A content that a number, a tag or all of them stand for is shown whole, whatever is said about patches.
      return hasAny(options, [...patches, ...manyReferences]) || !hasAny(options, summaries) || revisions.some(mayBeContent);
    case "stash":
      return hasAny(options, patches) || (operands[0]?.text !== "list" && !hasAny(options, summaries));
    case "verbose":
      return options.has("v") || options.has("verbose");
    case "unless-facts":
      return !hasAny(options, ["t", "s", "e", "batch-check"]) && !isNamed(operands);
    case "named":
      return false;
  }
}

/** `REVISION:path` and nothing else: a file, which is read by its name, or a directory, of which only names are shown. */
function isNamed(operands: readonly Field[]): boolean {
  const named = /^[\w./@~^-]*:(?:[0-3]:)?(?![/(!^:])[^{}]+$/;
  return operands.length > 0 && operands.every(({ kind, text }) => kind === "text" && named.test(text));
}

/** Parents, ancestors and ranges are of commits only; a plain name may be a tag, and `^{}` stays with what it found. */
const surelyCommits = /^(?:@|(?:\w+_)?HEAD)(?:@\{[\w-]*\})?$|[~^]\d*$|\^\{commit\}$|\.\./;
/** Names of whole paths and directories cannot be references. */
const surelyPath = /^\.{0,2}\/|\/$/;

function mayBeContent({ kind, text }: Field): boolean {
  return kind !== "text" || !(surelyCommits.test(text) || surelyPath.test(text));
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
  return kind === "text" && surelyPath.test(text);
}
