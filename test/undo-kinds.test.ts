/** Undo where the kind of a path changed: a file stands where a directory was, and the other way round. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createEngine } from "../src/index.ts";

it("brings a directory back where a file stands, and a file where a directory stands", { timeout: 30_000 }, async () => {
  const base = await mkdtemp(join(tmpdir(), "karyi-kinds-"));
  const workspace = join(base, "work");
  await mkdir(join(workspace, "d"), { recursive: true });
  await writeFile(join(workspace, "d", "f"), "inside\n");
  await writeFile(join(workspace, "a.txt"), "one\n");
  const engine = await createEngine({ workspace, home: join(base, "home"), approve: async () => "once" });
  try {
    const session = await engine.openSession();
    const done = await session.call("Bash", { command: "rm -r d; echo file > d; rm a.txt; mkdir a.txt; touch a.txt/x" });
    expect({ status: done.status, undoable: done.undoable }).toEqual({ status: "ok", undoable: true });
    expect((await session.undo(done.callId)).status).toBe("ok");
    expect((await readdir(workspace)).sort()).toEqual(["a.txt", "d"]);
    expect(await readFile(join(workspace, "d", "f"), "utf8")).toBe("inside\n");
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("one\n");
  } finally {
    await engine.close();
    await rm(base, { recursive: true, force: true });
  }
});
