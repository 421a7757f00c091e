/** Where things are: the workspace, Karyi's home, the person's home; absolute, links resolved once. */
import { mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { homedir, tmpdir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export interface Places {
  readonly workspace: string;
  readonly home: string;
  readonly userHome: string;
}

export function defaultHome(env: Readonly<Record<string, string | undefined>>): string {
  return env.KARYI_HOME || join(personHome(), ".karyi");
}

/**
 * Absolute always. With HOME empty or relative, Karyi's home would be the `.karyi` of whatever project one stands in,
 * and that project's config would be taken for the person's own.
 */
function personHome(): string {
  const home = [known(homedir), known(() => userInfo().homedir)].find(isAbsolute);
  if (home === undefined) throw new Error("No home directory is known: set HOME or KARYI_HOME to an absolute path.");
  return home;
}

/** A container may run as a user that the system has no record of. */
function known(ask: () => string): string {
  try {
    return ask();
  } catch {
    return "";
  }
}

export async function resolvePlaces(workspace: string, home: string): Promise<Places> {
  return { workspace: await canonical(resolve(workspace)), home: await canonical(resolve(home)), userHome: await canonical(personHome()) };
}

export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Resolves links of what exists; the rest stays as it is spelled. */
export async function canonical(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = resolve(path, "..");
    return parent === path ? path : join(await canonical(parent), path.slice(parent.length));
  }
}

/** A fresh private directory and the function that removes it with all it holds. */
export async function makeTemporaryDirectory(prefix: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), `${prefix}-`)));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
