/**
 * Reads the small text files of a folder that define something: agents (`*.md`) and skills (`NAME/SKILL.md`).
 * Refuses what is no regular file, what is large, and a link that leads out of the place it counts for.
 */
import { constants, type Dirent } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

const maxBytes = 1024 * 1024;
const maxFiles = 1000;

export interface DefinitionFile {
  readonly path: string;
  /** Absent: `problem` says why. */
  readonly text?: string;
  readonly problem?: string;
}

export type DefinitionForm = { readonly ending: string } | { readonly inFolders: string };

/** In the order of their names; a folder that is not there holds none. `within`: the real path must lie in this directory. */
export async function readDefinitionFiles(folder: string, form: DefinitionForm, within?: string): Promise<readonly DefinitionFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const names = entries
    .filter((entry) => ("ending" in form ? entry.name.endsWith(form.ending) && !entry.isDirectory() : !entry.isFile()))
    .filter(({ name }) => !name.startsWith("."))
    .map(({ name }) => name)
    .sort()
    .slice(0, maxFiles);
  const bound = within === undefined ? undefined : await realpath(within).catch(() => within);
  const files = await Promise.all(
    names.map((name) => readOne("ending" in form ? join(folder, name) : join(folder, name, form.inFolders), bound)),
  );
  return files.filter((file) => file !== undefined);
}

/** `undefined` if there is no such file. */
async function readOne(path: string, within: string | undefined): Promise<DefinitionFile | undefined> {
  try {
    const real = await realpath(path);
    if (within !== undefined && !real.startsWith(`${within}${sep}`))
      return { path, problem: "The file is a link that leads out of the workspace." };
    return await readRegular(path, real);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : { path, problem: `The file cannot be read: ${message}` };
  }
}

async function readRegular(path: string, real: string): Promise<DefinitionFile> {
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return { path, problem: "This is no regular file." };
    if (stat.size > maxBytes) return { path, problem: `The file has more than ${maxBytes} bytes.` };
    return { path, text: await file.readFile("utf8") };
  } finally {
    await file.close();
  }
}
