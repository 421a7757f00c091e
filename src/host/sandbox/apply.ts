/**
 * Makes the changes of a change set in the workspace. Files are moved from the layer into their place, or copied beside it and put
 * there in one step; parents are held open, so that nothing swapped in meanwhile is followed. Modes of directories come last, or their content could not be
 * written, and then their times: what the command gave them, or what they had where it only changed files in them.
 * Refuses a path that is not as it was seen: it is looked at with no wait between the look and the change.
 */
import * as fs from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import type { Fingerprint } from "../../contract/index.ts";
import { systemPath } from "../files/byte-name.ts";
import { throughClosed, throughClosedNow } from "../files/closed.ts";
import { errnoOf, fileFailure } from "../files/failures.ts";
import { type HeldDirectory, holdDirectory } from "../files/handles.ts";
import { makePipe } from "../files/named-pipe.ts";
import { copySparse, isSparse } from "../files/sparse.ts";
import { MovedMeanwhile } from "../files/still.ts";
import { temporaryName } from "../files/temporary.ts";
import { isSameTime, setTime, timeOf } from "../files/times.ts";
import { look, pathIn, setMode } from "./exact-names.ts";
import { isWithin } from "./mount-table.ts";
import { type Dress, type Operation, type RootChanges, stillSeen } from "./operations.ts";
import { makeReadable } from "./read-upper.ts";

/** Larger files are copied by the kernel (shared blocks where the file system can) instead of through memory. */
const inMemoryBytes = 1 << 20;
/** Others get their turn after so many changes. */
const breathEvery = 100;

/** A file in a layer: its hash, and whether nothing but its own attributes is on it, so that it can be moved into place. */
export interface Source {
  readonly hash: string;
  readonly isClean: boolean;
}

export type Sources = ReadonlyMap<Operation, Source>;

export class Applier {
  #held: HeldDirectory | undefined;
  /** Directories and the mode they end with. */
  readonly #modes = new Map<string, number>();
  /** Directories and the time they end with. */
  readonly #times = new Map<string, string>();
  /** Files whose bytes were written, and what is known of those. */
  readonly #files = new Map<string, Fingerprint | undefined>();
  /** Of files with several names: those that a step of this very commit has changed already. */
  readonly #shared = new Set<number>();
  /** In the layer: further names of files that are in the workspace now. */
  readonly #names: string[] = [];
  readonly #sources: Sources;
  #steps = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async apply({ root, upper, operations }: RootChanges): Promise<void> {
    for (const operation of operations) {
      const path = pathIn(root, operation.path);
      if (++this.#steps % breathEvery === 0) await breath();
      try {
        // The command could write there because it had opened the directory, and it may have closed it again.
        await throughClosed(dirname(path), () => this.#step(root, upper, operation));
      } catch (error) {
        throw error instanceof MovedMeanwhile ? error : fileFailure(error, path);
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

  /**
   * Takes the layer's names off the files that became the workspace's, once the commit counts. Later on that would look like a
   * change by somebody: it shows in the file's number of names and its time of change.
   */
  async letGo(): Promise<void> {
    for (const [index, name] of this.#names.entries()) {
      if (index % breathEvery === breathEvery - 1) await breath();
      fs.rmSync(systemPath(name), { force: true });
    }
  }

  /** Files and directories below a root that have to go to the disk. */
  writtenBelow(root: string): readonly string[] {
    return [...this.#files.keys(), ...this.#times.keys()].filter((path) => isWithin(path, root));
  }

  /** Saves reading a file again that was just written. */
  known(path: string): Fingerprint | undefined {
    return this.#files.get(path);
  }

  async #step(root: string, upper: string, operation: Operation): Promise<void> {
    const path = pathIn(root, operation.path);
    const directory = await this.#hold(dirname(path), path);
    const target = directory.at(basename(path));
    if (operation.kind !== "mode" && operation.kind !== "times") this.#keepTime(dirname(path));
    switch (operation.kind) {
      case "remove":
        this.#refuseMoved(path, target, operation);
        return fs.unlinkSync(systemPath(target));
      case "rmdir":
        fs.rmdirSync(systemPath(target));
        this.#modes.delete(path);
        this.#times.delete(path);
        return;
      case "mkdir":
        fs.mkdirSync(systemPath(target), (operation.mode & 0o777) | 0o700);
        own(target, operation);
        this.#modes.set(path, operation.mode);
        this.#times.set(path, operation.mtimeNs);
        return;
      case "link":
        return this.#put(directory, path, target, operation, async (temporary) => {
          fs.symlinkSync(systemPath(operation.target), systemPath(temporary));
          own(temporary, operation);
          setTime(temporary, operation.mtimeNs);
        });
      case "pipe":
        return this.#put(directory, path, target, operation, async (temporary) => {
          await makePipe(temporary, operation.mode);
          own(temporary, operation);
          setTime(temporary, operation.mtimeNs);
        });
      case "mode":
        if (!operation.directory) this.#refuseMoved(path, target, operation);
        own(target, operation);
        setMode(target, operation.directory ? operation.mode | 0o700 : operation.mode);
        if (operation.directory) this.#modes.set(path, operation.mode);
        else this.#files.set(path, undefined);
        return this.#touch(path, target, operation);
      case "times":
        if (!operation.directory) this.#refuseMoved(path, target, operation);
        return this.#touch(path, target, operation);
      case "file": {
        const { linkTo } = operation;
        if (linkTo !== undefined) {
          this.#files.set(path, this.#files.get(pathIn(root, linkTo)));
          this.#names.push(pathIn(upper, operation.path));
          return this.#put(directory, path, target, operation, async (temporary) =>
            fs.linkSync(systemPath(pathIn(root, linkTo)), systemPath(temporary)),
          );
        }
        const source = pathIn(upper, operation.path);
        const { hash, isClean = false } = this.#sources.get(operation) ?? {};
        if (!isClean || !this.#move(source, path, target, operation))
          await this.#put(directory, path, target, operation, async (temporary) => {
            await copyBytes(source, temporary);
            dressFile(temporary, operation);
          });
        const { size, mtimeMs } = fs.lstatSync(systemPath(target));
        this.#files.set(path, hash === undefined ? undefined : { size, mtimeMs, hash });
      }
    }
  }

  /** The layer goes after the commit, so its file can become the workspace's. False where that is not possible. */
  #move(source: string, path: string, target: string, operation: Operation & { readonly kind: "file" }): boolean {
    dressFile(source, operation);
    try {
      if (operation.seen === undefined) {
        fs.linkSync(systemPath(source), systemPath(target));
        this.#names.push(source);
      } else {
        this.#refuseMoved(path, target, operation);
        fs.renameSync(systemPath(source), systemPath(target));
      }
      return true;
    } catch (error) {
      const code = errnoOf(error);
      if (code === "EEXIST") throw new MovedMeanwhile(path);
      if (code !== undefined && unmovable.has(code)) return false;
      throw error;
    }
  }

  /** A new name never covers what appeared there meanwhile; an old one is covered only while it is what was seen. */
  async #put(
    directory: HeldDirectory,
    path: string,
    target: string,
    operation: Operation,
    make: (temporary: string) => Promise<void>,
  ): Promise<void> {
    const temporary = directory.at(temporaryName());
    try {
      await make(temporary);
      if (operation.seen === undefined) {
        linkNew(path, temporary, target);
        return;
      }
      this.#refuseMoved(path, target, operation);
      fs.renameSync(systemPath(temporary), systemPath(target));
      // Two names of one file: the kernel takes the rename for done and leaves both.
      if (operation.kind === "file" && operation.linkTo !== undefined) fs.rmSync(systemPath(temporary), { force: true });
    } catch (error) {
      fs.rmSync(systemPath(temporary), { force: true });
      throw error;
    }
  }

  /** No wait may come between this look and the change. */
  #refuseMoved(path: string, target: string, { seen }: Operation): void {
    const now = look(target);
    const isShared = seen !== undefined && seen.nlink > 1;
    // A change under one name shows in the times of the file under every other.
    const fits = isShared && this.#shared.has(seen.ino) ? now?.ino === seen.ino : stillSeen(seen, now);
    if (!fits) throw new MovedMeanwhile(path);
    if (isShared) this.#shared.add(seen.ino);
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

