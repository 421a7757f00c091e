import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guardMaster } from "./open-terminals.ts";
import { outputOf, ProgramFailure, plainEnvironment, signalGroup, spawn } from "./spawn.ts";

const env = plainEnvironment();

describe("spawn", () => {
  it("a child gets exactly the environment that spawn is handed", async () => {
    expect(String(await outputOf("/usr/bin/env", [], { env: { ONLY: "this", absent: undefined } }))).toBe("ONLY=this\n");
  });

  it("a terminal's master, which lacks close-on-exec, is shut out", async () => {
    // Node closes what it opened itself: the test is that the number of a guarded one leads to /dev/null.
    const master = openSync("/dev/zero", "r");
    try {
      guardMaster(master);
      const seen = await outputOf("/bin/sh", ["-c", `readlink /proc/self/fd/${master}`], { env });
      expect(String(seen)).toBe("/dev/null\n");
    } finally {
      closeSync(master);
    }
  });

  it("signalGroup reaches what a child with ownGroup started, and a group that is gone is no error", async () => {
    const child = spawn("/bin/sh", ["-c", "sleep 600 & echo started; wait"], { env, stdio: ["ignore", "pipe", "ignore"], ownGroup: true });
    await once(child.stdout, "data");
    // The stream closes only when the `sleep` that holds it has ended too.
    const closed = once(child, "close");
    signalGroup(child.pid, "SIGKILL");
    expect(await closed).toEqual([null, "SIGKILL"]);
    expect(() => signalGroup(child.pid, "SIGKILL")).not.toThrow();
  });
});

describe("outputOf", () => {
  const failureOf = async (output: Promise<unknown>) => {
    const failure = await output.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof ProgramFailure)) throw new Error("it did not fail with a ProgramFailure", { cause: failure });
    const { program, reason, message } = failure;
    return { program, reason, message };
  };

  it("answers the bytes of stdout, with input on stdin", async () => {
    const bytes = Buffer.from([0, 255, 10, 128]);
    expect(await outputOf("cat", [], { env, input: bytes })).toEqual(bytes);
  });

  it("rejects with how the program ended and what it said", async () => {
    expect(await failureOf(outputOf("/bin/sh", ["-c", "echo no >&2; exit 3"], { env }))).toEqual({
      program: "/bin/sh",
      reason: "exit",
      message: "/bin/sh ended with exit code 3: no",
    });
    expect(await failureOf(outputOf("/bin/sh", ["-c", "kill -TERM $$"], { env }))).toEqual({
      program: "/bin/sh",
      reason: "exit",
      message: "/bin/sh was ended by SIGTERM",
    });
    expect(await failureOf(outputOf("/no/such/program", [], { env }))).toEqual({
      program: "/no/such/program",
      reason: "not_started",
      message: "/no/such/program could not be started: spawn /no/such/program ENOENT",
    });
  });

  it("a program that is late is killed, also if a process it left behind holds its stdout", async () => {
    const directory = mkdtempSync(join(tmpdir(), "karyi-spawn-"));
    try {
      const started = join(directory, "pid");
      const output = outputOf("/bin/sh", ["-c", 'sleep 600 & echo $! > "$0"; wait', started], { env, timeoutMs: 1_000 });
      expect(await failureOf(output)).toEqual({ program: "/bin/sh", reason: "timeout", message: "/bin/sh did not end within 1000 ms" });
      process.kill(Number(readFileSync(started, "utf8")), "SIGKILL");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("a program that prints without end is killed at maxBytes", async () => {
    expect(await failureOf(outputOf("yes", [], { env, maxBytes: 1000 }))).toEqual({
      program: "yes",
      reason: "too_long",
      message: "yes printed more than 1000 bytes",
    });
  });
});
