/**
 * Makes the changes of a change set in the workspace. Files are copied beside their place and renamed into it; parents are held
 * open, so that nothing swapped in meanwhile is followed. Modes of directories come last, or their content could not be written,
 * and then their times: what the command gave them, or what they had where it only changed files in them.
 */
import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemPath } from "../files/byte-name.ts";
import { lchown, link, lstat, mkdir, rename, rmdir, symlink, unlink } from "../files/calls.ts";
import { throughClosed, throughClosedNow } from "../files/closed.ts";
import { fileFailure } from "../files/failures.ts";
import { type HeldDirectory, holdDirectory } from "../files/handles.ts";
import { makePipe } from "../files/named-pipe.ts";
import { temporaryName } from "../files/temporary.ts";
import { setTime, timeOf } from "../files/times.ts";
import { look, setMode } from "./exact-names.ts";
import type { Dress, Operation, RootChanges } from "./operations.ts";
import { makeReadable } from "./read-upper.ts";

export class Applier {
  #held: HeldDirectory | undefined;
  /** Directories and the mode they end with. */
  readonly #modes = new Map<string, number>();
  /** Directories and the time they end with. */
  readonly #times = new Map<string, string>();

  async apply({ root, upper, operations }: RootChanges): Promise<void> {
    for (const operation of operations) {
      const path = join(root, operation.path);
      try {
        // The command could write there because it had opened the directory, and it may have closed it again.
        await throughClosed(dirname(path), () => this.#step(root, upper, operation));
      } catch (error) {
        throw fileFailure(error, path);
      }
    }
  }

  async finish(): Promise<void> {
    await this.#release();
    const innerFirst = <T>(directories: ReadonlyMap<string, T>): readonly [string, T][] =>
      [...directories].filter(([path]) => look(path)?.isDirectory()).sort(([a], [b]) => b.length - a.length);
    for (const [path, mtimeNs] of innerFirst(this.#times)) throughClosedNow(dirname(path), () => setTime(path, mtimeNs));
    // An outer one may close the way.
    for (const [path, mode] of innerFirst(this.#modes)) setMode(path, mode);
  }

  abandon(): Promise<void> {
    return this.#release();
  }

  async #step(root: string, upper: string, operation: Operation): Promise<void> {
    const path = join(root, operation.path);
    const directory = await this.#hold(dirname(path), path);
    const target = directory.at(basename(path));
    if (operation.kind !== "mode" && operation.kind !== "times") this.#keepTime(dirname(path));
    switch (operation.kind) {
      case "remove":
        return unlink(target);
      case "rmdir":
        await rmdir(target);
        this.#modes.delete(path);
        this.#times.delete(path);
        return;
      case "mkdir":
        await mkdir(target, (operation.mode & 0o777) | 0o700);
        await own(target, operation);
        this.#modes.set(path, operation.mode);
        this.#times.set(path, operation.mtimeNs);
        return;
      case "link":
        return replace(directory, target, async (temporary) => {
          await symlink(operation.target, temporary);
          await own(temporary, operation);
          setTime(temporary, operation.mtimeNs);
        });
      case "pipe":
        return replace(directory, target, async (temporary) => {
          await makePipe(temporary, operation.mode);
          await own(temporary, operation);
          setTime(temporary, operation.mtimeNs);
        });
      case "mode":
        await own(target, operation);
        setMode(target, operation.directory ? operation.mode | 0o700 : operation.mode);
        if (operation.directory) this.#modes.set(path, operation.mode);
        return this.#touch(path, target, operation);
      case "times":
        return this.#touch(path, target, operation);
      case "file": {
        const { linkTo } = operation;
        if (linkTo !== undefined) return replace(directory, target, (temporary) => link(join(root, linkTo), temporary), true);
        const source = join(upper, operation.path);
        makeReadable(source, (await lstat(source)).mode);
        return replace(directory, target, async (temporary) => {
          await copyFile(systemPath(source), temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
          await own(temporary, operation);
          setMode(temporary, operation.mode);
          setTime(temporary, operation.mtimeNs);
        });
      }
    }
  }

  #touch(path: string, target: string, { directory, mtimeNs }: { readonly directory: boolean; readonly mtimeNs: string }): void {
    if (directory) this.#times.set(path, mtimeNs);
    else setTime(target, mtimeNs);
  }

  async #hold(directory: string, asked: string): Promise<HeldDirectory> {
    if (this.#held?.real === directory) return this.#held;
    await this.#release();
    this.#held = await holdDirectory(directory, asked);
    return this.#held;
  }

  /** A file that takes another's place changes the directory; for the command it was the same file. */
  #keepTime(directory: string): void {
    if (!this.#times.has(directory)) this.#times.set(directory, timeOf(directory));
  }

  async #release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.close();
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
  const now = await lstat(path);
  if (now.uid !== uid || now.gid !== gid) await lchown(path, uid, gid);
}
