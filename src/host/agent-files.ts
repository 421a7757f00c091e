/** Files of other agents that Karyi is put under: their settings, written in place; a shell of ours; a program run as it is. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { spawn } from "./spawn.ts";

/** `undefined` if there is none. */
export async function readBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** What an agent wrote on stdin. At once: it has that ready, and a stream takes longer to set up. Where the other end does not block it is one. */
export async function readPayload(): Promise<string> {
  try {
    return readFileSync(0, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
  }
}

/** Whole or not at all; a link stays a link, and the mode is kept. */
export async function replaceBytes(path: string, bytes: Uint8Array, mode?: number): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await mkdir(dirname(target), { recursive: true });
  const kept =
    mode ??
    (await stat(target).then(
      (found) => found.mode & 0o7777,
      () => 0o600,
    ));
  const draft = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(draft, bytes, { mode: kept, flag: "wx" });
    await rename(draft, target);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Empty if there is no such folder. */
export async function listNames(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((): string[] => []);
}

/** Takes away what was written before then. Refuses nothing: what is gone by itself, or cannot be removed, is left. */
export async function sweepOlder(folder: string, olderThan: number): Promise<void> {
  for (const name of await listNames(folder)) {
    const path = join(folder, name);
    const written = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (written < olderThan) await rm(path, { force: true }).catch(() => {});
  }
}

/** Takes a file away and answers what it held; `undefined` if somebody else was faster. */
export async function takeFile(path: string): Promise<Buffer | undefined> {
  const mine = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await rename(path, mine);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const bytes = await readFile(mine);
  await unlink(mine);
  return bytes;
}

/** In a session of its own, with nothing of this one's streams; this process does not wait for it. */
export function startApart(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { cwd: "/", env: process.env, ownGroup: true, stdio: ["ignore", "ignore", "ignore"] });
  child.once("error", () => {});
  child.unref();
}

/** With the streams of this process; answers its exit code. */
export function runAsItIs(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: process.env, stdio: ["inherit", "inherit", "inherit"] });
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}
