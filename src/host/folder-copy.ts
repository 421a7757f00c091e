/**
 * Folders that are taken into the home as they are: what they hold, its hash, a copy, the differences of two.
 * Refuses links that lead out, special files, and more than a plugin can need.
 */
import { createHash } from "node:crypto";
import { copyFile, lstat, mkdir, readdir, readFile, readlink, realpath, rm, symlink } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

interface FolderFile {
  readonly path: string;
  readonly executable: boolean;
}

interface Entry extends FolderFile {
  readonly link?: string;
  readonly size: number;
}

const maxFiles = 20_000;
const maxBytes = 500 * 1024 * 1024;
/** Not part of what a plugin is. */
const leftOut = new Set([".git"]);

export async function lookAtFolder(folder: string): Promise<{ readonly files: readonly FolderFile[]; readonly hash: string }> {
  const entries = await entriesOf(folder);
  const hash = createHash("sha256");
  for (const { path, executable, link } of entries) {
    const content =
      link === undefined
        ? createHash("sha256")
            .update(await readFile(join(folder, path)))
            .digest("hex")
        : `link ${link}`;
    hash.update(`${path}\0${executable ? "x" : "-"}\0${content}\0`);
  }
  return { files: entries.map(({ path, executable }) => ({ path, executable })), hash: hash.digest("hex") };
}

export async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const { path, link } of await entriesOf(from)) {
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if (link === undefined) await copyFile(join(from, path), target);
    else await symlink(link, target);
  }
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** Text files that are not the same in two folders, with both texts; a file that is not there or no text is `undefined`. */
export async function changedFiles(
  before: string,
  after: string,
): Promise<readonly { readonly path: string; readonly before: string | undefined; readonly after: string | undefined }[]> {
  const paths = new Set([...(await entriesOf(before)), ...(await entriesOf(after))].map(({ path }) => path));
  const changed = [];
  for (const path of [...paths].sort()) {
    const [old, now] = await Promise.all([before, after].map((folder) => readFile(join(folder, path)).catch(() => undefined)));
    if (old !== undefined && now !== undefined && old.equals(now)) continue;
    changed.push({ path, before: textOf(old), after: textOf(now) });
  }
  return changed;
}

function textOf(bytes: Buffer | undefined): string | undefined {
  return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8");
}

async function entriesOf(folder: string): Promise<readonly Entry[]> {
  const root = await realpath(folder);
  const entries: Entry[] = [];
  let bytes = 0;
  const visit = async (directory: string): Promise<void> => {
    for (const name of (await readdir(directory)).sort()) {
      if (leftOut.has(name)) continue;
      const full = join(directory, name);
      const path = relative(root, full).split(sep).join("/");
      const stat = await lstat(full);
      if (stat.isDirectory()) await visit(full);
      else
        entries.push({
          path,
          executable: (stat.mode & 0o100) !== 0,
          size: stat.size,
          ...(await linkOf(root, full, path, stat.isSymbolicLink())),
        });
      if (!stat.isDirectory() && !stat.isFile() && !stat.isSymbolicLink()) throw new Error(`${path} is no regular file`);
      bytes += stat.isFile() ? stat.size : 0;
      if (entries.length > maxFiles || bytes > maxBytes)
        throw new Error(`the folder holds more than ${maxFiles} files or ${maxBytes} bytes`);
    }
  };
  await visit(root);
  return entries;
}

async function linkOf(root: string, full: string, path: string, isLink: boolean): Promise<{ readonly link?: string }> {
  if (!isLink) return {};
  const link = await readlink(full);
  const target = resolve(dirname(full), link);
  if (target !== root && !target.startsWith(`${root}${sep}`)) throw new Error(`${path} is a link that leads out of the folder`);
  return { link };
}
