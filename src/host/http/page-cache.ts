/**
 * Pages that were fetched a moment ago, for every process of this home: a file each, a line of facts above the body.
 * Private files; a damaged or old one is as good as none. Refuses to grow beyond its quota.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HttpAnswer } from "../../contract/index.ts";

const lifetimeMs = 15 * 60_000;
const quotaBytes = 256 << 20;
const sweepEveryMs = 60_000;

export type Kept = Pick<HttpAnswer, "url" | "redirects" | "status" | "headers" | "body" | "truncated" | "proxy"> & {
  /** What each host on the way resolved to, first the one that was asked; empty where a proxy chose. */
  readonly addresses: readonly (readonly string[])[];
};

export class PageCache {
  readonly #directory: string;
  readonly #now: () => number;
  #sweptAt = 0;

  constructor(directory: string, now: () => number) {
    this.#directory = directory;
    this.#now = now;
  }

  async get(url: string): Promise<Kept | undefined> {
    const file = this.#fileOf(url);
    // Most pages are asked for once: looking costs far less than a file that fails to open.
    if (!existsSync(file)) return undefined;
    try {
      const bytes = await readFile(file);
      const end = bytes.indexOf(10);
      const { time, asked, ...facts } = JSON.parse(bytes.toString("utf8", 0, end)) as Omit<Kept, "body"> & { time: number; asked: string };
      const age = this.#now() - time;
      return asked === url && age >= 0 && age < lifetimeMs ? { ...facts, body: bytes.subarray(end + 1) } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeping is a courtesy: a full disk costs the next caller a request, nothing more. */
  async put(asked: string, { body, ...facts }: Kept): Promise<void> {
    const head = JSON.stringify({ ...facts, time: this.#now(), asked });
    const file = this.#fileOf(asked);
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await writeFile(draft, Buffer.concat([Buffer.from(`${head}\n`), body]), { mode: 0o600 });
      await rename(draft, file);
      await this.#sweep();
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#now();
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    const names = await readdir(this.#directory);
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#directory, name);
        const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
        return { path, size, mtimeMs };
      }),
    );
    files.sort((a, b) => b.mtimeMs - a.mtimeMs);
    let kept = 0;
    for (const { path, size, mtimeMs } of files) {
      kept += size;
      if (now - mtimeMs > lifetimeMs || kept > quotaBytes) await rm(path, { force: true });
    }
  }

  #fileOf(url: string): string {
    return join(this.#directory, createHash("sha256").update(url).digest("hex"));
  }
}
