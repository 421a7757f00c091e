/**
 * Paths as text: joining to a directory, the part of a pattern that is certain, which secret files a pattern
 * could name, and which places are on the hard floor. Knows nothing of the disk.
 */
import { isSecretPath, secretFiles, secretGlobs, secretStores } from "../contract/index.ts";
import { escapePattern, hasWildcard, unescapePattern } from "./field.ts";
import { closingBracket, meetingName } from "./meeting-patterns.ts";

/** Absolute, with `.` and `..` kept: only the host may take them out, after links. */
export function joinPath(directory: string, path: string): string {
  if (path.startsWith("/")) return path;
  if (path === "" || path === ".") return directory;
  return directory.endsWith("/") ? directory + path : `${directory}/${path}`;
}

/** `.` and `..` taken out by text alone, as `cd` does. */
export function normalizePath(path: string): string {
  if (!path.includes("//") && !path.includes("/.") && !path.endsWith("/")) return path;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function isWithin(path: string, directory: string): boolean {
  if (directory === "/") return true;
  return path.startsWith(directory) && (path.length === directory.length || path.charCodeAt(directory.length) === 0x2f);
}

/** The directory all matches of a pattern lie below, and whether they may lie deeper than one level. */
export function patternRoot(pattern: string): { readonly directory: string; readonly deep: boolean } {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => hasWildcard(part));
  if (first < 0) return { directory: unescapePattern(pattern), deep: false };
  const head = parts.slice(0, first).map(unescapePattern).join("/");
  const directory = first === 0 ? "." : head === "" ? "/" : head;
  return { directory, deep: first < parts.length - 1 || parts.includes("**") };
}

/** Directories that must not go by accident: a repository's, and those with secrets or settings. */
const guardedDirectories: readonly string[] = [
  ...new Set([...secretStores.map((store) => store.split("/", 1)[0] ?? ""), ".config", ".docker", ".git", ".karyi", ".claude"]),
];

/** A pattern whose last name may be that of a directory which must not go: a repository's, or one with secrets or settings. */
export function mayNameStore(pattern: string): boolean {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  return last === "" || guardedDirectories.some((name) => nameMatches(last, name));
}

/** Names in a path that only secrets bear; used where a command is not understood anyway. */
export function looksSecret(path: string): boolean {
  return isSecretPath(path) || /(?:^|\/)shadow$/.test(path);
}

/** A name that is a file's wherever it is found, so that listing it lists nothing below. */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return isSecretPath(name) && !wordedDirectory.test(name) && !guardedDirectories.includes(name);
}

/** Directories bear these names as well as files do. */
const wordedDirectory = /^\.?(?:credentials|secrets?|passwords?|tokens?)/i;

export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

const maxCandidates = 32;

/** Start-up and settings files that a write must not reach under a pattern either. */
const guardedFiles: readonly string[] = [".bashrc", ".bash_profile", ".profile", ".zshrc", ".gitconfig"];
/** One name of each form, and what a pattern that says how a name ends is held against. */
const sampleNames: readonly string[] = [
  ...new Set([
    ...secretGlobs.map((glob) =>
      glob
        .replace(/^\*/, "server")
        .replaceAll("*", "")
        .replace(/\[(.)[^\]]*\]/g, "$1"),
    ),
    ...secretFiles,
  ]),
  ...guardedFiles,
];
const endingForms: readonly string[] = secretGlobs.filter((glob) => /^\*\.[a-z0-9]+$/.test(glob));

/** A pattern such as `*.json` hides nothing: files of that kind are looked at on the disk, and only a kind that is secret counts. */
function tableFor(pattern: string): readonly string[] {
  if (/^\*[^*?[\\]*$/.test(pattern)) return endingForms;
  return pattern.endsWith("*") ? sampleNames : [...sampleNames, ...endingForms];
}

/** Secret files a pattern would reach if they existed, so that hiding a name behind `.e[n]v` gains nothing. */
export function secretCandidates(pattern: string): readonly string[] {
  let found: string[] = [""];
  const parts = pattern.split("/");
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    const last = index === parts.length - 1;
    let names: readonly string[];
    if (!hasWildcard(part)) names = [unescapePattern(part)];
    else if (part === "*" || part === "**") names = last ? [] : ["*"];
    else {
      names = metBy(part, last ? tableFor(part) : guardedDirectories);
      if (!last && names.length === 0) names = [part];
    }
    const next: string[] = [];
    for (const head of found) for (const name of names) if (next.length < maxCandidates) next.push(index === 0 ? name : `${head}/${name}`);
    found = next;
    if (found.length === 0) return [];
  }
  return found.filter((path) => looksSecret(path) || /(?:^|\/)\.(?:git|karyi|claude|bash|profile|zsh)/.test(path));
}