function linkNew(path: string, temporary: string, target: string): void {
  try {
    fs.linkSync(systemPath(temporary), systemPath(target));
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EEXIST") throw new MovedMeanwhile(path);
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS" && code !== "EMLINK") throw error;
    if (look(target) !== undefined) throw new MovedMeanwhile(path);
    return fs.renameSync(systemPath(temporary), systemPath(target));
  }
  fs.unlinkSync(systemPath(temporary));
}

/** Another file system, one without links, somebody else's file, or a directory of the layer that the command closed. */
const unmovable: ReadonlySet<string> = new Set(["EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP", "ENOSYS"]);

async function copyBytes(source: string, temporary: string): Promise<void> {
  const stats = fs.lstatSync(systemPath(source));
  makeReadable(source, stats.mode);
  if (isSparse(stats)) return copySparse(source, temporary);
  if (stats.size > inMemoryBytes)
    return copyFile(systemPath(source), systemPath(temporary), fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
  fs.writeFileSync(systemPath(temporary), fs.readFileSync(systemPath(source)), { flag: "wx", mode: 0o600 });
}

/** A file of the layer mostly is dressed already: one look instead of four calls, ten thousand times. */
function dressFile(path: string, operation: Dress & { readonly mode: number }): void {
  const now = fs.lstatSync(systemPath(path), { bigint: true });
  own(path, operation, { uid: Number(now.uid), gid: Number(now.gid) });
  // Another owner clears some bits.
  if (Number(now.mode) % 0o10000 !== operation.mode || Number(now.uid) !== operation.uid) setMode(path, operation.mode);
  if (!isSameTime(now.mtimeNs.toString(), operation.mtimeNs)) setTime(path, operation.mtimeNs);
}

/** Only root can give files away; anybody else's are their own. */
function own(path: string, { uid, gid }: Dress, now: Pick<fs.Stats, "uid" | "gid"> = fs.lstatSync(systemPath(path))): void {
  if (process.getuid?.() !== 0) return;
  if (now.uid !== uid || now.gid !== gid) fs.lchownSync(systemPath(path), uid, gid);
}
