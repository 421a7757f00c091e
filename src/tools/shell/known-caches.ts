/**
 * Owns the names of caches: directories and files that programs write for themselves and make anew where they are missing.
 * Refuses whatever holds a result: coverage, build output and reports are not caches.
 */

/** A directory of this name is a cache wherever it lies. */
const directories = new Set([
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".pytype",
  ".cache",
  ".parcel-cache",
  ".turbo",
  ".sass-cache",
  ".eslintcache",
  ".stylelintcache",
  ".phpunit.cache",
]);

/** Below `node_modules`: what bundlers and test runners keep there. */
const withinModules = new Set([".cache", ".vite", ".vite-temp", ".vitest", ".tmp"]);

const file = /\.(?:pyc|pyo)$/;

/** Where the cache lies that holds this path, relative to its root; nothing where it is none. */
function cacheOf(path: string): string | undefined {
  const names = path.split("/");
  const at = names.findIndex((name, index) => directories.has(name) || (names[index - 1] === "node_modules" && withinModules.has(name)));
  if (at >= 0) return names.slice(0, at + 1).join("/");
  return file.test(path) ? path : undefined;
}

/** The caches that hold all of these paths, each once; nothing where one of the paths is in none. */
export function cachesHolding(paths: readonly string[], roots: readonly string[]): readonly string[] | undefined {
  const caches = new Set<string>();
  for (const path of paths) {
    const root = roots.find((candidate) => path.startsWith(`${candidate}/`));
    const cache = root === undefined ? undefined : cacheOf(path.slice(root.length + 1));
    if (root === undefined || cache === undefined) return undefined;
    caches.add(`${root}/${cache}`);
  }
  return caches.size === 0 ? undefined : [...caches];
}
