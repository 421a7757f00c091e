/**
 * Owns packs: one file among the blobs that holds the short contents of many before-images one after the other. Ten thousand
 * files of their own would take longer to make than everything else a command does. A pack is written once and never changed;
 * whoever reads from it compares the hash.
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import type { Packed } from "../../contract/index.ts";
import { fsync } from "./calls.ts";
import { sha256 } from "./replace.ts";

const bufferedBytes = 1 << 20;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

export class PackWriter {
  readonly #directory: string;
  readonly #name = `pack-${randomBytes(16).toString("hex")}`;
  readonly #pieces: Uint8Array[] = [];
  #buffered = 0;
  #length = 0;
  #fd: number | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  add(bytes: Uint8Array): Packed {
    const at = this.#length;
    this.#pieces.push(bytes);
    this.#buffered += bytes.byteLength;
    this.#length += bytes.byteLength;
    if (this.#buffered > bufferedBytes) this.#flush();
    return { file: this.#name, at };
  }

  /** Everything added is in the file when it resolves; with `durable` also on disk. */
  async end(durable: boolean): Promise<void> {
    if (this.#length === 0) return;
    this.#flush();
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd === undefined) return;
    if (!durable) return fs.closeSync(fd);
    // Side by side: a file system answers several with one write of its log.
    const places = [this.#directory, join(this.#directory, "..")].map((place) => fs.openSync(place, "r"));
    const synced = await Promise.allSettled([fd, ...places].map((one) => fsync(one)));
    for (const one of [fd, ...places]) fs.closeSync(one);
    const failed = synced.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #flush(): void {
    this.#fd ??= this.#create();
    const bytes = Buffer.concat(this.#pieces.splice(0));
    this.#buffered = 0;
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(this.#fd, bytes, written);
  }

  #create(): number {
    fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    return fs.openSync(join(this.#directory, this.#name), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_NOFOLLOW, 0o600);
  }
}

/** `undefined` if the pack is gone, too short, or does not hold these bytes there. */
export function readPacked(directory: string, { file, at }: Packed, size: number, hash: string): Buffer | undefined {
  if (!/^pack-[0-9a-f]{32}$/.test(file)) throw new TypeError(`not a pack: ${JSON.stringify(file)}`);
  let fd: number;
  try {
    fd = fs.openSync(join(directory, file), "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.allocUnsafe(size);
    for (let read = 0; read < size; ) {
      const count = fs.readSync(fd, bytes, read, size - read, at + read);
      if (count === 0) return undefined;
      read += count;
    }
    return sha256(bytes) === hash ? bytes : undefined;
  } finally {
    fs.closeSync(fd);
  }
}
