/**
 * Caches of the person's home that an approved command writes for real: what package managers fetched. One that is missing is made
 * before the command runs, if its program is there, because nothing else of the home can be written; what stayed empty is
 * removed again. Refuses settings and whatever a shell or a program starts from by itself.
 */
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Each with the program that makes it; none: many do. */
const caches: readonly (readonly [directory: string, program?: string])[] = [
  [".cache"],
  [".npm/_cacache", "npm"],
  [".npm/_logs", "npm"],
  [".npm/_npx", "npm"],
  [".cargo/registry", "cargo"],
  [".cargo/git", "cargo"],
  [".gradle/caches", "gradle"],
  [".m2/repository", "mvn"],
  ["go/pkg/mod", "go"],
  [".nuget/packages", "dotnet"],
  [".local/share/pnpm/store", "pnpm"],
  [".yarn/berry/cache", "yarn"],
  [".bun/install/cache", "bun"],
];

export const cacheDirectories = (userHome: string): readonly string[] => caches.map(([directory]) => join(userHome, directory));

/** By home: how many commands run with its caches, and which directories were made for them. */
const uses = new Map<string, { running: number; made: string[] }>();

/**
 * Makes what is missing; answers what removes the empty ones again, once no other command of this process runs with them: a
 * directory that is removed is gone from every world that it is mounted in. `path`: where programs are looked for.
 */
export function makeCaches(userHome: string, path: string): () => void {
  if (!existsSync(userHome)) return () => {};
  const use = uses.get(userHome) ?? { running: 0, made: [] };
  uses.set(userHome, use);
  use.running += 1;
  for (const [directory, program] of caches)
    if (isInstalled(program, path)) use.made.push(...makeDirectories(userHome, join(userHome, directory)));
  return () => {
    use.running -= 1;
    if (use.running === 0) for (const directory of use.made.splice(0).reverse()) removeEmpty(directory);
  };
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Something was put there, or somebody else removed it.
  }
}

/** Every directory that was missing on the way, the outermost first; nothing where that cannot be. */
function makeDirectories(home: string, path: string): readonly string[] {
  if (path === home || existsSync(path)) return [];
  const outer = makeDirectories(home, dirname(path));
  try {
    mkdirSync(path, { mode: 0o755 });
    return [...outer, path];
  } catch {
    return outer;
  }
}

const installed = new Map<string, boolean>();

function isInstalled(program: string | undefined, path: string): boolean {
  if (program === undefined) return true;
  const key = `${program}\0${path}`;
  const known = installed.get(key) ?? path.split(":").some((directory) => directory !== "" && existsSync(join(directory, program)));
  installed.set(key, known);
  return known;
}
