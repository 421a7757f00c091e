/** Karyi under Claude Code: recorded payloads, the capturing shell, and what installing leaves behind. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, readlink, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { unwrapped } from "../src/adapters/index.ts";
import { answerHook, installHook, uninstallHook } from "../src/compose/hooks/index.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { bin } from "./support/mcp.ts";

interface Places {
  readonly home: string;
  readonly workspace: string;
}

async function places(): Promise<Places> {
  return { home: await realpath(await temporaryDirectory()), workspace: await realpath(await temporaryDirectory()) };
}

function payload(event: string, tool: string, input: object, cwd: string, id = "toolu_1", more: object = {}): string {
  return JSON.stringify({
    session_id: "s1",
    transcript_path: "/nowhere",
    cwd,
    permission_mode: "default",
    hook_event_name: event,
    tool_name: tool,
    tool_input: input,
    tool_use_id: id,
    ...more,
  });
}

const hook = ({ home, workspace }: Places, stdin: string, env: Record<string, string> = {}, more: string[] = []) =>
  karyi(["hook", "claude-code", "--home", home, ...more], { stdin, cwd: workspace, env: { CLAUDE_PROJECT_DIR: workspace, ...env } });

const decisionOf = ({ stdout }: { stdout: string }) =>
  stdout === "" ? "silence" : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
const session = ["--session", "claude-code:s1"];

describe("karyi hook claude-code", () => {
  it.each([
    ["Bash", { command: "ls" }, "silence"],
    ["Bash", { command: "cat /etc/shadow" }, "deny"],
    ["Bash", { command: "curl https://example.com" }, "ask"],
    ["Read", { file_path: "a.txt" }, "silence"],
    ["Write", { file_path: "/etc/hosts", content: "x" }, "deny"],
    ["Grep", { pattern: "x", path: "/etc" }, "deny"],
    // The agent's tools know nothing of a session's own temporary directory.
    ["Write", { file_path: "/tmp/karyi-nobody-has-this", content: "x" }, "deny"],
    ["TodoWrite", { todos: [] }, "silence"],
    ["mcp__github__create_issue", { title: "x" }, "ask"],
    ["ReadMcpResourceTool", { server: "docs", uri: "docs://x" }, "ask"],
    ["SomeToolOfTomorrow", { anything: 1 }, "ask"],
  ])("%s %j is answered as the policy judges it: %s", async (tool, input, expected) => {
    const at = await places();
    await writeFile(join(at.workspace, "a.txt"), "a\n");
    const answer = await hook(at, payload("PreToolUse", tool, input, at.workspace));
    expect({ code: answer.code, decision: decisionOf(answer) }).toEqual({ code: 0, decision: expected });
  });

  it.each([
    ["Read", { file_path: "none.txt" }, "silence"],
    ["Read", { file_path: "/opt/nobody/none.txt" }, "ask"],
    ["Read", { file_path: 7 }, "ask"],
    ["Edit", { file_path: "/etc/hosts", old_string: "no such text", new_string: "x" }, "deny"],
    ["Edit", { file_path: "/etc/hosts.none", old_string: "a", new_string: "b" }, "deny"],
    ["Edit", { file_path: "a.txt", old_string: "no such text", new_string: "x" }, "ask"],
    ["Edit", { file_path: "a.txt" }, "ask"],
    ["Edit", {}, "ask"],
    ["Write", { file_path: "/etc/hosts" }, "deny"],
    ["MultiEdit", { file_path: "/etc/hosts", edits: "nonsense" }, "deny"],
    ["Glob", { pattern: "*/../../../etc/*" }, "ask"],
    ["Glob", { pattern: "{/etc,x}/*", path: 7 }, "ask"],
    ["Grep", { pattern: 7, path: "/etc" }, "deny"],
    ["WebFetch", { url: "nonsense" }, "deny"],
    ["Bash", { command: 7 }, "ask"],
    ["Bash", {}, "ask"],
  ])("a call that cannot be planned is judged by what its input names: %s %j: %s", async (tool, input, expected) => {
    const at = await places();
    await writeFile(join(at.workspace, "a.txt"), "a\n");
    const { home, workspace } = at;
    const asked = payload("PreToolUse", tool, input, workspace);
    const stdout = await answerHook({ payload: asked, home, workspace, agent: "claude-code", isCaptured: false });
    expect(decisionOf({ stdout })).toBe(expected);
  });

  it("an edit that only the agent can make is undone too", async () => {
    const at = await places();
    const path = join(at.workspace, "a.txt");
    await writeFile(path, "before\n");
    const input = { file_path: path, old_string: "text that the agent finds by rules of its own", new_string: "after" };
    expect(decisionOf(await hook(at, payload("PreToolUse", "Edit", input, at.workspace), {}, ["--mode", "accept-edits"]))).toBe("silence");
    await writeFile(path, "after\n");
    await hook(at, payload("PostToolUse", "Edit", input, at.workspace, "toolu_1", { tool_response: { filePath: path } }));
    const undone = await karyi(["undo", "toolu_1", "--home", at.home, "--workspace", at.workspace, ...session, "--json"]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ status: "ok" });
    expect(await readFile(path, "utf8")).toBe("before\n");
  });

  it("what cannot be understood is refused with exit code 2 and a reason", async () => {
    const at = await places();
    for (const nonsense of ["", "{}", "not json"]) {
      const { code, stderr, stdout } = await hook(at, nonsense);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).not.toBe("");
    }
  });

  it("an edit that the agent made is undone by karyi undo", async () => {
    const at = await places();
    const path = join(at.workspace, "a.txt");
    await writeFile(path, "before\n");
    const input = { file_path: path, old_string: "before", new_string: "after" };
    expect(decisionOf(await hook(at, payload("PreToolUse", "Edit", input, at.workspace), {}, ["--mode", "accept-edits"]))).toBe("silence");
    await writeFile(path, "after\n");
    await hook(at, payload("PostToolUse", "Edit", input, at.workspace, "toolu_1", { tool_response: { filePath: path } }));
    const undone = await karyi(["undo", "toolu_1", "--home", at.home, "--workspace", at.workspace, ...session, "--json"]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ status: "ok" });
    expect(await readFile(path, "utf8")).toBe("before\n");
  });
});

describe("the wrapper of Claude Code's shell", () => {
  it("is taken apart where it is known exactly, and left alone else", () => {
    const file = "/tmp/claude-1-cwd";
    const known = `source /x/snapshot.sh && eval 'echo '"'"'a b'"'"' && ls' \\< /dev/null && pwd -P >| ${file}`;
    expect(unwrapped(known)).toEqual({ command: "echo 'a b' && ls", directoryFile: file });
    expect(unwrapped(`eval 'ls' && pwd -P >| ${file}`)).toEqual({ command: "ls", directoryFile: file });
    for (const other of ["ls", `eval "$X" && pwd -P >| ${file}`, `eval 'ls' && pwd -P >| ${file}; rm -rf x`, "eval 'ls'"]) {
      expect(unwrapped(other)).toBeUndefined();
    }
  });
});

describe("install, shell, uninstall", () => {
  const install = (at: Places, settings: string) =>
    karyi(["hook", "install", "claude-code", "--home", at.home, "--settings", settings, "--json"]);
  const uninstall = (at: Places, settings: string) =>
    karyi(["hook", "uninstall", "claude-code", "--home", at.home, "--settings", settings, "--json"]);

  it("a command that the hook saw is captured: exit code, streams and directory stay, and undo gives everything back", async () => {
    const at = await places();
    const settings = join(at.home, "settings.json");
    expect((await install(at, settings)).code).toBe(0);
    const { env } = JSON.parse(await readFile(settings, "utf8"));
    const shell = env.CLAUDE_CODE_SHELL as string;
    expect(shell).toContain("bash");
    await writeFile(join(at.workspace, "old.txt"), "old\n");
    await mkdir(join(at.workspace, "sub"));
    const command = "rm old.txt; echo new > new.txt; echo out; echo err >&2; cd sub";
    const file = join(await temporaryDirectory(), "cwd");
    const passed = await hook(at, payload("PreToolUse", "Bash", { command }, at.workspace, "toolu_9"), { CLAUDE_CODE_SHELL: shell });
    expect(decisionOf(passed)).toBe("silence");
    const ran = await runShell(shell, `source /dev/null && eval '${command}' \\< /dev/null && pwd -P >| ${file}`, at.workspace);
    expect(ran).toEqual({ code: 0, stdout: "out\n", stderr: "err\n" });
    expect((await readFile(file, "utf8")).trim()).toBe(join(at.workspace, "sub"));
    expect(existsSync(join(at.workspace, "old.txt"))).toBe(false);
    const undone = await karyi(["undo", "toolu_9", "--home", at.home, "--workspace", at.workspace, ...session, "--json"]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ status: "ok" });
    expect(await readFile(join(at.workspace, "old.txt"), "utf8")).toBe("old\n");
    expect(existsSync(join(at.workspace, "new.txt"))).toBe(false);

    const unseen = await runShell(shell, `eval 'exit 7' && pwd -P >| ${file}`, at.workspace);
    expect(unseen).toMatchObject({ code: 7, stderr: expect.stringContaining("karyi") });
    expect(await runShell(shell, "echo plain", at.workspace)).toEqual({ code: 0, stdout: "plain\n", stderr: "" });
    const status = await karyi(["hook", "status", "claude-code", "--home", at.home, "--settings", settings, "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ installed: true, grade: "captured", last_seen: expect.any(String) });
  });

  it("an exit code that is not 0 stays, and no directory is written", async () => {
    const at = await places();
    const settings = join(at.home, "settings.json");
    await install(at, settings);
    const { env } = JSON.parse(await readFile(settings, "utf8"));
    const file = join(await temporaryDirectory(), "cwd");
    await hook(at, payload("PreToolUse", "Bash", { command: "echo x > x.txt; exit 3" }, at.workspace), {
      CLAUDE_CODE_SHELL: env.CLAUDE_CODE_SHELL,
    });
    const ran = await runShell(env.CLAUDE_CODE_SHELL, `eval 'echo x > x.txt; exit 3' && pwd -P >| ${file}`, at.workspace);
    expect(ran.code).toBe(3);
    expect(existsSync(file)).toBe(false);
  });

  const foreign = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "mine" }] }] }, model: "opus" };
  it.each([
    ["plain", JSON.stringify(foreign, undefined, 2)],
    ["tabs and a final line end", `${JSON.stringify(foreign, undefined, "\t")}\n`],
    ["a byte order mark and CRLF", `\uFEFF${JSON.stringify(foreign, undefined, 4).replaceAll("\n", "\r\n")}\r\n`],
    ["odd formatting", '{ "model":"opus" ,\n\n  "env": {"A":"1"} }'],
    ["nothing but an object", "{}"],
  ])("install and uninstall leave equal bytes: %s", async (_, text) => {
    const at = await places();
    const settings = join(at.home, "settings.json");
    await writeFile(settings, text);
    const hookScript = join(dirname(bin), "hook.sh");
    const where = { agent: "claude-code", home: at.home, settings, node: process.execPath, script: bin, hookScript } as const;
    expect((await installHook(where)).diff).toContain("claude-code before");
    expect(await readFile(settings, "utf8")).toContain("claude-code after");
    expect(await installHook(where)).toEqual({ diff: "", changed: false });
    expect(await uninstallHook(at.home, "claude-code")).toBe(true);
    expect(await readFile(settings, "utf8")).toBe(text);
  });

  it("no file before is no file after, a link stays a link, and an unparsable file is left alone", async () => {
    const at = await places();
    const settings = join(at.home, "none", "settings.json");
    await install(at, settings);
    await uninstall(at, settings);
    expect(existsSync(settings)).toBe(false);
    const link = join(at.home, "link.json");
    await writeFile(join(at.home, "real.json"), "{}");
    await symlink("real.json", link);
    await install(at, link);
    await uninstall(at, link);
    expect([await readlink(link), await readFile(link, "utf8")]).toEqual(["real.json", "{}"]);
    const broken = join(at.home, "broken.json");
    await writeFile(broken, '{ // mine\n "model": "opus" }');
    expect((await install(at, broken)).code).not.toBe(0);
    expect(await readFile(broken, "utf8")).toBe('{ // mine\n "model": "opus" }');
  });

  it("what somebody changed meanwhile stays, and only our entries go", async () => {
    const at = await places();
    const settings = join(at.home, "settings.json");
    await writeFile(settings, JSON.stringify(foreign, undefined, 2));
    await install(at, settings);
    const changed = { ...JSON.parse(await readFile(settings, "utf8")), model: "sonnet" };
    await writeFile(settings, JSON.stringify(changed, undefined, 2));
    await uninstall(at, settings);
    expect(JSON.parse(await readFile(settings, "utf8"))).toEqual({ ...foreign, model: "sonnet" });
  });

  it("the entry lets a call pass and says so if the program is gone", async () => {
    const at = await places();
    const settings = join(at.home, "settings.json");
    await install(at, settings);
    const line = JSON.parse(await readFile(settings, "utf8")).hooks.PreToolUse[0].hooks[0].command as string;
    const gone = await run("/bin/sh", ["-c", line.replaceAll("/hook.sh", "/hook.gone")], at.workspace);
    expect(gone).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("karyi is not there") });
  });
});

const runShell = (shell: string, text: string, cwd: string) => run(shell, ["-c", text], cwd);

function run(program: string, args: string[], cwd: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, LANG: "C" } });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
