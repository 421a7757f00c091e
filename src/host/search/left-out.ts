/**
 * Names that a search passes over whatever ignore files say: git's own data always, bulky products of other tools unless
 * ignored files are asked for, and, when contents are searched, files whose names say that they hold secrets: such a file is
 * read by its own name, which asks a person. Pure; one list for both backends.
 */

/** Whether an entry of a tree is passed over; `name` is a byte string. */
export function isLeftOut(name: string, isDirectory: boolean, includeIgnored: boolean): boolean {
  if (name === ".git") return true;
  if (includeIgnored) return false;
  if (isDirectory && bulkyDirectories.has(name)) return true;
  return name === ".DS_Store" || name.endsWith(".pyc");
}

const bulkyDirectories: ReadonlySet<string> = new Set(["node_modules", "__pycache__", "vendor", "dist", "build"]);

/** The same as globs of ripgrep. */
export function leftOutGlobs(includeIgnored: boolean): readonly string[] {
  if (includeIgnored) return ["!.git"];
  return ["!.git", "!.DS_Store", "!*.pyc", ...[...bulkyDirectories].map((name) => `!${name}/`)];
}

const secretNames: readonly string[] = [
  ".env",
  ".envrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".netrc",
  "_netrc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".htpasswd",
  ".vault-token",
  ".dockercfg",
  "credentials",
  "credentials.json",
  "secrets.json",
  "secrets.yml",
  "secrets.yaml",
  "secrets.toml",
  "service-account.json",
  "master.key",
];

const secretEndings: readonly string[] = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"];

const secretStarts: readonly string[] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/** `.env.<anything>` is secret but for these. */
const harmlessEnvironments: readonly string[] = ["dist", "example", "sample", "template"];

export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  if (secretNameSet.has(lower)) return true;
  if (lower.startsWith(".env.")) return !harmlessEnvironments.includes(lower.slice(5));
  return secretStarts.some((start) => lower.startsWith(start)) || secretEndings.some((ending) => lower.endsWith(ending));
}

const secretNameSet: ReadonlySet<string> = new Set(secretNames);

/** The same as one glob of ripgrep's, in any case; one, because many cost it a tenth of a search. */
export function secretGlob(): string {
  written ??= writeSecretGlob();
  return written;
}

let written: string | undefined;

function writeSecretGlob(): string {
  const globs = [
    ...secretNames,
    ...secretEndings.map((ending) => `*${ending}`),
    ...secretStarts.map((start) => `${start}*`),
    ...allBut(".env.", harmlessEnvironments),
  ];
  return `{${globs.map(anyCase).join(",")}}`;
}

/**
 * Globs know no exceptions, and a glob that takes something back in would leave out everything else.
 * So the exceptions are spelled out letter by letter: whatever leaves each of them at some point.
 */
function allBut(start: string, exceptions: readonly string[]): readonly string[] {
  const globs = exceptions.map((exception) => `${start}${exception}?*`);
  const prefixes = new Set(exceptions.flatMap((exception) => [...exception].map((_, at) => exception.slice(0, at))));
  for (const prefix of prefixes) {
    const next = new Set(exceptions.filter((exception) => exception.startsWith(prefix)).map((exception) => exception[prefix.length]));
    globs.push(start + prefix, `${start}${prefix}[!${[...next].join("")}]*`);
  }
  return globs;
}

function anyCase(glob: string): string {
  return glob.replace(/\[!(\w+)\]|[a-z]/g, (part, inside: string | undefined) =>
    inside === undefined ? `[${part}${part.toUpperCase()}]` : `[!${inside}${inside.toUpperCase()}]`,
  );
}
