/** One terminal for all who reach it: here, over its socket, or kept by a process of its own. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { terminalEnvironment } from "../index.ts";
import { claimPath } from "./attach-claim.ts";
import { preparePlace } from "./attach-place.ts";
import { encodeJson, FrameReader } from "./attach-protocol.ts";
import { KeeperLife } from "./keeper-life.ts";
import type { KeeperLimits } from "./keeper-order.ts";
import { endTerminal, lookAtTerminal, ReachedTerminal, type TerminalPlace } from "./reach-terminal.ts";
import { calling, isRunning, temporaryPlace } from "./shared-terminal.fixture.ts";
import type { TerminalCaller } from "./shared-terminal.ts";

/** As it is shipped: `npm test` builds first. */
const program = [join(import.meta.dirname, "../../../../dist/keeper.cjs")];
const limits: KeeperLimits = { idleMs: 3_600_000, busyMs: 3_600_000, reachMs: 50, lookMs: 50 };
const kept: TerminalPlace = { program, limits };

function reached(cwd: string, place: TerminalPlace, caller: TerminalCaller = {}, warnings: string[] = []) {
  const terminal = new ReachedTerminal({
    path: join(cwd, "run", "t.sock"),
    place,
    caller,
    begin: (session = { cwd, env: {} }) => ({ cwd: session.cwd, env: terminalEnvironment(process.env, session.env) }),
    log: (message) => warnings.push(message),
  });
  onTestFinished(() => terminal.close());
  return { ...calling(terminal), close: () => terminal.close(), path: join(cwd, "run", "t.sock") };
}

/** Ends what a test had kept, whatever became of the test. */
async function place() {
  const cwd = await temporaryPlace();
  onTestFinished(async () => {
    await endTerminal(join(cwd, "run", "t.sock"));
  });
  return cwd;
}

async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe.each([
  ["held by a process", "own" as const],
  ["kept by a process of its own", kept],
])("a terminal %s", (_, where) => {
  test("is one for all: a shell, its variables, a question and its answer", async () => {
    const cwd = await place();
    const [one, two] = [reached(cwd, where), reached(cwd, where)];
    expect(await one.terminal.peek()).toEqual({ state: "absent", epoch: 0 });
    expect(await one.run("mkdir sub; cd sub; word=unexported")).toEqual({ output: "", cwd: join(cwd, "sub"), exitCode: 0 });
    expect(await two.run("pwd; echo $word")).toMatchObject({ output: `${join(cwd, "sub")}\nunexported\n`, exitCode: 0 });
    expect(await two.run("read -p 'name: ' name; echo hi $name")).toMatchObject({ waiting: "input" });
    expect(await one.terminal.peek()).toMatchObject({ state: "waiting", waiting: "input" });
    expect(await one.input("bob\n")).toMatchObject({ output: "bob\nhi bob\n", exitCode: 0 });
    expect((await two.terminal.screen()).lines.join("\n")).toContain("hi bob");
  });

  test("events and questions for a password go to the caller of the moment and to nobody else", async () => {
    const cwd = await place();
    const heard: string[] = [];
    const hears = (name: string): TerminalCaller => ({
      onEvent: (event) => heard.push(`${name}: ${event.type}`),
      askSecret: async (question) => {
        heard.push(`${name}: ${question}`);
        return ["open", "sesame"].join("-");
      },
    });
    const one = reached(cwd, where, hears("one"));
    const two = reached(cwd, where, hears("two"));
    await one.run("true");
    expect(await two.run("read -s -p 'Password: ' word; echo; echo ${#word}")).toMatchObject({ output: expect.stringContaining("11\n") });
    expect(await two.run("read -p 'go on? ' x")).toMatchObject({ waiting: expect.any(String) });
    expect(heard).toEqual(["two: Password:", "two: input_required"]);
  });

  test("a second caller is refused while a command runs; who leaves takes its program along", async () => {
    const cwd = await place();
    const [one, two] = [reached(cwd, where), reached(cwd, where)];
    await two.run("true");
    const started = new Promise<void>((resolve) => {
      void one.terminal
        .run("echo started; sleep 1000", { timeoutMs: 60_000, signal: new AbortController().signal, onOutput: () => resolve() })
        .catch(() => {});
    });
    await started;
    await expect(two.run("echo no")).rejects.toMatchObject({ code: "tool_conflict", details: { reason: "terminal_busy" } });
    const isOwner = where === "own";
    if (isOwner) return;
    await one.close();
    await expect.poll(async () => (await two.terminal.peek()).state).toBe("idle");
    expect(await two.run("jobs; echo free")).toMatchObject({ output: expect.stringContaining("free\n") });
  });

  test("what was decided about another terminal, or before there was one, is not done in this one", async () => {
    const cwd = await place();
    const [one, two] = [reached(cwd, where), reached(cwd, where)];
    const use = { timeoutMs: 30_000, signal: new AbortController().signal, onOutput: () => {} };
    const { epoch: absent = -1 } = await one.terminal.peek();
    await two.run("cd /");
    await expect(one.terminal.run("pwd", { ...use, epoch: absent })).rejects.toMatchObject({ details: { reason: "terminal_changed" } });
    const { epoch: before = -1 } = await one.terminal.peek();
    expect(await endTerminal(one.path)).toBe(true);
    expect(await endTerminal(one.path)).toBe(false);
    await expect.poll(async () => (await one.terminal.peek()).state).toBe("absent");
    await expect(one.terminal.run("pwd", { ...use, epoch: before })).rejects.toMatchObject({ details: { reason: "terminal_changed" } });
    expect(await one.run("pwd")).not.toHaveProperty("restarted");
  });
});

