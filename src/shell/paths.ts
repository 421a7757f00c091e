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
  return path === directory || directory === "/" || path.startsWith(`${directory}/`);
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

/** A name that is a file's wherever it is found, so that listing it lists nothing below. */
export function isSecretFile(path: string): boolean {
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

/** Matches like bash without dotglob: a leading dot only by a literal one. Linear in the pattern for these short names. */
function patternMatcher(pattern: string): (name: string) => boolean {
  let source = "";
  for (let index = 0; index < pattern.length && index < 200; index += 1) {
    const char = pattern[index] ?? "";
    if (char === "\\") {
      index += 1;
      source += literal(pattern[index] ?? "");
    } else if (char === "*") {
      if (!source.endsWith("[^/]*")) source += "[^/]*";
    } else if (char === "?") source += "[^/]";
    else if (char === "[") {
      const end = closingBracket(pattern, index);
      if (end < 0) source += "\\[";
      else {
        // A class such as [:alpha:] is taken for any character: more candidates, never fewer.
        const body = pattern.slice(index + 1, end);
        source += body.includes("[") || body.includes("\\") ? "[^/]" : `[${body.replace(/^[!^]/, "^").replace(/[\]\\]/g, "\\$&")}]`;
        index = end;
      }
    } else source += literal(char);
  }
  let expression: RegExp;
  try {
    expression = new RegExp(`^(?:${source})$`, "s");
  } catch {
    return () => true;
  }
  const dotted = pattern.startsWith(".") || pattern.startsWith("\\.") || pattern.startsWith("[");
  return (name) => (name.startsWith(".") ? dotted : true) && expression.test(name);
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
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

export function patternIn(directory: string, pattern: string): string {
  return pattern.startsWith("/") ? pattern : joinPath(escapePattern(directory), pattern);
}

const rawDevice =
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd|nvme|mmcblk|disk|rdisk|dm-|mapper\/|md\d|md\/|loop|mem$|kmem$|port$|ram\d|sr\d|zd\d|nbd|block|bsg|sg\d|mtd|pmem|zvol|nvram)/;

export function isRawDevice(path: string): boolean {
  return rawDevice.test(normalizePath(path));
}
