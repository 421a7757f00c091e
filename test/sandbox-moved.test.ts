/** A captured command that the budget moved to the background: committed when it ends, and as if it had never run after a crash. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import type { SessionHandle } from "../src/index.ts";
import { outsideDirectory, temporaryDirectory, testEngine } from "./support/engine.ts";
import { closedGate } from "./support/gate.ts";

const holds = (await capturingHere()).length > 0;
const full = process.env.KARYI_FULL === "1";
const why = holds ? "" : " (skipped: no overlay here)";

/** Of all processes. */
function commandLines(): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(join("/proc", name, "cmdline"), "utf8")] : [];
    } catch {
      return [];
    }
  });
}

async function ended(session: SessionHandle): Promise<void> {
  for (let status = "in_progress"; status === "in_progress"; )
    status = ((await session.call("TaskOutput", { id: "bg_task_1", wait_ms: 5_000 })).data as { status: string }).status;
}

it.skipIf(!holds)(
  `what it changed arrives at its end, journaled under its call: undo takes it back${why}`,
  { timeout: 30_000 },
  async () => {
    const { engine, workspace } = await testEngine({ config: { foregroundBudgetMs: 200 } });
    const gate = await closedGate();
    await writeFile(join(workspace, "old"), "old\n");
    const session = await engine.openSession();
    const command = `echo early > early; rm old; ${gate.wait}; echo late > late`;
    const result = await session.call("Bash", { command });
    expect(result.output).toContain("moved to the background as bg_task_1");
    expect(await readdir(workspace)).toEqual(["old"]);
    gate.open();
    await ended(session);
    expect((await readdir(workspace)).sort()).toEqual(["early", "late"]);
    expect(await session.undo(result.callId)).toMatchObject({ status: "ok" });
    expect(await readdir(workspace)).toEqual(["old"]);
    expect(await readFile(join(workspace, "old"), "utf8")).toBe("old\n");
  },
);

it.skipIf(!holds || !full)(
  `a process that is killed meanwhile leaves the workspace as it was, no layer, and after the next start no command${full ? why : " (skipped: a long start, with KARYI_FULL=1)"}`,
  { timeout: 120_000 },
  async () => {
    const [workspace, home, shared] = [await temporaryDirectory(), await temporaryDirectory(), await outsideDirectory()];
    await writeFile(join(workspace, "old"), "old\n");
    const command = `rm old; echo half > half; while [ -d '${shared}' ]; do sleep 0.05; done`;
    const child = spawn(
      process.execPath,
      [
        ...["--import", resolve(import.meta.dirname, "support/ts-register.mjs")],
        ...[join(import.meta.dirname, "sandbox-moved.child.mjs"), workspace, home, command],
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    expect(said.toString()).toContain("moved to the background");
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    const { engine } = await testEngine({ workspace, home });
    expect(await readdir(workspace)).toEqual(["old"]);
    expect((await readdir(join(home, "sandbox"))).filter((name) => name.length === 16)).toEqual([]);
    expect((await (await engine.openSession()).call("TaskList", {})).output).toContain("bg_task_1");
    // Killed already; it takes the kernel a moment.
    while (commandLines().some((line) => line.includes(shared))) await new Promise((next) => setImmediate(next));
  },
);