describe("a terminal kept by a process of its own", () => {
  test("a keeper that was killed is replaced, and the next answer says so; a call it was in fails and is not done again", async () => {
    const cwd = await place();
    const one = reached(cwd, kept);
    await one.run("true");
    const { pid = 0 } = (await lookAtTerminal(one.path)) ?? {};
    const cut = one.run("touch began; sleep 1000");
    await expect.poll(() => existsSync(join(cwd, "began"))).toBe(true);
    process.kill(pid, "SIGKILL");
    await expect(cut).rejects.toMatchObject({ details: { reason: "terminal_lost" } });
    expect(await one.run("echo again")).toMatchObject({ output: "again\n", restarted: true });
    expect(await one.run("echo more")).not.toHaveProperty("restarted");
  });

  test("of several that start one at once, over a socket of a dead process too, one wins and all use it", async () => {
    const cwd = await place();
    for (const round of ["fresh", "after a kill"]) {
      const callers = Array.from({ length: 5 }, () => reached(cwd, kept));
      const pids = await Promise.all(
        callers.map(async ({ run }, index) => {
          for (;;) {
            try {
              await run(`echo ${round} ${index}`);
              break;
            } catch (error) {
              expect(error).toMatchObject({ details: { reason: "terminal_busy" } });
            }
          }
          return (await lookAtTerminal(join(cwd, "run", "t.sock")))?.pid;
        }),
      );
      expect(new Set(pids).size).toBe(1);
      process.kill(pids[0] ?? 0, "SIGKILL");
      await gone(pids[0] ?? 0);
    }
  });

  test("ends with its shell and leaves nothing: asked to, by a signal, when its home is removed, when nobody comes", async () => {
    const ways: Record<string, { limits?: KeeperLimits; end(path: string, pid: number): Promise<unknown> }> = {
      asked: { end: (path) => endTerminal(path) },
      signal: { end: async (_, pid) => process.kill(pid, "SIGTERM") },
      removed: { end: (path) => rm(join(path, "..", ".."), { recursive: true, force: true }) },
      alone: { limits: { idleMs: 0, busyMs: 3_600_000, reachMs: 50, lookMs: 20 }, end: async () => {} },
    };
    for (const [way, { end, limits: lasting = limits }] of Object.entries(ways)) {
      const cwd = await place();
      const caller = reached(cwd, { program, limits: lasting });
      const { output } = await caller.run("echo $$ $PPID; (sleep 1000 & disown)");
      const [shell = 0, pid = 0] = output.trim().split(" ").map(Number);
      expect(isRunning(pid), way).toBe(true);
      await caller.close();
      await end(caller.path, pid);
      await Promise.all([gone(pid), gone(shell)]);
      expect(existsSync(caller.path), way).toBe(false);
      expect(filesOf(pid), way).toEqual([]);
    }
  });

  test("of who started it the process has only where programs are found, and neither its directory nor its session", async () => {
    const cwd = await place();
    const { run } = reached(cwd, kept);
    const { output } = await run(
      "cut -z -d= -f1 </proc/$PPID/environ | tr '\\0' ' '; echo; readlink /proc/$PPID/cwd; ps -o sid= -p $PPID; echo $PPID",
    );
    const [names, directory, session, pid] = output.split("\n").map((line) => line.trim());
    expect([names, directory, session]).toEqual(["PATH", "/", pid]);
  });

  test("one of another version is refused with what to do, and can still be looked at and ended", async () => {
    const cwd = await place();
    const path = join(cwd, "run", "t.sock");
    preparePlace(join(cwd, "run"));
    const server = createServer((socket) => {
      const reader = new FrameReader();
      socket.on("error", () => {});
      socket.on("data", (chunk) =>
        reader.push(chunk, (_, payload) => {
          const { purpose } = JSON.parse(String(payload)) as { purpose: string };
          const who = { version: 999, pid: 1, kept: true };
          socket.end(encodeJson("welcome", purpose === "call" || purpose === "watch" ? { ...who, refused: "version" } : who));
          if (purpose === "close") {
            claimed.release();
            server.close();
          }
        }),
      );
    });
    const claimed = await claimPath(server, path);
    const { run } = reached(cwd, kept);
    await expect(run("true")).rejects.toMatchObject({
      details: { reason: "terminal_version" },
      hint: expect.stringContaining("karyi attach --close"),
    });
    expect(await lookAtTerminal(path)).toEqual({ version: 999, pid: 1, kept: true });
    expect(await endTerminal(path)).toBe(true);
    expect(await run("echo fresh")).toMatchObject({ output: "fresh\n" });
  });
});

