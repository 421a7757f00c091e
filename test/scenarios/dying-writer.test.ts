/** A file with a second name is written in place; a process that dies in the middle of it leaves the next one to put it right. */
import { spawnSync } from "node:child_process";
import { linkSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createEngine } from "../../src/index.ts";

function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "karyi-dying-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it("half an edit of a file with two names is gone after the next start, and nothing of it is called done", async () => {
  const workspace = directory();
  const home = directory();
  const head = "kept\n".repeat(40);
  const text = head + "old text\n".repeat(80_000);
  writeFileSync(join(workspace, "x"), text);
  linkSync(join(workspace, "x"), join(workspace, "y"));
  const child = join(import.meta.dirname, "dying-writer.child.mjs");
  const { signal, stderr } = spawnSync(process.execPath, [child, workspace, home, String(head.length)], { encoding: "utf8" });
  expect([signal, stderr]).toEqual(["SIGKILL", ""]);
  const torn = readFileSync(join(workspace, "x"), "utf8");
  expect([torn.includes("new text"), torn.includes("old text")]).toEqual([true, true]);

  const engine = await createEngine({ workspace, home, mode: "accept-edits", env: {} });
  onTestFinished(() => engine.close());
  expect(readFileSync(join(workspace, "x"), "utf8")).toBe(text);
  expect(statSync(join(workspace, "x")).ino).toBe(statSync(join(workspace, "y")).ino);
  expect(readdirSync(workspace).sort()).toEqual(["x", "y"]);
  expect(await engine.call("half")).toMatchObject({
    status: "failed",
    result: { status: "error", undoable: false, error: { details: { reason: "outcome_unknown" } } },
  });
});
