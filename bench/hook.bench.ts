/** What a hook of another agent costs over starting Node at all: through the resident process, and by a process of its own. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { question } from "./measure.ts";
import { temporaryDirectory } from "./place.ts";

const script = join(import.meta.dirname, "../bin/hook.sh");
const workspace = realpathSync(temporaryDirectory());
const [home, coldHome] = [temporaryDirectory(), temporaryDirectory()];
let calls = 0;
let pid = 0;

beforeAll(() => {
  // The first hook starts Karyi and leaves the process behind that the others are answered by.
  hook(home);
  for (const until = Date.now() + 30_000; !existsSync(join(home, "run/hook.curl")) && Date.now() < until; ) pause();
  pid = Number(/hook-(\d+)\.sock/.exec(readFileSync(join(home, "run/hook.curl"), "utf8"))?.[1]);
  // Where a resident process would be named there is a folder, so none is found and none can settle.
  mkdirSync(join(coldHome, "run/hook.curl"), { recursive: true, mode: 0o700 });
});
afterAll(() => {
  process.kill(pid);
});

question({
  name: "hook: through the resident process over `node -e 0`",
  limit: node,
  ours: () => hook(home),
  bound: 0.5,
  pairs: 31,
});

question({
  name: "hook: a process of its own over `node -e 0`",
  limit: node,
  ours: () => hook(coldHome, "karyi.js"),
  bound: 2.5,
  pairs: 31,
});

/** As the agent starts it; `karyi.js`: without looking for a resident process, and leaving none. */
function hook(at: string, file = "hook.sh"): void {
  const payload = {
    session_id: "s1",
    cwd: workspace,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: `toolu_${++calls}`,
  };
  const own = [join(script, "../karyi.js"), "hook", "claude-code", "--home", at, "--when", "before"];
  const [program, args] =
    file === "hook.sh" ? ["/bin/sh", [script, process.execPath, at, "claude-code", "before"]] : [process.execPath, own];
  const ran = spawnSync(program, args, { cwd: workspace, input: JSON.stringify(payload), encoding: "utf8" });
  if (ran.status !== 0 || ran.stdout !== "") throw new Error(`exit ${ran.status}: ${ran.stdout}${ran.stderr}`);
}

function node(): void {
  spawnSync(process.execPath, ["-e", "0"], { cwd: workspace, stdio: ["pipe", "pipe", "pipe"] });
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
