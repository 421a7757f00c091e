/** A command that makes, changes and removes files whose names are not UTF-8, through the whole engine. */
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { capturingHere, treeOf } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";

it.skipIf(!holds)(`names that are not UTF-8 are shown by a dry run, can be read by that name, and are undone${why}`, async () => {
  const workspace = realpathSync(await temporaryDirectory());
  execFileSync("bash", ["-c", String.raw`echo old > $'caf\xe9'; mkdir $'d\xff'; echo gone > $'d\xff/x'`], { cwd: workspace });
  const before = treeOf(workspace, { times: "changed" });
  const { engine } = await testEngine({ workspace });
  const session = await engine.openSession();
  const command = String.raw`echo new > $'caf\xe9'; rm -r $'d\xff'; touch $'\xe9'`;
  const planned = await session.call("Bash", { command }, { dryRun: true });
  const { changes } = planned.data as { changes: readonly { path: string; change: string }[] };
  expect(changes.map(({ path, change }) => `${change} ${path.slice(workspace.length + 1)}`)).toEqual([
    "modified caf\uFFFDe9",
    "deleted d\uFFFDff",
    "deleted d\uFFFDff/x",
    "created \uFFFDe9",
  ]);
  expect(treeOf(workspace, { times: "changed" })).toEqual(before);
  expect((await session.call("Bash", { command })).status).toBe("ok");
  expect((await session.call("Read", { file_path: join(workspace, "caf\uFFFDe9") })).output).toContain("new");
  expect((await session.undo({ last: 1 })).status).toBe("ok");
  expect(treeOf(workspace, { times: "changed" })).toEqual(before);
});
