/** The command as somebody sees it who has never used it: help, completion, history, rules, what the policy says and why. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { alwaysLines, effectLines } from "../src/cli/card-lines.ts";
import { buildProgram } from "../src/cli/program.ts";
import type { ApprovalCard } from "../src/contract/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const binary = join(import.meta.dirname, "../bin/karyi.js");

interface Place {
  readonly workspace: string;
  readonly home: string;
}

async function place(): Promise<Place> {
  return { workspace: await temporaryDirectory(), home: await temporaryDirectory() };
}

function karyi({ workspace, home }: Place, args: readonly string[], input = "") {
  const env = { ...process.env, LC_ALL: "C", LANG: "C", TZ: "Asia/Tokyo" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args, "--workspace", workspace, "--home", home], {
    encoding: "utf8",
    env,
    input,
  });
  return { status, stdout, stderr };
}

/** The card of a call that is asked about. */
async function cardOf(command: string): Promise<ApprovalCard | undefined> {
  let card: ApprovalCard | undefined;
  const { engine } = await testEngine({
    config: { commands: "ask" },
    approve: async (asked) => {
      card = asked;
      return "deny";
    },
  });
  await (await engine.openSession()).call("Bash", { command });
  return card;
}

describe("a permission card", () => {
  it("names every effect with its own verdict", async () => {
    const card = await cardOf("npm test && git push");
    const lines = card === undefined ? [] : effectLines(card, "");
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}ask +run git push: /));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}ask +run npm test: /));
  });

  it("says of each rule that always would store what it would allow, and why there is none", async () => {
    const two = await cardOf("npm test -- one && make deploy");
    const lines = two === undefined ? [] : alwaysLines(two);
    for (const rule of two?.proposal?.rules ?? []) expect(lines).toContain(`  ${rule}`);
    expect(two?.proposal?.rules).toHaveLength(2);
    expect(lines.filter((line) => line.includes("would also allow"))).toHaveLength(2);
    const none = await cardOf("rm -rf build");
    expect(none && alwaysLines(none)).toEqual([expect.stringContaining("a whole tree")]);
  });
});

