/**
 * Karyi's own small JSON files (config, project trust): read whole, written atomically with mode 0600.
 * A file that cannot be read is never overwritten: it is set aside and said so.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { appendFile, mkdir, open, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Json } from "../contract/index.ts";

const maxBytes = 16 * 1024 * 1024;

export type JsonFile =
  | { readonly kind: "absent" }
  | { readonly kind: "json"; readonly value: Json; readonly text: string }
  | { readonly kind: "damaged"; readonly message: string };

export async function readJsonFile(path: string): Promise<JsonFile> {
  let text: string;
  try {
    text = await readRegular(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "absent" } : { kind: "damaged", message };
  }
  try {
    return { kind: "json", value: JSON.parse(text.replace(/^\uFEFF/, "")) as Json, text };
  } catch (error) {
    return { kind: "damaged", message: (error as Error).message };
  }
}

/** A project's config may be anything: a pipe must not hang the start, a device not fill the memory. */
async function readRegular(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error("it is no regular file");
    if (stat.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

export async function writeJsonFile(path: string, value: Json): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Moves a damaged file out of the way and answers its new name. */
export async function setAside(path: string, now: number): Promise<string> {
  const aside = `${path}.damaged-${now}`;
  await rename(path, aside);
  return aside;
}

/** A text file that the person named, whole. */
export function readTextFile(path: string): Promise<string> {
  return readFile(path, "utf8");
}

export async function appendTextFile(path: string, text: string): Promise<void> {
  await appendFile(path, text);
}

/** Writes a text where the person wants it; parents must exist. */
export async function writeTextFile(path: string, text: string): Promise<void> {
  await writeFile(path, text);
}
