/**
 * Karyi under Codex: recorded payloads, questions that become approvals, images for patches, installing; and the real one against
 * a scripted model where `KARYI_CODEX` names its program.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerHook } from "../src/compose/hooks/index.ts";
import type { Mode } from "../src/contract/index.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { scriptedModel } from "./support/scripted-model.ts";

interface Places {
  readonly home: string;
  readonly workspace: string;
}

async function places(config: object = {}): Promise<Places> {
  const at = { home: await realpath(await temporaryDirectory()), workspace: await realpath(await temporaryDirectory()) };
  await writeFile(join(at.home, "config.json"), JSON.stringify(config));
  return at;
}

let calls = 0;

/** As Codex 0.169 sends it; each call has an id of its own. */
function hook({ home, workspace }: Places, tool: string, command: string, more: object = {}, mode?: Mode): Promise<string> {
  const payload = {
    session_id: "s1",
    turn_id: "t1",
    transcript_path: null,
    cwd: workspace,
    hook_event_name: "PreToolUse",
    model: "m",
    permission_mode: "bypassPermissions",
    tool_name: tool,
    tool_input: { command },
    tool_use_id: `call_${++calls}`,
    ...more,
  };
  return answerHook({ agent: "codex", payload: JSON.stringify(payload), home, isCaptured: false, ...(mode === undefined ? {} : { mode }) });
}

/** Codex lets a call run whose answer has a field that it does not know, or any decision but a denial with its reason. */
function reasonOf(answer: string): string {
  const parsed = JSON.parse(answer);
  const permissionDecisionReason = parsed.hookSpecificOutput.permissionDecisionReason as string;
  const only = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason };
  expect(parsed).toEqual({ hookSpecificOutput: only });
  return permissionDecisionReason;
}

const idOf = (answer: string) => /karyi approvals answer (\S+) once/.exec(reasonOf(answer))?.[1] ?? "";
const answerWith = (at: Places, id: string, answer: string) =>
  karyi(["approvals", "answer", id, answer, "--home", at.home, "--workspace", at.workspace, "--json"]);
const undo = (at: Places, call: string) =>
  karyi(["undo", call, "--home", at.home, "--workspace", at.workspace, "--session", "codex:s1", "--json"]);