describe("help and completion", () => {
  it("the help of every command has examples", () => {
    const without: string[] = [];
    const visit = (command: ReturnType<typeof buildProgram>, words: string): void => {
      let text = "";
      command.configureOutput({
        writeOut: (part) => {
          text += part;
        },
      });
      command.outputHelp();
      if (!text.includes("Examples:")) without.push(words);
      for (const sub of command.commands) visit(sub, `${words} ${sub.name()}`);
    };
    visit(buildProgram(), "karyi");
    expect(without).toEqual([]);
  });

  it("bash completes commands, tools, values of flags and files", async () => {
    const at = await place();
    writeFileSync(join(at.workspace, "cases.jsonl"), "");
    const script = karyi(at, ["completion", "bash"]).stdout;
    const complete = (...words: string[]): string[] => {
      const line = `COMP_WORDS=(karyi ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _karyi; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", `${script}\n${line}`], { cwd: at.workspace, encoding: "utf8" })
        .trim()
        .split("\n");
    };
    expect(complete("his")).toEqual(["history"]);
    expect(complete("approvals", "sh")).toEqual(["show"]);
    expect(complete("call", "MultiE")).toEqual(["MultiEdit"]);
    expect(complete("call", "Read", "--mode", "acc")).toEqual(["accept-edits"]);
    expect(complete("undo", "--dry")).toEqual(["--dry-run"]);
    expect(complete("policy", "test", "ca")).toEqual(["cases.jsonl"]);
  });
});

describe("history, rules and the policy", () => {
  it("history has short ids and local times; show and undo take the short id", async () => {
    const at = await place();
    expect(karyi(at, ["call", "Write", '{"file_path":"a.txt","content":"hello\\n"}', "--approve", "yes"]).status).toBe(0);
    const { calls } = JSON.parse(karyi(at, ["history", "--json"]).stdout) as { calls: { callId: string; time: string }[] };
    const { callId = "", time = "" } = calls[0] ?? {};
    const shown = karyi(at, ["history"]).stdout;
    expect(shown).toContain(` ${callId.slice(0, 8)} `);
    expect(shown).not.toContain(callId);
    const tokyo = new Date(Date.parse(time) + 9 * 3_600_000).toISOString();
    expect(shown).toContain(`${tokyo.slice(0, 10)} ${tokyo.slice(11, 19)}`);
    const whole = karyi(at, ["history", "show", callId.slice(0, 8)]).stdout;
    for (const part of [callId, "a.txt", "+hello", `karyi undo ${callId.slice(0, 8)}`]) expect(whole).toContain(part);
    expect(karyi(at, ["undo", callId.slice(0, 8)]).status).toBe(0);
    const long = JSON.stringify({ file_path: "long.txt", content: "word ".repeat(1000) });
    expect(karyi(at, ["call", "Write", long, "--approve", "yes"]).stderr).toMatch(/karyi undo [0-9a-f]{8}\n/);
    const [last] = (JSON.parse(karyi(at, ["history", "--json"]).stdout) as { calls: { callId: string }[] }).calls;
    expect(karyi(at, ["history", "show", last?.callId ?? ""]).stdout).toContain("word … (4600 characters more: --json)");
    expect(karyi(at, ["history", "show", "nothing"])).toMatchObject({ status: 1, stderr: expect.stringContaining("nothing") });
  });

  it("the time that a person was waited for is told apart from what the call took", async () => {
    const { engine, workspace, home } = await testEngine({
      approve: async () => {
        // Something that takes its time, as a person does.
        spawnSync(process.execPath, [binary, "--version"]);
        return "once";
      },
    });
    const { callId, durationMs } = await (await engine.openSession()).call("Write", { file_path: "a.txt", content: "hello" });
    const [approval] = await engine.approvals();
    const waited = (approval?.answeredAt ?? 0) - (approval?.createdAt ?? 0);
    expect(waited).toBeGreaterThan(0);
    const { stdout } = karyi({ workspace, home }, ["history", "show", callId]);
    expect(stdout).toContain(`took ${Math.round(durationMs) - waited} ms\nWaited ${waited} ms for an answer\n`);
  });

  it("rules chosen with always are listed with the others, and taken back", async () => {
    const at = await place();
    mkdirSync(at.home, { recursive: true });
    writeFileSync(join(at.home, "config.json"), JSON.stringify({ permissions: { deny: ["Bash(rm *)"] } }));
    writeFileSync(join(at.home, "projects.json"), JSON.stringify({ [at.workspace]: { allow: ["Bash(npm test *)", "Bash(make)"] } }));
    const listed = () => JSON.parse(karyi(at, ["rules", "--json"]).stdout) as { rules: unknown };
    expect(listed()).toEqual({
      rules: [
        { rule: "Bash(rm *)", list: "deny", source: "home" },
        { rule: "Bash(npm test *)", list: "allow", source: "always" },
        { rule: "Bash(make)", list: "allow", source: "always" },
      ],
    });
    expect(karyi(at, ["rules", "remove", "Bash(make)"]).status).toBe(0);
    expect(karyi(at, ["rules", "remove", "Bash(make)"]).status).toBe(2);
    expect(karyi(at, ["rules"]).stdout).not.toContain("Bash(make)");
  });

  it("policy test judges a path as the tools do", async () => {
    const at = await place();
    execFileSync("mkfifo", [join(at.workspace, "pipe")]);
    writeFileSync(join(at.workspace, "file"), "x");
    const inputs = ["file:///etc/passwd", "pipe", "file", `file://${join(at.workspace, "file")}`];
    const cases = inputs.map((input) => JSON.stringify({ id: input, kind: "path", op: "read", input, expect: "allow" }));
    const { stdout } = karyi(at, ["policy", "test", "-"], cases.join("\n"));
    const decisions = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { decision: string }).decision);
    expect(decisions).toEqual(["deny", "deny", "allow", "allow"]);
  });

  it("what plan mode denies says that it is plan mode", async () => {
    const { engine } = await testEngine({ mode: "plan" });
    const session = await engine.openSession();
    const result = await session.call("Write", { file_path: "a.txt", content: "x" });
    expect(result).toMatchObject({ status: "denied", error: { message: expect.stringContaining("plan mode") } });
  });

  it("accept-edits makes, touches, copies and moves inside without asking; a link is judged by its own directory", async () => {
    const asked: string[] = [];
    const { engine, workspace } = await testEngine({
      mode: "accept-edits",
      approve: async ({ summary }) => {
        asked.push(summary);
        return "deny";
      },
    });
    const session = await engine.openSession();
    mkdirSync(join(workspace, "docs"));
    mkdirSync(join(workspace, "packages"));
    writeFileSync(join(workspace, "a.txt"), "a");
    for (const command of ["mkdir -p x/y", "touch b.txt", "cp a.txt c.txt", "mv c.txt d.txt", "ln -s ../packages docs/p"])
      expect(await session.call("Bash", { command })).toMatchObject({ status: "ok" });
    expect(asked).toEqual([]);
    const { plan } = await session.explain("Bash", { command: "ln -s ../packages docs/p" });
    const read = plan.effects.flatMap((effect) => (effect.kind === "read" ? [effect.path.lexical] : []));
    expect(read).toEqual(expect.arrayContaining([join(workspace, "packages")]));
    expect(read).not.toContain(join(workspace, "../packages"));
  });
});
