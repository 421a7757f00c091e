/**
 * Karyi under opencode and pi: recorded payloads, the plugin file, and the real ones against a scripted model where
 * `KARYI_OPENCODE` and `KARYI_PI` name their programs.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerHook } from "../src/compose/hooks/index.ts";
import type { Mode } from "../src/contract/index.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { type ScriptedUse, scriptedModel } from "./support/scripted-model.ts";

type Agent = "opencode" | "pi";

interface Places {
  readonly home: string;
  readonly workspace: string;
  /** The agent's own home. */
  readonly own: string;
}

async function places(): Promise<Places> {
  const [home, workspace, own] = await Promise.all([1, 2, 3].map(async () => realpath(await temporaryDirectory())));
  if (home === undefined || workspace === undefined || own === undefined) throw new Error("no place");
  return { home, workspace, own };
}

let calls = 0;

function hook(agent: Agent, { home, workspace }: Places, tool: string, input: object, more: object = {}, mode?: Mode): Promise<string> {
  const payload = {
    session_id: "s1",
    cwd: workspace,
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: input,
    tool_use_id: `call_${++calls}`,
    ...more,
  };
  return answerHook({
    agent,
    payload: JSON.stringify(payload),
    home,
    workspace,
    isCaptured: false,
    ...(mode === undefined ? {} : { mode }),
  });
}

const reasonOf = (answer: string): string => (answer === "" ? "" : JSON.parse(answer).hookSpecificOutput.permissionDecisionReason);
const file = (agent: Agent, { own }: Places) =>
  agent === "opencode" ? join(own, ".config/opencode/plugins/karyi.js") : join(own, ".pi/agent/extensions/karyi.js");
const hookCommand = (verb: string, agent: Agent, at: Places, more: readonly string[] = []) =>
  karyi(["hook", verb, agent, "--home", at.home, "--settings", file(agent, at), "--json", ...more]);

describe("karyi hook opencode", () => {
  it.each([
    ["bash", { command: "ls" }, /^$/],
    ["bash", { command: "cat /etc/shadow" }, /shadow/],
    ["bash", { command: "curl https://example.com" }, /karyi approvals answer/],
    ["read", { filePath: "a.txt" }, /^$/],
    ["read", { filePath: "/etc/shadow" }, /shadow/],
    ["write", { filePath: "/etc/hosts", content: "x" }, /\/etc/],
    ["edit", { filePath: "/etc/hosts", oldString: "nothing", newString: "x" }, /\/etc/],
    ["apply_patch", { patchText: "*** Begin Patch\n*** Update File: /etc/hosts\n*** End Patch" }, /\/etc/],
    ["apply_patch", { patchText: "nonsense" }, /karyi approvals answer/],
    ["glob", { pattern: "../../**" }, /leaves the workspace/],
    ["grep", { pattern: "x", path: "/etc" }, /etc/],
    ["webfetch", { url: "https://example.com" }, /karyi approvals answer/],
    ["todowrite", { todos: [] }, /^$/],
    ["github_create_issue", { title: "x" }, /karyi approvals answer/],
  ])("%s %j is answered as the policy judges it", async (tool, input, expected) => {
    const at = await places();
    await writeFile(join(at.workspace, "a.txt"), "a\n");
    expect(reasonOf(await hook("opencode", at, tool, input))).toMatch(expected);
  });
});

describe("karyi hook pi", () => {
  it.each([
    ["bash", { command: "ls" }, /^$/],
    ["bash", { command: "cat /etc/shadow" }, /shadow/],
    ["read", { path: "a.txt" }, /^$/],
    ["write", { path: "/etc/hosts", content: "x" }, /\/etc/],
    ["edit", { path: "/etc/hosts", edits: [{ oldText: "a", newText: "b" }] }, /\/etc/],
    ["find", { pattern: "*", path: "/etc/ssl/private" }, /etc/],
    ["ls", { path: "/etc/ssl/private" }, /etc/],
    ["tool_of_tomorrow", {}, /karyi approvals answer/],
  ])("%s %j is answered as the policy judges it", async (tool, input, expected) => {
    const at = await places();
    await writeFile(join(at.workspace, "a.txt"), "a\n");
    expect(reasonOf(await hook("pi", at, tool, input))).toMatch(expected);
  });
});

it("what was kept for a call whose end was never told goes with karyi gc when it is old", async () => {
  const at = await places();
  await writeFile(join(at.workspace, "a.txt"), "a\n");
  for (const newString of ["old", "new"]) {
    expect(await hook("opencode", at, "edit", { filePath: "a.txt", oldString: "a", newString }, {}, "accept-edits")).toBe("");
  }
  const folder = join(at.home, "hooks", "pending");
  const [first = "", second = ""] = await readdir(folder);
  const longAgo = new Date(Date.now() - 400 * 86_400_000);
  await utimes(join(folder, first), longAgo, longAgo);
  expect((await karyi(["gc", "--home", at.home, "--workspace", at.workspace, "--json"])).code).toBe(0);
  expect(await readdir(folder)).toEqual([second]);
});

