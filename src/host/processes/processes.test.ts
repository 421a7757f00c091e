import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { ShellOutcome, ShellRequest } from "../../contract/index.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { ProcessRoom } from "./create-processes.ts";
import { sweep } from "./private-directory.ts";

const never = new AbortController().signal;

interface Ran extends Omit<ShellOutcome, "env" | "leftBehind" | "durationMs"> {
  readonly stdout: string;
  readonly stderr: string;
}

async function ran(room: ProcessRoom, command: string, more: Partial<ShellRequest> = {}): Promise<Ran> {
  const text = { stdout: "", stderr: "" };
  const {
    env: _,
    leftBehind: __,
    durationMs: ___,
    ...outcome
  } = await room.run({
    command,
    cwd: "/",
    env: {},
    timeoutMs: 30_000,
    signal: never,
    onOutput: (stream, chunk) => {
      text[stream] += Buffer.from(chunk).toString();
    },
    ...more,
  });
  return { ...outcome, ...text };
}

/** Processes that this one started and that call themselves so. */
function childrenNamed(name: string): number[] {
  return pids().filter((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    return stat.includes(`(${name})`) && stat.slice(stat.lastIndexOf(")")).split(" ")[2] === String(process.pid);
  });
}

function withArgument(argument: string): number[] {
  return pids().filter((pid) => read(`/proc/${pid}/cmdline`).split("\0").includes(argument));
}

function pids(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Waits until something is so; the time limit of the test is the only other end. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((done) => setTimeout(done, 10));
}

/** A room whose next command goes through the launcher. */
async function launching(): Promise<ProcessRoom> {
  const room = new ProcessRoom(process.env, { plain: true });
  onTestFinished(() => room.close());
  // A command that outlives its call waits for the launcher; from the third on the others use one that is ready.
  const tasks = new BackgroundTasks(1, () => {});
  const { id } = await room.processes(tasks).background({ command: "true", cwd: "/", env: {}, timeoutMs: 30_000 }, "true");
  while ((await tasks.output(id, 0, 30_000, never))?.task.status === "in_progress");
  await ran(room, "true");
  return room;
}

const common = { timedOut: false, cancelled: false, tier: "E5", containment: "group" };

describe.each(["directly", "through the launcher"])("a command started %s", (way) => {
  const rooms: ProcessRoom[] = [];
  afterAll(() => {
    for (const room of rooms) room.close();
  });
  const make = async () => {
    if (way === "through the launcher") return launching();
    const room = new ProcessRoom(process.env, { plain: true });
    rooms.push(room);
    return room;
  };

  it("has its streams apart, its exit code exactly, and tells where it ended", async () => {
    const room = await make();
    expect(await ran(room, "cd /usr; echo out; echo err >&2; echo again >/dev/stderr; exit 137")).toEqual({
      ...common,
      exitCode: 137,
      signal: null,
      cwd: "/usr",
      stdout: "out\n",
      stderr: "err\nagain\n",
    });
    expect(await ran(room, "kill -9 $$")).toEqual({ ...common, exitCode: 137, signal: "SIGKILL", stdout: "", stderr: "" });
  });

  it("that cannot be started says why", async () => {
    const room = await make();
    await expect(ran(room, "true", { cwd: "/nowhere" })).rejects.toMatchObject({ details: { reason: "not_started" } });
    await expect(ran(room, `: ${"x".repeat(200_000)}`)).rejects.toMatchObject({ details: { reason: "too_long" } });
  });

  it("is started by the system's own programs, whatever PATH the session has", async () => {
    const room = await make();
    const bin = await mkdtemp(join(tmpdir(), "karyi-path-"));
    onTestFinished(() => rm(bin, { recursive: true, force: true }));
    for (const name of ["bash", "sh", "unshare", "setpriv"]) {
      await writeFile(join(bin, name), "#!/bin/sh\necho taken\n", { mode: 0o755 });
    }
    for (const path of [bin, "/nowhere"]) {
      expect(await ran(room, "echo here; nosuch", { env: { PATH: path } })).toEqual({
        ...common,
        exitCode: 127,
        signal: null,
        cwd: "/",
        stdout: "here\n",
        stderr: "bash: line 1: nosuch: command not found\n",
      });
    }
  });

  it("a limit that ends before the command has begun ends it as soon as it begins", async () => {
    const room = await make();
    for (let round = 0; round < 10; round++) {
      const { signal, timedOut, exitCode } = await ran(room, "sleep 87658; true", { timeoutMs: 1 + round });
      // Told to stop, not killed when its time to end was over.
      expect({ timedOut, signal, exitCode }).toEqual({ timedOut: true, signal: "SIGTERM", exitCode: 143 });
    }
  });

  it("leaves nobody behind, in its group or out of it, young or old", async () => {
    const room = await make();
    for (const seconds of ["0", "1.1"]) {
      await ran(room, `sleep 87651 & setsid sleep 87652 & (setsid sh -c 'sleep 87653 & exit' &); sleep ${seconds}`);
      expect(["87651", "87652", "87653"].flatMap(withArgument)).toEqual([]);
    }
  });

  it("gets the environment it is given and nothing of who starts it", async () => {
    const room = await make();
    const { stdout } = await ran(room, "env", { env: { GIVEN: "a\nb", "odd.name": "kept" }, secrets: { HIDDEN: "s" } });
    expect(stdout).toContain("GIVEN=a\nb\n");
    expect(stdout).toContain("odd.name=kept\n");
    expect(stdout).toContain("HIDDEN=s\n");
    expect(stdout).not.toContain("BASH_ENV");
  });
});

