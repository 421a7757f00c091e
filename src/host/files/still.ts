/**
 * Tells whether a path is still what its image says, by one look and without reading it: kind, size, time, mode, owner and which file it is.
 * Refuses to change what is not: the look and the change have no wait between them.
 */
import type * as fs from "node:fs";
import type { FileImage } from "../../contract/index.ts";
import { direct } from "./calls.ts";
import { ownMode } from "./closed.ts";
import { isMissing } from "./failures.ts";
import { isSameTime, timeOf } from "./times.ts";

/** Somebody was faster. */
export class MovedMeanwhile extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} changed meanwhile`);
    this.path = path;
  }
}

/** What must be at a path when it changes. Whoever does not mind what is there has none. */
export class Expectation {
  readonly #path: string;
  #image: FileImage;
  readonly #shared: Set<string>;

  /** `shared`: files with several names that the same batch has changed already, under another name. */
  constructor(path: string, image: FileImage, shared: Set<string>) {
    this.#path = path;
    this.#image = image;
    this.#shared = shared;
  }

  /** No wait may come between this and the change. */
  refuseMoved(target: string): void {
    if (!this.#fits(target, lookNow(target))) throw new MovedMeanwhile(this.#path);
  }

  /** Somebody put something into a directory that has to go. */
  refuseFilled(): never {
    throw new MovedMeanwhile(this.#path);
  }

  /** The change itself has cleared the place. */
  cleared(): void {
    this.#image = { kind: "absent" };
  }

  #fits(target: string, now: fs.Stats | undefined): boolean {
    const image = this.#image;
    if (now === undefined) return image.kind === "absent";
    const isOwned = !("uid" in image) || image.uid === undefined || (image.uid === now.uid && image.gid === now.gid);
    switch (image.kind) {
      case "file":
        if (!now.isFile() || (image.inode !== undefined && image.inode !== inodeOf(now))) return false;
        if (now.nlink > 1 && this.#shared.has(inodeOf(now))) return true;
        return isOwned && image.size === now.size && image.mtimeMs === now.mtimeMs && image.mode === (now.mode & 0o7777);
      case "directory":
        // Its time changes with every entry.
        return now.isDirectory() && isOwned && image.mode === ownMode(now);
      case "link":
        return now.isSymbolicLink() && isOwned && isSameMoment(target, image.mtimeNs);
      case "pipe":
        return now.isFIFO() && isOwned && image.mode === (now.mode & 0o7777) && isSameMoment(target, image.mtimeNs);
      case "time":
        return now.isDirectory() || (now.nlink > 1 && this.#shared.has(inodeOf(now))) || isSameMoment(target, image.mtimeNs);
      default:
        // Of a socket or a device the image says that nothing is there.
        return image.kind === "absent" && !(now.isFile() || now.isDirectory() || now.isSymbolicLink() || now.isFIFO());
    }
  }
}

export function inodeOf({ dev, ino }: fs.Stats): string {
  return `${dev}:${ino}`;
}

function lookNow(target: string): fs.Stats | undefined {
  try {
    return direct.lstat(target);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isSameMoment(target: string, mtimeNs: string | undefined): boolean {
  return mtimeNs === undefined || isSameTime(timeOf(target), mtimeNs);
}
