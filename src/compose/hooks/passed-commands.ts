/**
 * Commands that a hook has let pass, until the capturing shell takes them: bound to text, directory and session. All are in one
 * folder, and a file's name says of which command and when, so that nothing is read but what is taken.
 */
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { listNames, removeFile, replaceBytes, takeFile } from "../../host/index.ts";

export interface PassedCommand {
  readonly sessionId: string;
  readonly callId: string;
  readonly agent: string;
  readonly workspace: string;
}

/** A command that its agent did not start by then, it refused itself. */
const keptMs = 24 * 3600 * 1000;
/** Its command, when it passed, and what makes it the only one. */
const nameForm = /^([0-9a-f]{32})-(\d+)-[0-9a-f-]+\.json$/;

export async function passCommand(home: string, cwd: string, command: string, passed: PassedCommand): Promise<void> {
  const now = Date.now();
  for (const { path, time } of await passedIn(home)) if (time < now - keptMs) await removeFile(path);
  const name = `${digestOf(cwd, command)}-${now}-${randomUUID()}.json`;
  await replaceBytes(join(folderOf(home), name), Buffer.from(JSON.stringify(passed)), 0o600);
}

/** The newest one; each is taken once, by whoever is first. */
export async function takeCommand(home: string, cwd: string, command: string): Promise<PassedCommand | undefined> {
  const digest = digestOf(cwd, command);
  const found = (await passedIn(home)).filter((other) => other.digest === digest);
  for (const { path } of found.sort((a, b) => b.time - a.time)) {
    const taken = await takeFile(path);
    if (taken !== undefined) return JSON.parse(taken.toString("utf8")) as PassedCommand;
  }
  return undefined;
}

async function passedIn(home: string): Promise<{ readonly path: string; readonly digest: string; readonly time: number }[]> {
  const folder = folderOf(home);
  return (await listNames(folder)).flatMap((name) => {
    const [, digest, time] = nameForm.exec(name) ?? [];
    return digest === undefined ? [] : [{ path: join(folder, name), digest, time: Number(time) }];
  });
}

const folderOf = (home: string) => join(home, "hooks", "passed");

function digestOf(cwd: string, command: string): string {
  return createHash("sha256").update(`${cwd}\0${command}`).digest("hex").slice(0, 32);
}