describe("a session's variables", () => {
  const carried = async (command: string, env: Record<string, string>) => {
    const room = new ProcessRoom(process.env, { plain: true });
    onTestFinished(() => room.close());
    return (await room.run({ command, cwd: "/", env, timeoutMs: 30_000, signal: never, onOutput: () => {} })).env;
  };

  it("are those a command exported and did not unset again; names no shell can hold stay", async () => {
    const env = { KEPT: "1", GONE: "2", CHANGED: "3", "odd.name": "4" };
    expect(await carried("unset GONE; export NEW=$'a\nb' CHANGED=5; LOCAL=6", env)).toEqual({
      KEPT: "1",
      CHANGED: "5",
      NEW: "a\nb",
      "odd.name": "4",
    });
  });

  it("are told in every mode of the shell, and on no descriptor that a script uses itself", async () => {
    const log = join(await mkdtemp(join(tmpdir(), "karyi-log-")), "log");
    onTestFinished(() => rm(resolve(log, ".."), { recursive: true, force: true }));
    expect(await carried("set -o posix; export NEW=1", { KEPT: "1" })).toEqual({ KEPT: "1", NEW: "1" });
    expect(await carried(`exec 3>${log} 4>&3; echo hi >&3; cd /usr; export NEW=2`, {})).toEqual({ NEW: "2", OLDPWD: "/" });
    expect(readFileSync(log, "utf8")).toBe("hi\n");
  });

  it("that no program could be started with are left behind", async () => {
    const room = new ProcessRoom(process.env, { plain: true });
    onTestFinished(() => room.close());
    const request = { cwd: "/", timeoutMs: 30_000, signal: never, onOutput: () => {} };
    const long = await room.run({ ...request, command: "export BIG=$(printf %0200000d 1) SMALL=1", env: { KEPT: "1" } });
    expect([long.env, long.leftBehind]).toEqual([{ KEPT: "1", SMALL: "1" }, ["BIG"]]);
    const many = await room.run({ ...request, command: "for i in {1..40}; do export V$i=$(printf %060000d $i); done", env: {} });
    expect([Object.keys(many.env ?? {}).length, many.leftBehind?.length]).toEqual([17, 23]);
    expect((await room.run({ ...request, command: "true", env: many.env ?? {} })).exitCode).toBe(0);
    // More than can be told: nothing is known of it, and nothing is taken for unset.
    const endless = await room.run({ ...request, command: "export BIG=$(printf %020000000d 1)", env: { KEPT: "1" } });
    expect([endless.exitCode, endless.env]).toEqual([0, undefined]);
  });

  it("are the same object where nothing changed", async () => {
    const env = { KEPT: "1" };
    expect(await carried("true", env)).toBe(env);
  });
});

describe("in a namespace", () => {
  it("a command that a signal ends has said nothing but its own words", async () => {
    const room = new ProcessRoom(process.env);
    onTestFinished(() => room.close());
    for (const [signal, exitCode] of Object.entries({ KILL: 137, TERM: 143, ABRT: 134 })) {
      expect(await ran(room, `echo before >&2; kill -${signal} $$`)).toMatchObject({ exitCode, stdout: "", stderr: "before\n" });
    }
  });
});

describe("output", () => {
  const long = { timeout: process.env.KARYI_FULL === "1" ? 900_000 : 60_000 };

  it("comes whole and in order although it cannot be taken so fast, in constant memory", long, async () => {
    const room = new ProcessRoom(process.env, { plain: true });
    onTestFinished(() => room.close());
    const lines = process.env.KARYI_FULL === "1" ? 100_000_000 : 2_000_000;
    let total = 0;
    let sum = 0;
    let most = 0;
    const before = process.memoryUsage.rss();
    const outcome = await room.run({
      command: `yes 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef123 | head -n ${lines}`,
      cwd: "/",
      env: {},
      timeoutMs: 600_000,
      signal: never,
      onOutput: (_, chunk) => {
        total += chunk.length;
        sum += chunk[chunk.length - 1] ?? 0;
        most = Math.max(most, process.memoryUsage.rss() - before);
        return total % 7 === 0 ? new Promise((done) => setImmediate(done)) : undefined;
      },
    });
    expect(outcome.exitCode).toBe(0);
    expect(total).toBe(lines * 100);
    expect(sum).toBeGreaterThan(0);
    expect(most).toBeLessThan(128 << 20);
  });
});

