/** What the result of a command tells about capture: the tier, what undo can give back, and what could not be kept. */
import { readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { testEngine } from "./support/engine.ts";
import { closedGate } from "./support/gate.ts";

const [tier] = await capturingHere();
const why = tier === undefined ? " (skipped: no overlay here)" : "";

it.skipIf(tier === undefined)(`which guarantee held, and what was left out${why}`, { timeout: 60_000 }, async () => {
  const { engine, workspace } = await testEngine();
  const session = await engine.openSession();
  const socket = `require("net").createServer().listen("s", () => process.kill(process.pid, "SIGKILL"))`;
  const done = await session.call("Bash", { command: `mkfifo pipe; echo x > x; node -e '${socket}'; true` });
  expect(done).toMatchObject({
    status: "ok",
    undoable: true,
    data: { tier, undo: { guarantee: "layer" }, left_out: [join(workspace, "s")] },
  });
  expect((await readdir(workspace)).sort()).toEqual(["pipe", "x"]);
  expect((await session.undo(done.callId)).status).toBe("ok");
  expect(await readdir(workspace)).toEqual([]);
});

it.skipIf(tier === undefined)(
  `what git runs or obeys later is named, samples and a new repository are not${why}`,
  { timeout: 60_000 },
  async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    expect((await session.call("Bash", { command: "git init -q ." })).output).toBe("(no output)");
    const command = `git config user.name x; node -e 'require("fs").writeFileSync(".git/hooks/pre-commit", "echo hi")'; echo '{}' > package.json`;
    const planned = await session.call("Bash", { command }, { dryRun: true });
    expect(planned.output).toContain(
      "  + .git/hooks/pre-commit  (! can act later by itself)\n  + package.json  (! can act later by itself)\n",
    );
    const done = await session.call("Bash", { command });
    expect(done.output).toBe("[changed what git runs or obeys later: .git/config, .git/hooks/pre-commit]");
    expect(done.data).toMatchObject({ changes: [{ risky: true }, { risky: true }, { risky: true }] });
  },
);

it.skipIf(tier === undefined)(
  `what a command printed is told also where its changes could not be made${why}`,
  { timeout: 60_000 },
  async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    const gate = await closedGate();
    const command = `echo mine > shared; echo started; ${gate.wait}`;
    let edited = false;
    const onProgress = () => {
      if (edited) return;
      edited = true;
      writeFileSync(join(workspace, "shared"), "theirs\n");
      gate.open();
    };
    const refused = await session.call("Bash", { command }, { onProgress });
    expect(refused).toMatchObject({ status: "error", error: { code: "tool_conflict", details: { reason: "workspace_changed" } } });
    expect(refused.output).toMatch(/^started\n/);
    expect(readFileSync(join(workspace, "shared"), "utf8")).toBe("theirs\n");
  },
);
