/** The process that stays and answers hooks: who may ask it, when it ends, and what happens without it. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "./support/engine.ts";
import { bin } from "./support/mcp.ts";
import { isRunning } from "./support/processes.ts";

const root = join(dirname(bin), "..");

interface Place {
  readonly home: string;
  readonly workspace: string;
  /** The script that the agent starts. */
  readonly script: string;
}

async function place(script = join(dirname(bin), "hook.sh")): Promise<Place> {
  return { home: await realpath(await temporaryDirectory()), workspace: await realpath(await temporaryDirectory()), script };
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function hook({ home, workspace, script }: Place, command: string, env: Record<string, string> = {}, when = "before"): Promise<Ran> {
  const payload = {
    session_id: "s1",
    cwd: workspace,
    hook_event_name: when === "before" ? "PreToolUse" : "PostToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "toolu_1",
  };
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", [script, process.execPath, home, "claude-code", when], {
      env: { ...process.env, LANG: "C", LC_ALL: "C", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdin.end(JSON.stringify(payload));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

const decisionOf = ({ code, stdout }: Ran) =>
  code === 0 && stdout !== "" ? JSON.parse(stdout).hookSpecificOutput.permissionDecision : `${code}${stdout}`;

const curlFile = ({ home }: Place) => join(home, "run", "hook.curl");

/** Starts one by a first hook and waits until it is found. */
async function resident(at: Place): Promise<number> {
  expect(decisionOf(await hook(at, "cat /etc/shadow"))).toBe("deny");
  await until(() => existsSync(curlFile(at)));
  return pidOf(at);
}

async function pidOf(at: Place): Promise<number> {
  const pid = Number(/hook-(\d+)\.sock/.exec(await readFile(curlFile(at), "utf8"))?.[1]);
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  return pid;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(!existsSync("/usr/bin/curl"))("the resident process (where there is curl)", () => {
  it("is left behind by the first hook, answers the next ones as the policy judges, and follows the config", async () => {
    const at = await place();
    const pid = await resident(at);
    expect([decisionOf(await hook(at, "ls")), decisionOf(await hook(at, "curl https://example.com"))]).toEqual(["0", "ask"]);
    await writeFile(join(at.home, "config.json"), JSON.stringify({ permissions: { deny: ["Bash(ls:*)"] } }));
    expect(decisionOf(await hook(at, "ls"))).toBe("deny");
    expect(await pidOf(at)).toBe(pid);
  });

  it("is reached by its owner only: private folder, private file, and a token", async () => {
    const at = await place();
    const pid = await resident(at);
    const modes = await Promise.all([join(at.home, "run"), curlFile(at)].map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o700, 0o600]);
    const socketPath = join(at.home, "run", `hook-${pid}.sock`);
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const asked = request({ socketPath, method: "POST", headers }, (answer) => resolve(answer.resume().statusCode));
        asked.on("error", reject).end("x");
      });
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ authorization: `Bearer ${"0".repeat(64)}` })).toBe(401);
  });

  it("answers for one home only; another has one of its own, with a token of its own", async () => {
    const [one, other] = [await place(), await place()];
    await writeFile(join(other.home, "config.json"), JSON.stringify({ permissions: { deny: ["Bash(ls:*)"] } }));
    const pids = [await resident(one), await resident(other)];
    expect(new Set(pids).size).toBe(2);
    expect([decisionOf(await hook(one, "ls")), decisionOf(await hook(other, "ls"))]).toEqual(["0", "deny"]);
    const [token, foreign] = await Promise.all([one, other].map(({ home }) => readFile(join(home, "run", "token"), "utf8")));
    expect(token).not.toBe(foreign);
    await writeFile(curlFile(one), (await readFile(curlFile(one), "utf8")).replace(token ?? "", foreign ?? ""));
    // Refused there, the hook is judged by a process of its own.
    expect(decisionOf(await hook(one, "cat /etc/shadow"))).toBe("deny");
  });

  it("a socket and a file that a dead process left are passed over, and made anew", async () => {
    const at = await place();
    const pid = await resident(at);
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
    expect(existsSync(join(at.home, "run", `hook-${pid}.sock`))).toBe(true);
    const answers = await Promise.all(["ls", "cat /etc/shadow", "curl https://example.com"].map((command) => hook(at, command)));
    expect(answers.map(decisionOf)).toEqual(["0", "deny", "ask"]);
    await until(async () => (await pidOf(at)) !== pid);
    expect(decisionOf(await hook(at, "ls"))).toBe("0");
  });

  it("when it was killed, the hook is answered by a process of its own, which leaves another behind", async () => {
    const at = await place();
    const pid = await resident(at);
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
    expect(decisionOf(await hook(at, "cat /etc/shadow"))).toBe("deny");
    await until(async () => (await pidOf(at)) !== pid);
  });

  it("when it hangs, the call is refused within its limit, and what is done already is not", async () => {
    const at = await place();
    process.kill(await resident(at), "SIGSTOP");
    const [before, after] = await Promise.all([hook(at, "ls"), hook(at, "ls", {}, "after")]);
    expect(before).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("refused") });
    expect(after).toEqual({ code: 0, stdout: "", stderr: "" });
  }, 30_000);

  it("an agent with another temporary directory is judged by a process of its own", async () => {
    const at = await place();
    const pid = await resident(at);
    const env = { TMPDIR: await temporaryDirectory() };
    expect(decisionOf(await hook(at, "cat /etc/shadow", env))).toBe("deny");
    expect(await pidOf(at)).toBe(pid);
  });

  it("after an upgrade the old version answers nothing more and ends", async () => {
    const copy = await temporaryDirectory();
    await cp(join(root, "bin"), join(copy, "bin"), { recursive: true });
    await mkdir(join(copy, "dist"));
    for (const name of (await readdir(join(root, "dist"))).filter((file) => /^(command|keeper)\.cjs/.test(file)))
      await cp(join(root, "dist", name), join(copy, "dist", name));
    await symlink(join(root, "node_modules"), join(copy, "node_modules"));
    await cp(join(root, "package.json"), join(copy, "package.json"));
    const at = await place(join(copy, "bin/hook.sh"));
    const old = await resident(at);
    await appendFile(join(copy, "dist/command.cjs"), "\n");
    expect(decisionOf(await hook(at, "cat /etc/shadow"))).toBe("deny");
    await until(() => !isRunning(old));
    await until(async () => existsSync(curlFile(at)) && (await pidOf(at)) !== old);
  });

  it("ends when nobody asks, and takes its file and socket along", async () => {
    const at = await place();
    const child = spawn(process.execPath, [bin, "hook", "resident", "--home", at.home, "--idle", "50"], { stdio: "ignore" });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, left: await readdir(join(at.home, "run")) }).toEqual({ code: 0, left: ["token"] });
  });

  it("does not make a home again that is gone", async () => {
    const home = join(await temporaryDirectory(), "gone");
    const child = spawn(process.execPath, [bin, "hook", "resident", "--home", home], { stdio: "ignore" });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    expect(existsSync(home)).toBe(false);
  });

  it("one that another took the place of ends, and so does one that was dismissed", async () => {
    const at = await place();
    const first = await resident(at);
    const child = spawn(process.execPath, [bin, "hook", "resident", "--home", at.home], { stdio: "ignore" });
    await until(() => !isRunning(first));
    expect(await pidOf(at)).toBe(child.pid);
    const ended = new Promise((resolve) => child.on("close", resolve));
    await rm(curlFile(at));
    expect(await ended).toBe(0);
  });
});

it("without curl each hook is a process of its own, and none is left behind", async () => {
  const at = await place();
  const programs = await temporaryDirectory();
  for (const name of ["cat", "sh"]) await symlink(`/bin/${name}`, join(programs, name));
  expect(decisionOf(await hook(at, "cat /etc/shadow", { PATH: programs }))).toBe("deny");
  expect(existsSync(curlFile(at))).toBe(false);
});
