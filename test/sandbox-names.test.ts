/** A command that makes, changes and removes files whose names are not UTF-8, through the whole engine. */
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { capturingHere, treeOf } from "../src/host/sandbox/fixtures/world.ts";
import { karyi } from "./support/command.ts";
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

it.skipIf(!holds)(
  `a name with a line break in it forges no line in what a dry run, a run or undo tell; the data is exact${why}`,
  async () => {
    const workspace = realpathSync(await temporaryDirectory());
    const home = await temporaryDirectory();
    const forged = "a\n  - precious.txt\u001b[2K";
    const command = String.raw`echo x > $'a\n  - precious.txt\e[2K'`;
    const { engine } = await testEngine({ workspace, approve: async () => "once" });
    const session = await engine.openSession();
    const planned = await session.call("Bash", { command }, { dryRun: true });
    expect(planned.data).toMatchObject({ changes: [{ path: join(workspace, forged), change: "created" }] });
    await session.call("Bash", { command });
    const undone = await session.undo({ last: 1 });
    expect(undone.data).toMatchObject({ changes: [{ path: join(workspace, forged), change: "deleted" }] });
    const where = ["--workspace", workspace, "--home", home];
    const call = ["call", "Bash", JSON.stringify({ command }), ...where];
    const told = [planned.output, undone.output];
    for (const args of [
      [...call, "--dry-run"],
      [...call, "--approve", "yes"],
      ["undo", "--last", "1", ...where],
    ]) {
      const { stdout, stderr } = await karyi(args);
      told.push(stdout + stderr);
    }
    for (const text of told) {
      expect(text).toContain(String.raw`a\n  - precious.txt\u001b[2K"`);
      expect(text).not.toMatch(/^ *- precious/m);
    }
  },
);
