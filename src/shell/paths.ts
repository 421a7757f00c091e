/**
 * Paths as text: joining to a directory, the part of a pattern that is certain, which secret files a pattern
 * could name, and which places are on the hard floor. Knows nothing of the disk.
 */
import { escapePattern, hasWildcard, unescapePattern } from "./field.ts";

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

const secretDirectories = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".azure",
  ".config",
  ".git",
  ".karyi",
  ".claude",
  ".password-store",
  ".mozilla",
];
/** A pattern whose last name may be that of a directory which must not go: a repository's, or one with secrets or settings. */
export function mayNameStore(pattern: string): boolean {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  return last === "" || secretDirectories.some((name) => nameMatches(last, name));
}

const secretFiles =
  ".env .env.local .env.production .envrc .netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .dockercfg .bashrc .bash_history .vault-token id_rsa id_ed25519 id_ecdsa server.pem server.key private.key keystore.jks cert.p12 cert.pfx credentials shadow authorized_keys".split(
    " ",
  );

/** Names in a path that only secrets bear; used where a command is not understood anyway. */
export function looksSecret(path: string): boolean {
  return /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.azure|\.password-store|\.docker|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.vault-token|\.env(?:\.[\w.-]+)?|\.envrc|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.\w+)?|secrets?\.\w+|shadow|\.config\/(?:gh|gcloud)|[^/]*\.(?:pem|key|p12|pfx|jks|kdbx))(?:\/|$)/.test(
    path,
  );
}

const keyEndings = new Set(["pem", "key", "p12", "pfx", "jks"]);

/** A name that is a file's wherever it is found, so that listing it lists nothing below. */
export function isSecretFile(path: string): boolean {
  const name = path.lastIndexOf("/") + 1;
  const first = path.charCodeAt(name);
  // Most names neither begin with a dot or an `i` nor end like a key.
  if (first !== 0x2e && first !== 0x69) {
    const dot = path.lastIndexOf(".");
    if (dot < name || !keyEndings.has(path.slice(dot + 1))) return false;
  }
  return /\/(?:\.env(?:\.[\w-]+)?|\.envrc|\.npmrc|\.netrc|\.pypirc|\.pgpass|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:pem|key|p12|pfx|jks))$/.test(
    path,
  );
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

const maxCandidates = 32;

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
      const matcher = patternMatcher(part);
      names = (last ? secretFiles : secretDirectories).filter((name) => matcher(name));
      if (!last && names.length === 0) names = [part];
    }
    const next: string[] = [];
    for (const head of found) for (const name of names) if (next.length < maxCandidates) next.push(index === 0 ? name : `${head}/${name}`);
    found = next;
    if (found.length === 0) return [];
  }
  return found.filter((path) => looksSecret(path) || /(?:^|\/)\.(?:git|karyi|claude|bash)/.test(path));
}

/** Matches like bash without dotglob: a leading dot only by a literal one. */
function patternMatcher(pattern: string): (name: string) => boolean {
  const dotted = pattern.startsWith(".") || pattern.startsWith("\\.") || pattern.startsWith("[");
  const last = pattern.charAt(pattern.length - 1);
  // Where the pattern ends in a plain letter, most names are told apart by their own last one.
  const ending = /[\w.-]/.test(last) && pattern.charAt(pattern.length - 2) !== "\\" ? last : "";
  return (name) => name.endsWith(ending) && (dotted || !name.startsWith(".")) && matches(pattern, name);
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

function closingBracket(pattern: string, open: number): number {
  let index = open + 1;
  if (pattern[index] === "!" || pattern[index] === "^") index += 1;
  if (pattern[index] === "]") index += 1;
  while (index < pattern.length) {
    if (pattern[index] === "[" && pattern[index + 1] === ":") {
      const end = pattern.indexOf(":]", index + 2);
      if (end > 0) index = end + 1;
    } else if (pattern[index] === "]") return index;
    index += 1;
  }
  return -1;
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
