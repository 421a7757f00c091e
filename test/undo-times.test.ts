/** Undo gives modification times back, of files, links and the directories around them, and leaves those that somebody changed since. */
import { execFileSync } from "node:child_process";
import { appendFileSync, lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { capturingHere, treeOf } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";

const seed = `mkdir -p src/deep; echo a > a.txt; echo b > src/b.txt; ln -s a.txt link; echo deep > src/deep/file
touch -h -d '2020-01-02 03:04:05.123456789' link; find . -depth ! -name link -exec touch -d '2020-01-02 03:04:05.123456789' {} +`;

async function planted() {
  const workspace = realpathSync(await temporaryDirectory());
  execFileSync("bash", ["-c", seed], { cwd: workspace });
  const { engine } = await testEngine({ workspace });
  return { workspace, session: await engine.openSession(), tree: () => treeOf(workspace, { times: "changed" }) };
}

it("after the undo of a file tool a tree with its times is as before", async () => {
  const { session, tree } = await planted();
  const before = tree();
  await session.call("Edit", { file_path: "a.txt", old_string: "a", new_string: "changed" });
  await session.call("Write", { file_path: "new/below/file", content: "x" });
  await session.call("Write", { file_path: "src/c.txt", content: "x" });
  expect(tree()).not.toEqual(before);
  const { status } = await session.undo({ last: 3 });
  expect({ status, tree: tree() }).toEqual({ status: "ok", tree: before });
});

it.skipIf(!holds)(
  `after the undo of a command a tree with its times is as before, and undoing that undo gives the command's times${why}`,
  async () => {
    const { session, tree } = await planted();
    const before = tree();
    const command =
      "rm -r src/deep; echo more >> src/b.txt; touch -d 2021-01-01 a.txt; touch -h -d 2021-01-01 link; mkdir -p x/y; touch x/y/z";
    await session.call("Bash", { command });
    const after = tree();
    await session.undo({ last: 1 });
    expect(tree()).toEqual(before);
    const [undone] = await session.history();
    await session.undo(undone?.id ?? "");
    expect(tree()).toEqual(after);
  },
);

it.skipIf(!holds)(`a file that was only touched is named by the undo of the command, a directory is not${why}`, async () => {
  const { session, workspace } = await planted();
  await session.call("Bash", { command: "touch -d 2021-01-01 a.txt src" });
  const { output } = await session.undo({ last: 1 });
  expect(output.split("\n").slice(1)).toEqual([`set time of ${join(workspace, "a.txt")}`]);
});

it("a directory that somebody changed since keeps its time", async () => {
  const { session, workspace } = await planted();
  await session.call("Edit", { file_path: "src/b.txt", old_string: "b", new_string: "changed" });
  appendFileSync(join(workspace, "src", "theirs"), "x");
  const { mtimeMs } = lstatSync(join(workspace, "src"));
  const { status } = await session.undo({ last: 1 });
  expect(status).toBe("ok");
  expect(
    lstatSync(join(workspace, "src", "b.txt"))
      .mtime.toISOString()
      .slice(0, 4),
  ).toBe("2020");
  expect(lstatSync(join(workspace, "src")).mtimeMs).toBeGreaterThanOrEqual(mtimeMs);
});