describe.each(["opencode", "pi"] as const)("hook install %s", (agent) => {
  it("adds one file of ours and takes it out again; the grade is told", async () => {
    const at = await places();
    expect((await hookCommand("install", agent, at)).code).toBe(0);
    expect(JSON.parse((await hookCommand("install", agent, at)).stdout)).toMatchObject({ changed: false });
    const grade = agent === "opencode" ? "captured" : "judged";
    expect(JSON.parse((await hookCommand("status", agent, at)).stdout)).toMatchObject({ installed: true, grade });
    expect(JSON.parse((await hookCommand("uninstall", agent, at)).stdout)).toMatchObject({ removed: true });
    expect(existsSync(file(agent, at))).toBe(false);
  });

  it("leaves a file alone that is somebody else's, or that somebody changed since", async () => {
    const at = await places();
    await mkdir(join(file(agent, at), ".."), { recursive: true });
    await writeFile(file(agent, at), "export const mine = 1;\n");
    expect((await hookCommand("install", agent, at)).code).not.toBe(0);
    expect(await readFile(file(agent, at), "utf8")).toBe("export const mine = 1;\n");
    await rm(file(agent, at));
    await hookCommand("install", agent, at);
    await writeFile(file(agent, at), "// changed\n");
    expect((await hookCommand("uninstall", agent, at)).code).not.toBe(0);
    expect(await readFile(file(agent, at), "utf8")).toBe("// changed\n");
  });
});

const opencode = process.env.KARYI_OPENCODE ?? "";
const pi = process.env.KARYI_PI ?? "";

async function run(program: string, args: readonly string[], at: Places): Promise<void> {
  onTestFinished(() => rm(join(at.home, "run", "hook.curl"), { force: true }));
  const child = spawn(program, args, {
    cwd: at.workspace,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: at.own },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, said }).toMatchObject({ code: 0 });
}

const bash = (id: string, command: string): ScriptedUse => ({ id, name: "bash", input: { command, description: "a test" } });

/** Answers the session's name at Karyi. */
async function sessionOf(agent: Agent, { home }: Places): Promise<string> {
  return JSON.parse(await readFile(join(home, "hooks", `${agent}.seen.json`), "utf8")).session;
}

const undo = async (at: Places, session: string, call: string) =>
  JSON.parse((await karyi(["undo", call, "--home", at.home, "--workspace", at.workspace, "--session", session, "--json"])).stdout);

describe.skipIf(!existsSync(opencode))("under the real opencode (KARYI_OPENCODE names its program)", () => {
  it("what Karyi denies does not run; a command and a written file are undone", async () => {
    const at = await places();
    await writeFile(join(at.workspace, "a.txt"), "before\n");
    await hookCommand("install", "opencode", at, ["--mode", "accept-edits"]);
    const model = await scriptedModel([
      [bash("toolu_a", "cat /etc/shadow > got.txt")],
      [bash("toolu_b", "echo new > new.txt; rm a.txt; exit 3")],
      [{ id: "toolu_w", name: "write", input: { filePath: join(at.workspace, "w.txt"), content: "w\n" } }],
    ]);
    const provider = { npm: "@ai-sdk/anthropic", options: { baseURL: `${model.url}/v1`, apiKey: "none" }, models: { m: { name: "m" } } };
    await writeFile(join(at.own, ".config/opencode/opencode.json"), JSON.stringify({ provider: { local: provider }, autoupdate: false }));
    await run(opencode, ["run", "--model", "local/m", "go"], at);
    expect(model.results.get("toolu_a")).toContain("Karyi");
    expect(existsSync(join(at.workspace, "got.txt"))).toBe(false);
    expect(existsSync(join(at.workspace, "new.txt"))).toBe(true);
    expect(await readFile(join(at.workspace, "w.txt"), "utf8")).toBe("w\n");
    const session = await sessionOf("opencode", at);
    expect(await undo(at, session, "toolu_w")).toMatchObject({ status: "ok" });
    expect(existsSync(join(at.workspace, "w.txt"))).toBe(false);
    expect(await undo(at, session, "toolu_b")).toMatchObject({ status: "ok" });
    expect(await readFile(join(at.workspace, "a.txt"), "utf8")).toBe("before\n");
  }, 120_000);
});

describe.skipIf(!existsSync(pi))("under the real pi (KARYI_PI names its program)", () => {
  it("what Karyi denies does not run; what it allows runs; an edit is undone", async () => {
    const at = await places();
    await writeFile(join(at.workspace, "a.txt"), "before\n");
    await hookCommand("install", "pi", at, ["--mode", "accept-edits"]);
    const model = await scriptedModel([
      [bash("toolu_a", "cat /etc/shadow > got.txt")],
      [bash("toolu_b", "ls")],
      [{ id: "toolu_e", name: "edit", input: { path: "a.txt", edits: [{ oldText: "before", newText: "after" }] } }],
    ]);
    const models = [{ id: "m", name: "m", reasoning: false, input: ["text"], contextWindow: 100_000, maxTokens: 1000 }];
    const providers = { local: { baseUrl: model.url, apiKey: "none", api: "anthropic-messages", models } };
    await writeFile(join(at.own, ".pi/agent/models.json"), JSON.stringify({ providers }));
    await run(pi, ["-p", "--provider", "local", "--model", "m", "go"], at);
    expect(model.results.get("toolu_a")).toContain("Karyi");
    expect(existsSync(join(at.workspace, "got.txt"))).toBe(false);
    expect(model.results.get("toolu_b")).toContain("a.txt");
    expect(await readFile(join(at.workspace, "a.txt"), "utf8")).toBe("after\n");
    expect(await undo(at, await sessionOf("pi", at), "toolu_e")).toMatchObject({ status: "ok" });
    expect(await readFile(join(at.workspace, "a.txt"), "utf8")).toBe("before\n");
  }, 120_000);
});
