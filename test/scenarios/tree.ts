/**
 * Trees of scenarios: builds one on disk from a directory and what git cannot hold, and reads one back as text that is equal
 * exactly when bytes, modes, links, hard-link groups and kinds are. Never opens a FIFO.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, link, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What is laid over a tree. Paths start at the workspace; `../` reaches its neighbours. */
export interface Overlay {
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly base64?: Readonly<Record<string, string>> | undefined;
  /** `text` as often as said, each `#` in it replaced by the number of the round, from 1. */
  readonly repeat?: Readonly<Record<string, { readonly text: string; readonly times: number }>> | undefined;
  /** Names whose bytes are the Latin-1 form of the key: no valid UTF-8. */
  readonly latin1Names?: Readonly<Record<string, string>> | undefined;
  readonly directories?: readonly string[] | undefined;
  /** New name → existing name. */
  readonly hardLinks?: Readonly<Record<string, string>> | undefined;
  /** Name → target text. */
  readonly links?: Readonly<Record<string, string>> | undefined;
  readonly fifo?: readonly string[] | undefined;
  /** Octal. */
  readonly modes?: Readonly<Record<string, string>> | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** Content only: how a checkout was made says nothing about the modes of a scenario. */
export async function copyTree(source: string, workspace: string): Promise<void> {
  await mkdir(workspace, { recursive: true });
  if (!existsSync(source)) return;
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const to = join(workspace, entry.name);
    if (entry.isDirectory()) await copyTree(from, to);
    else await writeFile(to, await readFile(from));
  }
}

/** `fill` is applied to texts that name the workspace. */
export async function layOver(workspace: string, overlay: Overlay, fill: (text: string) => string): Promise<void> {
  const at = async (path: string): Promise<string> => {
    const full = join(workspace, path);
    await mkdir(dirname(full), { recursive: true });
    return full;
  };
  for (const path of overlay.remove ?? []) await rm(join(workspace, path), { recursive: true });
  for (const path of overlay.directories ?? []) await mkdir(join(workspace, path), { recursive: true });
  for (const [path, text] of Object.entries(overlay.files ?? {})) await writeFile(await at(path), text);
  for (const [path, text] of Object.entries(overlay.base64 ?? {})) await writeFile(await at(path), Buffer.from(text, "base64"));
  for (const [path, { text, times }] of Object.entries(overlay.repeat ?? {})) await writeFile(await at(path), repeated(text, times));
  for (const [path, text] of Object.entries(overlay.latin1Names ?? {})) {
    const full = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from(path, "latin1")]);
    await mkdir(full.subarray(0, full.lastIndexOf("/")), { recursive: true });
    await writeFile(full, text);
  }
  for (const [path, existing] of Object.entries(overlay.hardLinks ?? {})) await link(join(workspace, existing), await at(path));
  for (const [path, target] of Object.entries(overlay.links ?? {})) await symlink(fill(target), await at(path));
  for (const path of overlay.fifo ?? []) execFileSync("mkfifo", [await at(path)]);
  for (const [path, mode] of Object.entries(overlay.modes ?? {})) await chmod(join(workspace, path), Number.parseInt(mode, 8));
}

function repeated(text: string, times: number): string {
  return Array.from({ length: times }, (_, index) => text.replaceAll("#", String(index + 1))).join("");
}

export interface TreeOptions {
  /** Modification times too: a tree that nobody so much as touched. */
  readonly times?: boolean | undefined;
}

/** Every path below a directory, names as Latin-1 of their bytes. */
export async function readTree(directory: string, options: TreeOptions = {}): Promise<Readonly<Record<string, string>>> {
  const tree: Record<string, string> = {};
  const firstNames = new Map<bigint, string>();
  const visit = async (relative: Buffer): Promise<void> => {
    const full = Buffer.concat([Buffer.from(`${directory}/`), relative]);
    const names = (await readdir(full, { encoding: "buffer" })).sort(Buffer.compare);
    for (const name of names) {
      const path = relative.length === 0 ? name : Buffer.concat([relative, Buffer.from("/"), name]);
      const where = Buffer.concat([Buffer.from(`${directory}/`), path]);
      const stats = await lstat(where, { bigint: true });
      const key = path.toString("latin1");
      const time = options.times === true ? ` ${stats.mtimeNs}` : "";
      const mode = (stats.mode & 0o7777n).toString(8);
      if (stats.isSymbolicLink()) tree[key] = `link to ${await readlink(where)}${time}`;
      else if (stats.isDirectory()) {
        tree[key] = `directory ${mode}${time}`;
        await visit(path);
      } else if (stats.isFile()) {
        const same = stats.nlink > 1n ? firstNames.get(stats.ino) : undefined;
        if (stats.nlink > 1n && same === undefined) firstNames.set(stats.ino, key);
        const identity = stats.nlink > 1n ? ` the same as ${same ?? key}` : "";
        tree[key] = `file ${mode}${identity}${time} ${JSON.stringify((await readFile(where)).toString("latin1"))}`;
      } else tree[key] = `special ${mode}${time}`;
    }
  };
  await visit(Buffer.alloc(0));
  return tree;
}
