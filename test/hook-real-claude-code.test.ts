/**
 * Karyi under the real Claude Code, which talks to a scripted model on loopback. `KARYI_CLAUDE_CODE` is the path of its program;
 * without it these tests are skipped, and `hook-claude-code.test.ts` stands in with recorded payloads.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { type ScriptedUse, scriptedModel } from "./support/scripted-model.ts";

const program = process.env.KARYI_CLAUDE_CODE ?? "";
const limitMs = 120_000;

const bash = (id: string, command: string): ScriptedUse => ({ id, name: "Bash", input: { command, description: "a test" } });

interface Under {
  readonly home: string;
  readonly workspace: string;
  readonly config: string;
}

/** The person's own settings are there before Karyi is. */
async function under(settings: object = {}, more: readonly string[] = []): Promise<Under> {
  const [home, workspace, config] = await Promise.all([1, 2, 3].map(async () => realpath(await temporaryDirectory())));
  if (home === undefined || workspace === undefined || config === undefined) throw new Error("no place");
  await writeFile(join(config, "settings.json"), JSON.stringify(settings));
  const places = ["--home", home, "--settings", join(config, "settings.json")];
  const installed = await karyi(["hook", "install", "claude-code", ...places, "--json", ...more]);
  expect(installed).toMatchObject({ code: 0 });
  onTestFinished(() => rm(join(home, "run", "hook.curl"), { force: true }));
  return { home, workspace, config };
}

/** Answers the session's name at Karyi. */
async function agent({ workspace, config }: Under, url: string, more: readonly string[] = ["--allowedTools", "Bash"]): Promise<string> {
  const child = spawn(program, ["-p", "go", "--permission-mode", "acceptEdits", "--output-format", "json", ...more], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: config,
      CLAUDE_CONFIG_DIR: config,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return `claude-code:${JSON.parse(stdout).session_id}`;
}

async function undo({ home, workspace }: Under, session: string, call: string): Promise<unknown> {
  return JSON.parse((await karyi(["undo", call, "--home", home, "--workspace", workspace, "--session", session, "--json"])).stdout);
}

describe.skipIf(!existsSync(program))("under the real Claude Code (KARYI_CLAUDE_CODE names its program)", () => {
  it(
    "a command that creates and deletes is undone, the directory carries over, exit codes stay",
    async () => {
      const at = await under();
      await writeFile(join(at.workspace, "old.txt"), "old\n");
      const model = await scriptedModel([
        [bash("toolu_a", "mkdir sub; echo new > new.txt; rm old.txt; cd sub")],
        [bash("toolu_b", "pwd; echo problem >&2; exit 3")],
      ]);
      const session = await agent(at, model.url);
      expect(model.results.get("toolu_b")).toMatch(new RegExp(`^Exit code 3\n${at.workspace}/sub\n(?:.*\n)*problem`));
      expect([existsSync(join(at.workspace, "old.txt")), existsSync(join(at.workspace, "new.txt"))]).toEqual([false, true]);
      expect(await undo(at, session, "toolu_a")).toMatchObject({ status: "ok" });
      expect(await readFile(join(at.workspace, "old.txt"), "utf8")).toBe("old\n");
      expect([existsSync(join(at.workspace, "sub")), existsSync(join(at.workspace, "new.txt"))]).toEqual([false, false]);
    },
    limitMs,
  );

  it(
    "the person's own deny rule still denies, and what Karyi denies does not run",
    async () => {
      const at = await under({ permissions: { deny: ["Bash(touch:*)"] } });
      const model = await scriptedModel([[bash("toolu_a", "touch mine.txt")], [bash("toolu_b", "cat /etc/shadow > got.txt")]]);
      await agent(at, model.url);
      expect([existsSync(join(at.workspace, "mine.txt")), existsSync(join(at.workspace, "got.txt"))]).toEqual([false, false]);
      expect(model.results.get("toolu_a")).toMatch(/denied/i);
      expect(model.results.get("toolu_b")).toContain("Karyi");
    },
    limitMs,
  );

  it(
    "two commands of one message are undone apart, and so is an edit; a sub-agent's command is captured",
    async () => {
      const at = await under({}, ["--mode", "accept-edits"]);
      await writeFile(join(at.workspace, "a.txt"), "before\n");
      const path = join(at.workspace, "a.txt");
      const model = await scriptedModel([
        [bash("toolu_a", "echo a > one.txt"), bash("toolu_b", "echo b > two.txt")],
        [{ id: "toolu_r", name: "Read", input: { file_path: path } }],
        [{ id: "toolu_e", name: "Edit", input: { file_path: path, old_string: "before", new_string: "after" } }],
        [{ id: "toolu_t", name: "Agent", input: { description: "x", prompt: "go", subagent_type: "general-purpose" } }],
        [bash("toolu_s", "echo s > sub.txt")],
      ]);
      const session = await agent(at, model.url, ["--allowedTools", "Bash,Edit,Read,Agent"]);
      expect(await readFile(path, "utf8")).toBe("after\n");
      expect(existsSync(join(at.workspace, "sub.txt"))).toBe(true);
      expect(await undo(at, session, "toolu_a")).toMatchObject({ status: "ok" });
      expect([existsSync(join(at.workspace, "one.txt")), existsSync(join(at.workspace, "two.txt"))]).toEqual([false, true]);
      expect(await undo(at, session, "toolu_e")).toMatchObject({ status: "ok" });
      expect(await readFile(path, "utf8")).toBe("before\n");
      expect(await undo(at, session, "toolu_s")).toMatchObject({ status: "ok" });
      expect(existsSync(join(at.workspace, "sub.txt"))).toBe(false);
    },
    limitMs,
  );

  it(
    "an agent that ran leaves its settings alone, so that uninstalling gives equal bytes",
    async () => {
      const settings = { permissions: { allow: ["Bash(ls:*)"] }, cleanupPeriodDays: 30 };
      const at = await under(settings);
      await mkdir(join(at.workspace, "sub"));
      const model = await scriptedModel([[bash("toolu_a", "ls")]]);
      await agent(at, model.url);
      expect(model.results.get("toolu_a")).toBe("sub");
      const file = join(at.config, "settings.json");
      await karyi(["hook", "uninstall", "claude-code", "--home", at.home, "--settings", file, "--json"]);
      expect(await readFile(file, "utf8")).toBe(JSON.stringify(settings));
    },
    limitMs,
  );
});
