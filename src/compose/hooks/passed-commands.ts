/** Commands that a hook has let pass, until the capturing shell takes them: bound to text, directory and session. */
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { listNames, readJsonFile, removeFile, replaceBytes, takeFile } from "../../host/index.ts";

export interface PassedCommand {
  readonly sessionId: string;
  readonly callId: string;
  readonly agent: string;
  readonly workspace: string;
}

interface Kept extends PassedCommand {
  readonly time: number;
}

/** A command that its agent did not start by then, it refused itself. */
const keptMs = 24 * 3600 * 1000;

export async function passCommand(home: string, cwd: string, command: string, passed: PassedCommand): Promise<void> {
  const folder = folderOf(home, cwd, command);
  for (const { path, kept } of await keptIn(folder)) if (kept.time < Date.now() - keptMs) await removeFile(path);
  const kept: Kept = { ...passed, time: Date.now() };
  await replaceBytes(join(folder, `${randomUUID()}.json`), Buffer.from(JSON.stringify(kept)), 0o600);
}

/** The newest one; each is taken once, by whoever is first. */
export async function takeCommand(home: string, cwd: string, command: string): Promise<PassedCommand | undefined> {
  const found = await keptIn(folderOf(home, cwd, command));
  for (const { path } of found.sort((a, b) => b.kept.time - a.kept.time)) {
    const taken = await takeFile(path);
    if (taken !== undefined) return JSON.parse(taken.toString("utf8")) as PassedCommand;
  }
  return undefined;
}

async function keptIn(folder: string): Promise<{ readonly path: string; readonly kept: Kept }[]> {
  const files = (await listNames(folder)).filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
  const read = await Promise.all(files.map(async (path) => ({ path, file: await readJsonFile(path) })));
  return read.flatMap(({ path, file }) => (file.kind === "json" ? [{ path, kept: file.value as unknown as Kept }] : []));
}

function folderOf(home: string, cwd: string, command: string): string {
  return join(home, "hooks", "commands", createHash("sha256").update(`${cwd}\0${command}`).digest("hex").slice(0, 32));
}
