/** Waiting for a file that another process is writing: told, limited, and a stopped process can be passed. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LockHolder, LockWait } from "../src/contract/index.ts";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { createEngine, type EngineOptions } from "../src/index.ts";
import { temporaryDirectory } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0 && process.platform === "linux";
const why = holds ? "" : " (skipped: no overlay here)";

interface Place {
  readonly workspace: string;
  readonly home: string;
}

/** A process that is stopped while it holds `s.txt`. */
async function stoppedHolder({ workspace, home }: Place): Promise<ChildProcess & { readonly pid: number }> {
  const program = join(import.meta.dirname, "lock-holder.child.mjs");
  const child = spawn(process.execPath, [program, workspace, home], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await expect.poll(() => / T /.test(readFileSync(`/proc/${child.pid}/stat`, "utf8")), { timeout: 60_000 }).toBe(true);
  return child as ChildProcess & { readonly pid: number };
}

async function place(): Promise<Place> {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  writeFileSync(join(workspace, "s.txt"), "one\n");
  return { workspace, home };
}

async function opened(at: Place, options: EngineOptions) {
  const engine = await createEngine({ ...at, mode: "accept-edits", approve: async () => "once", ...options });
  onTestFinished(() => engine.close());
  return engine.openSession({ id: "waits" });
}

describe.skipIf(!holds)(`a file that a stopped process holds${why}`, { timeout: 120_000 }, () => {
  it("the wait is told with who holds it since when, and ends at lockTimeoutMs", async () => {
    const at = await place();
    const { pid } = await stoppedHolder(at);
    const waits: LockWait[] = [];
    const session = await opened(at, { config: { lockTimeoutMs: 800 }, onLockWait: (wait) => waits.push(wait) });
    const result = await session.call("Write", { file_path: "s.txt", content: "B\n" });
    const path = join(at.workspace, "s.txt");
    expect(result).toMatchObject({
      status: "error",
      undoable: false,
      error: { code: "tool_conflict", details: { reason: "locked", path, pid, stopped: true, since: expect.any(Number) } },
    });
    expect(result.error?.hint).toContain("--steal-lock");
    expect(waits).toMatchObject([{ holder: { path, pid, stopped: true, summary: expect.stringContaining("echo two > s.txt") } }]);
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });

  it("it is passed on demand, with a warning, and the holder refuses to write over what changed", async () => {
    const at = await place();
    const holder = await stoppedHolder(at);
    const stolen: LockHolder[] = [];
    const session = await opened(at, { onLockSteal: (from) => stolen.push(from) });
    expect(await session.call("Write", { file_path: "s.txt", content: "B\n" })).toMatchObject({ status: "ok" });
    expect(stolen).toMatchObject([{ path: join(at.workspace, "s.txt"), pid: holder.pid, stopped: true }]);
    const said = new Promise<string>((resolve) => holder.stdout?.on("data", (chunk: Buffer) => resolve(chunk.toString())));
    holder.kill("SIGCONT");
    expect(JSON.parse(await said)).toEqual({ status: "error", reason: "workspace_changed" });
    expect(readFileSync(join(at.workspace, "s.txt"), "utf8")).toBe("B\n");
  });

  it("the command says whom it waits for, and --steal-lock passes a stopped process", async () => {
    const at = await place();
    const { pid } = await stoppedHolder(at);
    writeFileSync(join(at.home, "config.json"), JSON.stringify({ lockTimeoutMs: 800 }));
    const write = (...flags: string[]) =>
      spawnSync(
        process.execPath,
        [
          join(import.meta.dirname, "../bin/karyi.js"),
          "call",
          "Write",
          '{"file_path":"s.txt","content":"B"}',
          "--approve",
          "yes",
          ...flags,
        ],
        { encoding: "utf8", cwd: at.workspace, env: { ...process.env, KARYI_HOME: at.home, LANG: "C", LC_ALL: "C" } },
      );
    const waited = write();
    expect([waited.status, waited.stderr]).toEqual([1, expect.stringContaining(`process ${pid} has held it since`)]);
    const passed = write("--steal-lock");
    expect([passed.status, passed.stderr]).toEqual([0, expect.stringContaining(`was taken from the stopped process ${pid}`)]);
  });
});

describe("a file that another call of this process holds", () => {
  it("the wait ends at lockTimeoutMs, and cancelling ends it at once", async () => {
    const at = await place();
    const session = await opened(at, { config: { lockTimeoutMs: 400, sandbox: { capture: "off" } } });
    const stop = new AbortController();
    let running = (): void => {};
    const began = new Promise<void>((resolve) => {
      running = resolve;
    });
    const command = session.call(
      "Bash",
      { command: "echo started; sleep 600 > s.txt" },
      { signal: stop.signal, onProgress: running, callId: "long" },
    );
    await began;
    const write = { file_path: "s.txt", content: "B\n" };
    expect(await session.call("Write", write)).toMatchObject({
      status: "error",
      error: { details: { reason: "locked", call_id: "long", pid: process.pid, stopped: false } },
    });
    const cancel = new AbortController();
    const cancelled = session.call("Write", write, { signal: cancel.signal });
    setImmediate(() => cancel.abort());
    expect(await cancelled).toMatchObject({ status: "cancelled" });
    stop.abort();
    await command;
  });
});
