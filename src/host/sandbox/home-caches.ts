/**
 * Caches of the person's home that an approved command writes for real: what package managers fetched. One that is missing is made
 * before the command runs, if its program is there, because nothing else of the home can be written; what stayed empty is
 * removed again. Refuses settings and whatever a shell or a program starts from by itself.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRunning } from "../process-identity.ts";

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

/** By home: how many commands run with its caches, and which directories this process holds for them, the outermost first. */
const uses = new Map<string, { running: number; held: Set<string> }>();

/**
 * Makes what is missing; answers what removes the empty ones again, once no command of any process runs with them: a directory
 * that is removed is gone from every world that it is mounted in. `path`: where programs are looked for.
 */
export function makeCaches(userHome: string, path: string): () => void {
  if (!existsSync(userHome)) return () => {};
  const use = uses.get(userHome) ?? { running: 0, held: new Set() };
  uses.set(userHome, use);
  use.running += 1;
  for (const [directory, program] of caches)
    if (isInstalled(program, path)) for (const held of hold(userHome, join(userHome, directory))) use.held.add(held);
  return () => {
    use.running -= 1;
    if (use.running > 0) return;
    for (const directory of [...use.held].reverse()) letGo(directory);
    use.held.clear();
  };
}

/**
 * A process that uses a directory that Karyi made keeps an empty file of this name in it. Because `rmdir` refuses a directory that
 * holds a file, no other process can remove it meanwhile.
 */
const holderPrefix = ".karyi-in-use-";
const holder = `${holderPrefix}${process.pid}`;
/** Another process may remove a directory between the look at it and the file in it. */
const tries = 10;

/** The directories on the way to `path` that Karyi made, in this process or another, the outermost first. */
function hold(home: string, path: string): readonly string[] {
  if (path === home) return [];
  const outer = hold(home, dirname(path));
  for (let tried = 0; tried < tries; tried++) {
    try {
      if (!existsSync(path)) makeHeld(path);
      else if (!isHeld(path)) return outer;
      else writeFileSync(join(path, holder), "");
      return [...outer, path];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EEXIST") return outer;
    }
  }
  return outer;
}

/** The directory appears with the holder in it, so that no process takes it for one of the person's. */
function makeHeld(path: string): void {
  const made = `${path}${holder}`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { mode: 0o755 });
  try {
    writeFileSync(join(made, holder), "");
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

/** Whether Karyi made the directory: then a process holds it, or was killed while it did; what a killed one left there is removed. */
function isHeld(path: string): boolean {
  const holders = readdirSync(path).filter((name) => name.startsWith(holderPrefix));
  for (const name of holders) if (!isRunning(Number(name.slice(holderPrefix.length)))) rmSync(join(path, name), { force: true });
  return holders.length > 0;
}

function letGo(directory: string): void {
  try {
    rmSync(join(directory, holder), { force: true });
    rmdirSync(directory);
  } catch {
    // The command put something there, or another process holds it.
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
