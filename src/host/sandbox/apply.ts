/**
 * Makes the changes of a change set in the workspace. Files are copied beside their place and renamed into it; parents are held
 * open, so that nothing swapped in meanwhile is followed. Modes of directories come last, or their content could not be written.
 */
import { constants, type Stats } from "node:fs";
import { chmod, copyFile, lchown, lstat, mkdir, rename, rmdir, symlink, link as tie, unlink, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type HeldDirectory, holdDirectory } from "../files/handles.ts";
import { makePipe } from "../files/named-pipe.ts";
import { temporaryName } from "../files/temporary.ts";
import type { Dress, Operation, RootChanges } from "./operations.ts";
import { makeReadable } from "./read-upper.ts";

export class Applier {
  #held: HeldDirectory | undefined;
  /** Directories and the mode they end with. */
  readonly #modes = new Map<string, number>();

  async apply({ root, upper, operations }: RootChanges): Promise<void> {
    for (const operation of operations) {
      try {
        await this.#step(root, upper, operation);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
        await this.#openParent(join(root, operation.path));
        await this.#step(root, upper, operation);
      }
    }
  }

  async finish(): Promise<void> {
    await this.#release();
    // Inner ones first: an outer one may close the way.
    for (const [path, mode] of [...this.#modes].sort(([a], [b]) => b.length - a.length)) {
      if ((await lstat(path).catch(() => undefined))?.isDirectory()) await chmod(path, mode);
    }
  }

  abandon(): Promise<void> {
    return this.#release();
  }

  async #step(root: string, upper: string, operation: Operation): Promise<void> {
    const path = join(root, operation.path);
    const directory = await this.#hold(dirname(path), path);
    const target = directory.at(basename(path));
    switch (operation.kind) {
      case "remove":
        return unlink(target);
      case "rmdir":
        await rmdir(target);
        this.#modes.delete(path);
        return;
      case "mkdir":
        await mkdir(target, (operation.mode & 0o777) | 0o700);
        await own(target, operation);
        this.#modes.set(path, operation.mode);
        return;
      case "link":
        return replace(directory, target, (temporary) => symlink(operation.target, temporary));
      case "pipe":
        return replace(directory, target, async (temporary) => {
          await makePipe(temporary, operation.mode);
          await own(temporary, operation);
        });
      case "mode":
        await own(target, operation);
        if (!operation.directory) return chmod(target, operation.mode);
        await chmod(target, operation.mode | 0o700);
        this.#modes.set(path, operation.mode);
        return;
      case "times":
        return utimes(target, operation.mtimeMs / 1000, operation.mtimeMs / 1000);
      case "file": {
        const { linkTo } = operation;
        if (linkTo !== undefined) return replace(directory, target, (temporary) => tie(join(root, linkTo), temporary), true);
        const source = join(upper, operation.path);
        makeReadable(source, (await lstat(source)).mode);
        return replace(directory, target, async (temporary) => {
          await copyFile(source, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
          await own(temporary, operation);
          await chmod(temporary, operation.mode);
          await utimes(temporary, operation.mtimeMs / 1000, operation.mtimeMs / 1000);
        });
      }
    }
  }

  async #hold(directory: string, asked: string): Promise<HeldDirectory> {
    if (this.#held?.real === directory) return this.#held;
    await this.#release();
    this.#held = await holdDirectory(directory, asked);
    return this.#held;
  }

  async #release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.close();
  }

  /** The command could write there because it had opened the directory, and it may have closed it again. */
  async #openParent(path: string): Promise<void> {
    const parent = dirname(path);
    const { mode } = await lstat(parent);
    if (!this.#modes.has(parent)) this.#modes.set(parent, mode & 0o7777);
    await chmod(parent, (mode & 0o7777) | 0o700);
  }
}

async function replace(directory: HeldDirectory, target: string, make: (temporary: string) => Promise<void>, tied = false): Promise<void> {
  const temporary = directory.at(temporaryName());
  try {
    await make(temporary);
    await rename(temporary, target);
    // Two names of one file: the kernel takes the rename for done and leaves both.
    if (tied) await unlink(temporary).catch(() => undefined);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Only root can give files away; anybody else's are their own. */
async function own(path: string, { uid, gid }: Dress): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const now: Stats = await lstat(path);
  if (now.uid !== uid || now.gid !== gid) await lchown(path, uid, gid);
}