test("a shell at its prompt is kept for a while, a program that runs for longer, and both while somebody is there", () => {
  const lasting = { idleMs: 15, busyMs: 240, reachMs: 1, lookMs: 1 };
  const over = (steps: readonly (readonly [now: number, clients: number, busy: boolean])[]) => {
    const life = new KeeperLife(lasting);
    return steps.map(([now, clients, busy]) => life.isOver(now, { clients, busy }));
  };
  expect(
    over([
      [0, 0, false],
      [14, 0, false],
      [15, 0, false],
    ]),
  ).toEqual([false, false, true]);
  expect(
    over([
      [0, 0, true],
      [100, 0, true],
      [101, 0, false],
      [115, 0, false],
      [116, 0, false],
    ]),
  ).toEqual([false, false, false, false, true]);
  expect(
    over([
      [0, 0, true],
      [239, 0, true],
      [240, 0, true],
    ]),
  ).toEqual([false, false, true]);
  expect(
    over([
      [0, 0, false],
      [14, 1, false],
      [1_000, 1, true],
      [1_001, 0, false],
      [1_015, 0, false],
      [1_016, 0, false],
    ]),
  ).toEqual([false, false, false, false, false, true]);
});

test("a home with a path longer than that of a socket is no obstacle", async () => {
  const cwd = join(await temporaryPlace(), "long".repeat(30), "long".repeat(30));
  await mkdir(cwd, { recursive: true });
  onTestFinished(async () => {
    await endTerminal(join(cwd, "run", "t.sock"));
  });
  const [one, two] = [reached(cwd, kept), reached(cwd, "own")];
  expect(await one.run("said=here")).toMatchObject({ exitCode: 0 });
  expect(await two.run("echo $said")).toMatchObject({ output: "here\n" });
});

test("a path is claimed by one of many, and what a dead process left there is taken over once", async () => {
  const directory = join(await temporaryPlace(), "run");
  preparePlace(directory);
  const paths = Array.from({ length: 20 }, (_, round) => join(directory, `${round}.sock`));
  // What a killed process leaves: a socket that nobody listens on.
  const leave =
    "const { createServer } = require('node:net'); const paths = process.argv.slice(1);" +
    "let left = paths.length; for (const path of paths) createServer().listen(path, () => --left === 0 && process.kill(process.pid, 9));";
  spawnSync(process.execPath, ["-e", leave, ...paths]);
  for (const path of paths) {
    expect(existsSync(path)).toBe(true);
    const servers = Array.from({ length: 8 }, () => createServer((socket) => socket.destroy()));
    const claims = await Promise.allSettled(servers.map((server) => claimPath(server, path)));
    const won = claims.flatMap((claim) => (claim.status === "fulfilled" ? [claim.value] : []));
    expect(won.map((claim) => [claim.tookOver, claim.holds()])).toEqual([[true, true]]);
    won[0]?.release();
    for (const server of servers) server.close();
  }
  expect(readdirSync(directory)).toEqual(["token"]);
});

/** What processes of this number left in the places of private files. */
function filesOf(pid: number): string[] {
  return ["/dev/shm"].filter(existsSync).flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name.startsWith("kyo-"))
      .filter((name) => readFileSync(join(directory, name, "owner"), "utf8").includes(`"pid":${pid},`)),
  );
}
