/**
 * Looks at paths and lists directories by exact names: one that is not UTF-8 is spelled as the file tools spell it. What the
 * person closed, the person's command may have opened: it is looked into all the same.
 */
import { chmodSync, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { exactly, nameOfBytes, systemPath } from "../files/byte-name.ts";
import { throughClosedNow } from "../files/closed.ts";

/**
 * Of names that are clean already. `join` builds the same text out of as many pieces as it has names, which a change set of a
 * hundred thousand paths would hold several times over.
 */
export function pathIn(directory: string, path: string): string {
  if (path === "") return directory;
  return directory === "" || directory.endsWith("/") ? `${directory}${path}` : `${directory}/${path}`;
}

/** Links are not followed; `undefined` where nothing is, or a parent is no directory. */
export function look(path: string): Stats | undefined {
  try {
    return throughClosedNow(dirname(path), () => lstatSync(systemPath(path), { throwIfNoEntry: false }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** In one order everywhere. */
export function namesIn(directory: string): string[] {
  const system = systemPath(directory);
  return throughClosedNow(directory, () => {
    const found = readdirSync(system);
    const isExact = !found.some((name) => name.includes("\uFFFD"));
    return (isExact ? found : readdirSync(system, { encoding: "buffer" }).map(nameOfBytes)).sort();
  });
}

export function targetOf(link: string): string {
  const system = systemPath(link);
  return exactly(readlinkSync(system), () => readlinkSync(system, { encoding: "buffer" }));
}

export function setMode(path: string, mode: number): void {
  throughClosedNow(dirname(path), () => chmodSync(systemPath(path), mode));
}