/** Half of the name stands in the pattern, or it says each letter: who writes that means this file, be it there or not. */
export function spellsOut(pattern: string, path: string): boolean {
  const [last, name] = [pattern, path].map((text) => text.slice(text.lastIndexOf("/") + 1)) as [string, string];
  if (!last.includes("*")) return true;
  const letters = last.replaceAll(/\[(.)\]/g, "$1").replaceAll(/\[[^\]]*\]|[*?\\]/g, "");
  return letters.length * 2 >= name.length;
}

/** Names that the pattern shares with those of a table; like bash without dotglob: a leading dot only by a literal one. */
function metBy(pattern: string, table: readonly string[]): readonly string[] {
  const dotted = pattern.startsWith(".") || pattern.startsWith("\\.") || pattern.startsWith("[");
  return table.flatMap((known) => {
    const name = meetingName(pattern, known, inBrackets);
    return name === undefined || (name.startsWith(".") && !dotted) ? [] : [name];
  });
}

/** Whether a name matches, whatever its case; a leading dot is as good as a letter. */
export function nameMatches(pattern: string, name: string): boolean {
  return matches(pattern.toLowerCase(), name.toLowerCase());
}

/** Goes back to the last `*` only, so that it takes no longer than pattern times name. */
function matches(pattern: string, name: string): boolean {
  let at = 0;
  let index = 0;
  let star = -1;
  let retry = 0;
  while (index < name.length) {
    if (pattern.charAt(at) === "*") {
      star = at;
      retry = index;
      at += 1;
      continue;
    }
    const next = at < pattern.length ? matchOne(pattern, at, name.charAt(index)) : -1;
    if (next > 0) {
      at = next;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += 1;
      index = retry;
    } else return false;
  }
  while (pattern.charAt(at) === "*") at += 1;
  return at >= pattern.length;
}

/** Where the pattern goes on after taking one character; -1 where it does not take it. */
function matchOne(pattern: string, at: number, char: string): number {
  const first = pattern.charAt(at);
  if (first === "?") return at + 1;
  if (first === "\\") return pattern.charAt(at + 1) === char ? at + 2 : -1;
  const end = first === "[" ? closingBracket(pattern, at) : -1;
  if (end < 0) return first === char ? at + 1 : -1;
  return inBrackets(pattern.slice(at + 1, end), char) ? end + 1 : -1;
}

function inBrackets(body: string, char: string): boolean {
  // A class such as [:alpha:] is taken for any character: more candidates, never fewer.
  if (body.includes("[") || body.includes("\\")) return true;
  const negated = body.startsWith("!") || body.startsWith("^");
  let found = false;
  for (let index = negated ? 1 : 0; index < body.length; index += 1) {
    const low = body.charAt(index);
    const isRange = body.charAt(index + 1) === "-" && index + 2 < body.length;
    const high = isRange ? body.charAt(index + 2) : low;
    // Which characters lie between two letters depends on the locale; out of order it may be any.
    if (high < low) return true;
    if (isRange && low.toLowerCase() <= char.toLowerCase() && char.toLowerCase() <= high.toLowerCase()) {
      if (!negated) return true;
      found ||= low <= char && char <= high;
    } else if (low <= char && char <= high) found = true;
    if (isRange) index += 2;
  }
  return found !== negated;
}

/** Unlike the shell's, a leading wildcard of find and of filters by name matches a dot, so `*env` is `.env` too; `-iname` folds case. */
export function withHidden(path: string): readonly string[] {
  const name = path.replace(/^.*\//s, "");
  const plain = name.toLowerCase();
  const folded = plain === name ? [name] : [name, plain];
  if (/^\*+$/.test(name)) return [name];
  return folded.flatMap((one) => {
    if (one.startsWith("*")) return [one, `.${one}`, ...(/^\*\./.test(one) ? [one.slice(1)] : [])];
    const rest = /^(?:\?|\[[^\]]*\])(.*)$/s.exec(one)?.[1];
    return rest === undefined ? [one] : [one, `.${rest}`];
  });
}

export function patternIn(directory: string, pattern: string): string {
  return pattern.startsWith("/") ? pattern : joinPath(escapePattern(directory), pattern);
}

const rawDevice =
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd|nvme|mmcblk|disk|rdisk|dm-|mapper\/|md\d|md\/|loop|mem$|kmem$|port$|ram\d|sr\d|zd\d|nbd|block|bsg|sg\d|mtd|pmem|zvol|nvram)/;

export function isRawDevice(path: string): boolean {
  return path.includes("dev/") && rawDevice.test(normalizePath(path));
}