describe("karyi hook codex", () => {
  it("an allow is silence, a denial has its reason, and a question is a denial with the line to type", async () => {
    const at = await places();
    expect(await hook(at, "Bash", "ls")).toBe("");
    expect(reasonOf(await hook(at, "Bash", "cat /etc/shadow"))).toContain("/etc/shadow");
    expect(idOf(await hook(at, "Bash", "curl https://example.com"))).not.toBe("");
    expect(idOf(await hook(at, "mcp__github__create_issue", "x"))).not.toBe("");
    expect(idOf(await hook(at, "tool_of_tomorrow", "x"))).not.toBe("");
    expect(await hook(at, "update_plan", "x")).toBe("");
  });

  it("the same call passes once after a yes, and only that call", async () => {
    const at = await places();
    const id = idOf(await hook(at, "Bash", "echo x > x.txt"));
    expect(idOf(await hook(at, "Bash", "echo x > x.txt"))).toBe(id);
    const answered = await answerWith(at, id, "once");
    expect(answered.code).toBe(0);
    expect(existsSync(join(at.workspace, "x.txt"))).toBe(false);
    expect(idOf(await hook(at, "Bash", "echo x > y.txt"))).not.toBe(id);
    expect(await hook(at, "Bash", "echo x > x.txt")).toBe("");
    const again = idOf(await hook(at, "Bash", "echo x > x.txt"));
    expect([again === "", again === id]).toEqual([false, false]);
  });

  it("what the person refused stays refused, in their words", async () => {
    const at = await places();
    const id = idOf(await hook(at, "Bash", "echo x > x.txt"));
    await karyi(["approvals", "answer", id, "deny", "--words", "use a branch", "--home", at.home, "--workspace", at.workspace]);
    expect(reasonOf(await hook(at, "Bash", "echo x > x.txt"))).toContain("use a branch");
  });

  it("a patch is undone: what it changed, made, moved and deleted", async () => {
    const at = await places();
    const path = (name: string) => join(at.workspace, name);
    for (const name of ["a.txt", "b.txt", "c.txt"]) await writeFile(path(name), `${name}\n`);
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt\n@@\n-a.txt\n+changed",
      "*** Delete File: b.txt",
      "*** Update File: c.txt\n*** Move to: d.txt\n@@\n-c.txt\n+moved",
      "*** Add File: e.txt\n+new",
      "*** End Patch\n",
    ].join("\n");
    const tool_use_id = "call_patch";
    expect(await hook(at, "apply_patch", patch, { tool_use_id }, "accept-edits")).toBe("");
    await writeFile(path("a.txt"), "changed\n");
    await rm(path("b.txt"));
    await rm(path("c.txt"));
    await writeFile(path("d.txt"), "moved\n");
    await writeFile(path("e.txt"), "new\n");
    await hook(at, "apply_patch", patch, { tool_use_id, hook_event_name: "PostToolUse", tool_response: "Done" });
    expect(JSON.parse((await undo(at, tool_use_id)).stdout)).toMatchObject({ status: "ok" });
    for (const name of ["a.txt", "b.txt", "c.txt"]) expect(await readFile(path(name), "utf8")).toBe(`${name}\n`);
    expect([existsSync(path("d.txt")), existsSync(path("e.txt"))]).toEqual([false, false]);
  });

  it("a patch is judged by every file it names, and one that names none is asked about", async () => {
    const at = await places();
    const outside = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: /etc/hosts\n*** End Patch\n";
    expect(reasonOf(await hook(at, "apply_patch", outside, {}, "accept-edits"))).toContain("/etc");
    expect(idOf(await hook(at, "apply_patch", "nonsense", {}, "accept-edits"))).not.toBe("");
  });

  it("what goes on taking orders that no hook sees is asked about, though it only reads so far", async () => {
    const at = await places();
    expect(reasonOf(await hook(at, "Bash", "less a.txt"))).toContain("taking orders");
    expect(await hook(at, "Bash", "cat a.txt | less")).toBe("");
    for (const command of ["bash", "python3 -i"]) expect(idOf(await hook(at, "Bash", command))).not.toBe("");
  });

  it("a command that nothing of ours confines is not allowed on the sandbox's account", async () => {
    const at = await places();
    expect(reasonOf(await hook(at, "Bash", "make all", {}, "auto"))).not.toBe("");
  });

  it("install and uninstall leave equal bytes, and status fails until a call was seen", async () => {
    const at = await places();
    const settings = join(at.home, "hooks.json");
    const text = '{ "hooks": {"PreToolUse": [ {"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]} ]} }';
    await writeFile(settings, text);
    const flags = ["codex", "--home", at.home, "--settings", settings, "--json"];
    expect((await karyi(["hook", "install", ...flags])).code).toBe(0);
    expect(JSON.parse(await readFile(settings, "utf8")).env).toBeUndefined();
    const unseen = await karyi(["hook", "status", ...flags]);
    expect({ code: unseen.code, ...JSON.parse(unseen.stdout) }).toMatchObject({ code: 1, installed: true, last_seen: null });
    await hook(at, "Bash", "ls");
    const seen = await karyi(["hook", "status", ...flags]);
    expect({ code: seen.code, ...JSON.parse(seen.stdout) }).toMatchObject({ code: 0, grade: "judged", last_seen: expect.any(String) });
    await karyi(["hook", "uninstall", ...flags]);
    expect(await readFile(settings, "utf8")).toBe(text);
  });
});

const program = process.env.KARYI_CODEX ?? "";

describe.skipIf(!existsSync(program))("under the real Codex (KARYI_CODEX names its program)", () => {
  it("a question blocks the command, and after a yes the same command runs", async () => {
    const at = await places();
    const config = await realpath(await temporaryDirectory());
    onTestFinished(() => rm(join(at.home, "run", "hook.curl"), { force: true }));
    await karyi(["hook", "install", "codex", "--home", at.home, "--settings", join(config, "hooks.json"), "--json"]);
    const exec = (id: string, cmd: string) => ({ id, name: "exec_command", input: { cmd } });
    const run = async (id: string) => {
      const model = await scriptedModel([[exec(id, "echo x > x.txt")], [exec(`${id}_read`, "echo seen; exit 3")]]);
      await writeFile(
        join(config, "config.toml"),
        `model = "m"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\n`,
      );
      const flags = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"];
      const resumed = id === "call_b" ? ["resume", "--last", "go"] : ["go"];
      const child = spawn(program, [...flags, ...resumed], {
        cwd: at.workspace,
        stdio: ["ignore", "ignore", "ignore"],
        env: { PATH: process.env.PATH, HOME: config, CODEX_HOME: config },
      });
      await new Promise((resolve) => child.on("close", resolve));
      return model.results;
    };
    const first = await run("call_a");
    expect(existsSync(join(at.workspace, "x.txt"))).toBe(false);
    expect(first.get("call_a_read")).toMatch(/exited with code 3[\s\S]*seen/);
    const id = /karyi approvals answer (\S+) once/.exec(first.get("call_a") ?? "")?.[1] ?? "";
    expect((await answerWith(at, id, "once")).code).toBe(0);
    await run("call_b");
    expect(await readFile(join(at.workspace, "x.txt"), "utf8")).toBe("x\n");
  }, 120_000);
});
