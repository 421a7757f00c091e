/** Files of one folder, read whole and kept in memory; a path that leaves the folder, or that links lead out of it, is not found. */
import { readFile, realpath, stat } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";

export interface StaticFile {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Its name changes with its content. */
  readonly immutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

export class StaticFiles {
  readonly #directory: string;
  readonly #kept = new Map<string, { readonly stamp: number; readonly file: StaticFile }>();

  constructor(directory: string) {
    this.#directory = resolve(directory);
  }

  async read(path: string): Promise<StaticFile | undefined> {
    const type = types[extname(path).toLowerCase()];
    if (type === undefined || path.includes("\0") || path.split(/[/\\]/).some((part) => part.startsWith("."))) return undefined;
    try {
      const root = await realpath(this.#directory);
      const real = await realpath(join(root, path));
      if (!real.startsWith(`${root}${sep}`)) return undefined;
      const { mtimeMs } = await stat(real);
      const known = this.#kept.get(real);
      if (known?.stamp === mtimeMs) return known.file;
      const file = { bytes: await readFile(real), type, immutable: /-[A-Za-z0-9_-]{8,}\.\w+$/.test(path) };
      this.#kept.set(real, { stamp: mtimeMs, file });
      return file;
    } catch {
      return undefined;
    }
  }
}
