/** A real engine on temporary directories, for tests that span rooms. */
import { mkdtemp, readdir, readFile, readlink, realpath, rm, stat } from "node:fs/promises";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { WiredEngine } from "../../src/compose/index.ts";
import { createEngine, type EngineOptions } from "../../src/index.ts";

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "karyi-test-"));
  // A process that a test left behind may end, and clean up, at the same moment.
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** Outside of the temporary directories, which are a session's own for its commands, wherever the home or this tree lies. */
export async function outsideDirectory(): Promise<string> {
  const isOwn = (place: string) => ["/tmp", "/var/tmp"].some((name) => place === name || place.startsWith(`${name}/`));
  for (const place of [homedir(), userInfo().homedir, "/opt", "/srv", "/var/lib", join(import.meta.dirname, "../../..")]) {
    const directory = await made(place);
    if (directory === undefined) continue;
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    if (!isOwn(directory)) return directory;
  }
  throw new Error("no place outside of the temporary directories can be written here");
}

async function made(place: string): Promise<string | undefined> {
  try {
    return await realpath(await mkdtemp(join(place, "karyi-test-")));
  } catch {
    return undefined;
  }
}

export interface TestEngine {
  readonly engine: WiredEngine;
  readonly workspace: string;
  readonly home: string;
}

/** Everything that asks is approved once, unless the options say otherwise. */
export async function testEngine(options: EngineOptions = {}): Promise<TestEngine> {
  const workspace = options.workspace ?? (await temporaryDirectory());
  const home = options.home ?? (await temporaryDirectory());
  const engine = await createEngine({ approve: "once", ...options, workspace, home });
  onTestFinished(() => engine.close());
  return { engine, workspace, home };
}

/** Every path below a directory with its kind, mode and content: two equal trees are the same byte for byte. */
export async function treeOf(directory: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  const visit = async (relative: string) => {
    for (const entry of await readdir(join(directory, relative), { withFileTypes: true })) {
      const name = join(relative, entry.name);
      const path = join(directory, name);
      if (entry.isSymbolicLink()) tree[name] = `link ${await readlink(path)}`;
      else if (entry.isDirectory()) {
        tree[`${name}/`] = "directory";
        await visit(name);
      } else tree[name] = `file ${((await stat(path)).mode & 0o7777).toString(8)} ${(await readFile(path)).toString("base64")}`;
    }
  };
  await visit("");
  return tree;
}
