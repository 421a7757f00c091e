/** A real engine on temporary directories, for tests that span rooms. */
import { mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createEngine, type EngineOptions, type KaryiEngine } from "../../src/index.ts";

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "karyi-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export interface TestEngine {
  readonly engine: KaryiEngine;
  readonly workspace: string;
  readonly home: string;
}

/** Everything that asks is approved once, unless the options say otherwise. */
export async function testEngine(options: EngineOptions = {}): Promise<TestEngine> {
  const workspace = options.workspace ?? (await temporaryDirectory());
  const home = options.home ?? (await temporaryDirectory());
  const engine = await createEngine({ approve: async () => "once", ...options, workspace, home });
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
