/** A person's edit that falls into an undo: each file is compared at the moment it is replaced. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import type { Result } from "../src/index.ts";
import { testEngine, treeOf } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";

/** `meanwhile` runs once: when the undo has looked at everything and announced itself, before its first change. */
async function undone(files: Record<string, string>, patch: readonly string[], meanwhile: (workspace: string) => void) {
  const { engine, workspace } = await testEngine({ mode: "accept-edits" });
  const session = await engine.openSession();
  for (const [file, text] of Object.entries(files)) writeFileSync(join(workspace, file), text);
  const before = await treeOf(workspace);
  const input = { patch: ["*** Begin Patch", ...patch, "*** End Patch"].join("\n") };
  expect(await session.call("ApplyPatch", input, { callId: "done" })).toMatchObject({ status: "ok" });
  const stop = engine.onEvent(({ type, body }) => {
    if (type !== "tool_call" || (body as { tool?: string }).tool !== "Undo") return;
    stop();
    meanwhile(workspace);
  });
  const result = await session.undo("done");
  const text = (file: string) => readFileSync(join(workspace, file), "utf8");
  return { session, workspace, before, result, text };
}

const named = ({ error }: Result): readonly string[] => ((error?.details?.paths ?? []) as string[]).toSorted();
const update = (file: string) => [`*** Update File: ${file}`, "@@", "-old", "+new"];

describe("an edit during an undo", () => {
  it("what somebody changed meanwhile stays and is named, the others are back", async () => {
    const { session, workspace, before, result, text } = await undone(
      { a: "old\n", b: "old\n", c: "old\n", gone: "old\n" },
      [
        ...update("a"),
        ...update("b"),
        ...update("c"),
        "*** Delete File: gone",
        "*** Add File: made",
        "+made",
        "*** Add File: also",
        "+also",
      ],
      (at) => {
        writeFileSync(join(at, "b"), "theirs in b\n");
        writeFileSync(join(at, "made"), "theirs in made\n");
        writeFileSync(join(at, "gone"), "theirs in gone\n");
      },
    );
    const kept = ["b", "gone", "made"].map((file) => join(workspace, file));
    expect(result).toMatchObject({ status: "error", error: { code: "tool_conflict", details: { reason: "changed_meanwhile" } } });
    expect(named(result)).toEqual(kept);
    const { changes } = result.data as { changes: { path: string; change: string }[] };
    expect(changes.map(({ path }) => path).sort()).toEqual(["a", "also", "c"].map((file) => join(workspace, file)));
    const theirs = { b: "theirs in b\n", gone: "theirs in gone\n", made: "theirs in made\n" };
    expect(Object.fromEntries(Object.keys(await treeOf(workspace)).map((file) => [file, text(file)]))).toEqual({
      a: "old\n",
      c: "old\n",
      ...theirs,
    });
    // Neither undoing the undo nor the undo once more covers them without a word; with force everything is as before the call.
    for (const callId of [result.callId, "done"]) {
      const again = await session.undo(callId);
      expect(again).toMatchObject({ status: "error", error: { details: { reason: "changed_since" } } });
      expect(named(again)).toEqual(kept);
    }
    expect(await session.undo("done", { force: true })).toMatchObject({ status: "ok" });
    expect(await treeOf(workspace)).toEqual(before);
  });

  it("another file of the same size and time under the name counts as changed", async () => {
    const { result, text } = await undone({ a: "old\n" }, update("a"), (at) => {
      const { atimeMs, mtimeMs } = statSync(join(at, "a"));
      writeFileSync(join(at, "other"), "own\n");
      utimesSync(join(at, "other"), atimeMs / 1000, mtimeMs / 1000);
      renameSync(join(at, "other"), join(at, "a"));
    });
    expect([result.error?.details?.reason, text("a")]).toEqual(["changed_meanwhile", "own\n"]);
  });

  it("a file that was only touched meanwhile is nobody's work", async () => {
    const { result, workspace, before } = await undone({ a: "old\n", b: "old\n" }, [...update("a"), ...update("b")], (at) =>
      utimesSync(join(at, "a"), 1_000_000, 1_000_000),
    );
    expect(result.status).toBe("ok");
    expect(await treeOf(workspace)).toEqual(before);
  });
});

describe.skipIf(!holds)(`an undo of a command${why}`, () => {
  it("what stands where a directory should come back stays, and nothing is put below it", async () => {
    const { engine, workspace } = await testEngine({ mode: "accept-edits" });
    const session = await engine.openSession();
    mkdirSync(join(workspace, "d"));
    writeFileSync(join(workspace, "d", "f"), "old\n");
    writeFileSync(join(workspace, "a"), "old\n");
    const before = await treeOf(workspace);
    const done = await session.call("Bash", { command: "rm -r d; echo new > a" });
    expect(done).toMatchObject({ status: "ok", undoable: true });
    const stop = engine.onEvent(({ type }) => {
      if (type === "tool_call") writeFileSync(join(workspace, "d"), "theirs\n");
    });
    const result = await session.undo(done.callId);
    stop();
    const paths = [join(workspace, "d"), join(workspace, "d", "f")];
    expect(result.error?.details).toEqual({ reason: "changed_meanwhile", paths });
    expect([readFileSync(join(workspace, "d"), "utf8"), readFileSync(join(workspace, "a"), "utf8")]).toEqual(["theirs\n", "old\n"]);
    rmSync(join(workspace, "d"));
    expect(await session.undo(done.callId)).toMatchObject({ status: "ok" });
    expect(await treeOf(workspace)).toEqual(before);
  });

  it("the names of one file and a directory behind a link are not taken for somebody's edit", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    for (const directory of ["d", "elsewhere"]) mkdirSync(join(workspace, directory));
    for (const file of ["one", "d/f", "elsewhere/f"]) writeFileSync(join(workspace, file), `in ${file}\n`);
    linkSync(join(workspace, "one"), join(workspace, "two"));
    symlinkSync("elsewhere", join(workspace, "l"));
    const before = await treeOf(workspace);
    const command = "echo more >> one; rm -r d; ln -s src d; rm l; mkdir l; echo l > l/f";
    const done = await session.call("Bash", { command });
    const after = await treeOf(workspace);
    const back = await session.undo(done.callId);
    expect(back).toMatchObject({ status: "ok" });
    expect(await treeOf(workspace)).toEqual(before);
    expect(await session.undo(back.callId)).toMatchObject({ status: "ok" });
    expect(await treeOf(workspace)).toEqual(after);
  });
});