describe("the launcher", () => {
  it("is not started for a command or two", async () => {
    await until(() => childrenNamed("karyi-launcher").length === 0);
    const room = new ProcessRoom(process.env, { plain: true });
    onTestFinished(() => room.close());
    await ran(room, "true");
    await ran(room, "true");
    expect(childrenNamed("karyi-launcher")).toEqual([]);
  });

  it("when it dies, its commands end with it and the next one runs all the same", async () => {
    const room = await launching();
    const launchers = childrenNamed("karyi-launcher");
    let begun = () => {};
    const running = new Promise<void>((done) => {
      begun = done;
    });
    const waiting = ran(room, "echo up; sleep 87654", { onOutput: () => begun() });
    await running;
    for (const pid of launchers) process.kill(pid, "SIGKILL");
    expect(await waiting).toMatchObject({ exitCode: 137, signal: "SIGKILL" });
    expect(withArgument("87654")).toEqual([]);
    expect(await ran(room, "echo still here")).toMatchObject({ exitCode: 0, stdout: "still here\n" });
  });

  it.each(["foreground", "background"])("a first command in the %s ends when Karyi is killed", async (way) => {
    const argument = way === "foreground" ? "87656" : "87657";
    const child = roomProcess(`echo up; sleep ${argument}; true`, way);
    if (child.stdout) await once(child.stdout, "data");
    await until(() => withArgument(argument).length === 1);
    child.kill("SIGKILL");
    await until(() => withArgument(argument).length === 0);
  });

  it("a background command ends when Karyi is killed with those it sent out of its group", async () => {
    const child = roomProcess("setsid sleep 87659 & (setsid sh -c 'sleep 87660 & exit' &); sleep 87661", "background");
    const all = () => ["87659", "87660", "87661"].flatMap(withArgument).length;
    await until(() => all() === 3);
    child.kill("SIGKILL");
    await until(() => all() === 0);
  });

  it("a background command ends when Karyi is killed, and what Karyi left on the machine goes with the next one", async () => {
    const child = roomProcess("echo up; exec sleep 87655", "background");
    if (child.stdout) await once(child.stdout, "data");
    await until(() => withArgument("87655").length === 1);
    const left = privateDirectories(child.pid);
    expect(left.length).toBe(1);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await until(() => withArgument("87655").length === 0);
    await gone;
    for (const directory of left) sweep(resolve(directory, ".."));
    expect(left.filter((directory) => existsSync(directory))).toEqual([]);
  });
});

/** A process of its own with a room, and one command in it. */
function roomProcess(command: string, way: string): ChildProcess {
  const register = resolve(import.meta.dirname, "../../../test/support/ts-register.mjs");
  const child = spawn(process.execPath, ["--import", register, join(import.meta.dirname, "room.child.ts"), command, way], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function privateDirectories(owner: number | undefined): string[] {
  return ["/dev/shm", tmpdir()].flatMap((place) =>
    readdirSync(place)
      .map((name) => join(place, name))
      .filter((directory) => {
        const text = directory.includes("kyo-") ? read(join(directory, "owner")) : "";
        return text !== "" && (JSON.parse(text) as { pid: number }).pid === owner;
      }),
  );
}

describe("private directories", () => {
  it("of the living, of other namespaces and of nobody yet stay", async () => {
    const place = await mkdtemp(join(tmpdir(), "karyi-sweep-"));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    const owners = {
      alive: { pid: process.pid, startToken: "started-1", namespace: "here" },
      elsewhere: { pid: 2 ** 22 + 1, startToken: "started-1", namespace: "there" },
      dead: { pid: 2 ** 22 + 1, startToken: "started-1", namespace: "here" },
    };
    for (const [name, owner] of Object.entries(owners)) {
      await mkdir(join(place, `kyo-${name}`));
      await writeFile(join(place, `kyo-${name}`, "owner"), JSON.stringify(owner));
    }
    await mkdir(join(place, "kyo-new"));
    await mkdir(join(place, "somebody-else"));
    sweep(place, "here");
    expect(readdirSync(place).sort()).toEqual(["kyo-alive", "kyo-elsewhere", "kyo-new", "somebody-else"]);
  });
});
