/**
 * Names that a search passes over whatever ignore files say: git's own data always, and bulky products of other tools unless
 * ignored files are asked for. Pure; one list for both backends.
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
