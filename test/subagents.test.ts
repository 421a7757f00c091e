/** Sub-agents (A3–A5) with scripted models: modes, rights, events, ends. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EngineOptions, KaryiEvent, RunOutcome, RunRequest, SessionHandle } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

type Turn = {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly delay_ms?: number;
  readonly finish?: "refused";
};

const call = (name: string, input: unknown) => ({ name, input });

/** An engine, and a function that writes scripts and answers their models. */
async function stage(options: EngineOptions = {}) {
  const scripts = await temporaryDirectory();
  const test = await testEngine(options);
  let count = 0;
  const model = async (...turns: Turn[]): Promise<string> => {
    const file = join(scripts, `${count++}.json`);
    await writeFile(file, JSON.stringify(turns));
    return `scripted/${file}`;
  };
  return { ...test, model };
}

async function runOf(
  session: SessionHandle,
  request: RunRequest,
): Promise<{ readonly events: readonly KaryiEvent[]; readonly outcome: RunOutcome }> {
  const events: KaryiEvent[] = [];
  const run = session.run(request);
  for (;;) {
    const { done, value } = await run.next();
    if (done) return { events, outcome: value };
    events.push(value);
  }
}

const results = (events: readonly KaryiEvent[]) =>
  events.flatMap((event) =>
    event.type === "tool_result" ? [{ tool: event.body.tool, status: event.body.status, output: event.body.output }] : [],
  );
const nested = (events: readonly KaryiEvent[], id: string) =>
  events.flatMap((event) =>
    event.type === "subagent_event" && event.subagentId === id ? [event.body.event as Record<string, unknown>] : [],
  );
const ends = (events: readonly KaryiEvent[]) =>
  events.flatMap((event) => (event.type === "subagent_end" ? [`${event.subagentId} ${event.body.status}`] : []));
const starts = (events: readonly KaryiEvent[]) =>
  events.flatMap((event) => (event.type === "subagent_start" ? [`${event.subagentId} ${event.body.agent}`] : []));

describe("an agent that is waited for", () => {
  it("answers with its last words; its events are in the parent's stream", async () => {
    const { engine, workspace, model } = await stage();
    await writeFile(join(workspace, "a.txt"), "hello\n");
    const child = await model({ calls: [call("Read", { file_path: "a.txt" })] }, { text: "It says hello." });
    const parent = await model(
      { calls: [call("Task", { prompt: "Read a.txt", description: "Reading", model: child })] },
      { text: "Done." },
    );
    const session = await engine.openSession();
    const { events, outcome } = await runOf(session, { prompt: "go", model: parent });
    expect([outcome.status, outcome.text]).toEqual(["done", "Done."]);
    expect(results(events)).toEqual([{ tool: "Agent", status: "ok", output: "It says hello." }]);
    expect([starts(events), ends(events)]).toEqual([["agent_1 general"], ["agent_1 done"]]);
    const own = nested(events, "agent_1");
    expect(own.map(({ type }) => type)).toEqual(expect.arrayContaining(["run_start", "tool_call", "tool_result", "text", "run_end"]));
    expect(own.find(({ type }) => type === "tool_result")).toMatchObject({ tool: "Read", status: "ok" });
    const types = events.map(({ type }) => type);
    expect(types.indexOf("subagent_start")).toBeLessThan(types.indexOf("subagent_event"));
    expect(types.lastIndexOf("subagent_event")).toBeLessThan(types.indexOf("subagent_end"));
    expect(await session.agents.list()).toMatchObject([
      { id: "agent_1", agent: "general", description: "Reading", mode: "sync", status: "done", calls: 1 },
    ]);
    expect(await session.agents.find("agent_2")).toBeUndefined();
  });

  it("an unknown agent, mode or no prompt is an error before anything starts", async () => {
    const { engine, model } = await stage();
    const parent = await model(
      {
        calls: [
          call("Agent", { prompt: "x", agent: "nobody" }),
          call("Agent", { prompt: "x", mode: "sideways" }),
          call("Agent", { prompt: " " }),
          call("Agent", {}),
        ],
      },
      { text: "Well." },
    );
    const { events } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    expect(results(events).map(({ status }) => status)).toEqual(["error", "error", "error", "error"]);
    expect(results(events).some(({ output }) => output.includes("general, lead, search, crawl"))).toBe(true);
    expect(starts(events)).toEqual([]);
  });

  it("has only the tools of its agent, and no more than its parent", async () => {
    const { engine, workspace, model } = await stage();
    const { mkdir } = await import("node:fs/promises");
    await mkdir(join(workspace, ".karyi", "agents"), { recursive: true });
    const define = (name: string, tools: string) =>
      writeFile(
        join(workspace, ".karyi", "agents", `${name}.md`),
        `---\nname: ${name}\ndescription: d\ntools: ${tools}\n---\nBe ${name}.\n`,
      );
    await define("looker", "Read, Bash(git status *), Bash(echo *)");
    await define("boss", "Agent, Glob");
    const child = await model(
      {
        calls: [
          call("Write", { file_path: "x", content: "x" }),
          call("Bash", { command: "touch y" }),
          call("Bash", { command: "echo hi" }),
          call("Glob", { pattern: "*" }),
        ],
      },
      { text: "Tried." },
    );
    const looked = await model({ calls: [call("Agent", { prompt: "look", agent: "looker", model: child })] }, { text: "ok" });
    const first = await runOf(await engine.openSession({ id: "one" }), { prompt: "go", model: looked });
    const tried = nested(first.events, "agent_1").filter(({ type }) => type === "tool_result");
    expect(tried.map(({ tool, status }) => `${tool} ${status}`)).toEqual(["Write error", "Bash denied", "Bash ok", "Glob error"]);
    expect(tried[0]?.output).toContain("Tool 'Write' not available in looker's toolkit");
    const second = await runOf(await engine.openSession({ id: "two" }), { prompt: "go", model: looked, agent: "boss" });
    const bounded = nested(second.events, "agent_1").filter(({ type }) => type === "tool_result");
    expect(bounded.map(({ tool, status }) => `${tool} ${status}`)).toEqual(["Write error", "Bash error", "Bash error", "Glob error"]);
    // The session itself has its own tools again when the agent has left.
    expect((await (await engine.openSession({ id: "two" })).call("Bash", { command: "echo x" })).status).toBe("ok");
  });

  it("that fails, or goes too deep, is an error result", async () => {
    const { engine, model } = await stage({ config: { agents: { maxDepth: 1 } } });
    const lower = await model({ text: "never" });
    const deep = await model({ calls: [call("Agent", { prompt: "deeper", model: lower })] }, { text: "could not" });
    const short = await model({ text: "I will not.", finish: "refused" });
    const parent = await model(
      { calls: [call("Agent", { prompt: "a", model: deep }), call("Agent", { prompt: "b", model: short })] },
      { text: "ok" },
    );
    const { events } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    const told = results(events).map(({ status, output }) => `${status} ${output.includes("could not")}`);
    expect(told.sort()).toEqual(["error false", "ok true"]);
    expect(ends(events).sort()).toEqual(["agent_1 done", "agent_2 failed"]);
    const refused = nested(events, "agent_1").find(({ type }) => type === "tool_result");
    expect(refused).toMatchObject({ tool: "Agent", status: "error", output: expect.stringContaining("deep") });
  });

  it("is named by the order of the calls in the answer, however the calls arrive", async () => {
    // The first call is held up by a hook until the second one is on its way; the third one is refused and takes no name.
    let release = () => {};
    const second = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { engine, model } = await stage({
      hooks: [
        {
          event: "before",
          run: async ({ input }) => {
            const { prompt } = input as { readonly prompt?: string };
            if (prompt === "a") await second;
            if (prompt === "b") release();
            return {};
          },
        },
      ],
    });
    const child = await model({ text: "done" });
    const parent = await model(
      {
        calls: [
          call("Agent", { prompt: "a", description: "A", model: child }),
          call("Agent", { prompt: "b", description: "B", model: child }),
          call("Agent", { prompt: "c", agent: "nobody" }),
          call("Task", { prompt: "d", description: "D", model: child }),
        ],
      },
      { text: "ok" },
    );
    const { events } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    const named = events.flatMap((event) => (event.type === "subagent_start" ? [`${event.subagentId} ${event.body.description}`] : []));
    expect(named).toEqual(["agent_1 A", "agent_2 B", "agent_3 D"]);
  });

  it("asks in its parent's stream, and children of children have a parent_id there", async () => {
    const { engine, workspace, model } = await stage({ approve: async () => "once" });
    const lowest = await model({ calls: [call("Write", { file_path: "made.txt", content: "x" })] }, { text: "written" });
    const middle = await model({ calls: [call("Agent", { prompt: "write", model: lowest })] }, { text: "had it written" });
    const parent = await model({ calls: [call("Agent", { prompt: "have it written", model: middle })] }, { text: "ok" });
    const { events } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    expect(await readFile(join(workspace, "made.txt"), "utf8")).toBe("x");
    const asked = events.filter(({ type }) => type === "permission_request");
    expect(asked.map(({ subagentId }) => subagentId)).toEqual(["agent_2"]);
    const started = events.flatMap((event) => (event.type === "subagent_start" ? [[event.subagentId, event.body.parent_id]] : []));
    expect(started).toEqual([
      ["agent_1", undefined],
      ["agent_2", "agent_1"],
    ]);
    expect(ends(events)).toEqual(["agent_2 done", "agent_1 done"]);
  });
});

describe("an agent in the background", () => {
  it("is a task, and what it said is told in a further turn", async () => {
    const { engine, model } = await stage();
    const child = await model({ text: "The answer is 42.", delay_ms: 300 });
    const parent = await model(
      { calls: [call("Agent", { prompt: "think", description: "Thinking", mode: "background", model: child })] },
      { calls: [call("TaskList", {})] },
      { text: "I wait." },
      { text: "So it is 42." },
    );
    const { events, outcome } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    const [started, listed] = results(events);
    expect([started?.output.includes("agent_1"), listed?.output]).toEqual([true, "agent_1 [in_progress] Thinking"]);
    expect([outcome.text, outcome.rounds, ends(events)]).toEqual(["So it is 42.", 4, ["agent_1 done"]]);
  });

  it("is read with TaskOutput and ended with TaskStop", async () => {
    const { engine, model } = await stage();
    const quick = await model({ text: "Quick." });
    const endless = await model({ text: "Never said.", delay_ms: 60_000 });
    const parent = await model(
      {
        calls: [
          call("Agent", { prompt: "a", mode: "background", model: quick }),
          call("Agent", { prompt: "b", mode: "background", model: endless }),
        ],
      },
      { calls: [call("TaskOutput", { id: "agent_1", wait_ms: 30_000 }), call("TaskStop", { id: "agent_2" })] },
      { text: "ok" },
      { text: "one turn too many" },
    );
    const { events, outcome } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    const [, , read, stopped] = results(events);
    expect([read?.output.startsWith("Quick.\n[agent_1 [done]"), stopped?.output.startsWith("agent_2 [cancelled]"), outcome.text]).toEqual([
      true,
      true,
      "ok",
    ]);
    expect(ends(events)).toEqual(["agent_1 done", "agent_2 cancelled"]);
  });

  it("ends with a run that is cancelled", async () => {
    const { engine, model } = await stage();
    const endless = await model({ text: "Never said.", delay_ms: 60_000 });
    const parent = await model({ calls: [call("Agent", { prompt: "b", mode: "background", model: endless })] }, { text: "I wait." });
    const session = await engine.openSession();
    const stop = new AbortController();
    const events: KaryiEvent[] = [];
    for await (const event of session.run({ prompt: "go", model: parent, signal: stop.signal })) {
      events.push(event);
      if (event.type !== "text") continue;
      expect(await session.agents.list()).toMatchObject([{ id: "agent_1", mode: "background", status: "running" }]);
      expect(await session.agents.cancel("agent_9")).toBe(false);
      stop.abort();
    }
    expect([ends(events), events.at(-1)?.type]).toEqual([["agent_1 cancelled"], "run_end"]);
    expect(await session.agents.list()).toMatchObject([{ status: "cancelled" }]);
  });
});

describe("an agent in a worktree", () => {
  const git = (directory: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@localhost", ...args], { cwd: directory, encoding: "utf8" });

  it("ten of them edit one repository side by side and are merged; the parent's tree is not touched meanwhile", async () => {
    const { engine, workspace, model } = await stage({ mode: "accept-edits" });
    git(workspace, "init", "-q", "-b", "main");
    const names = Array.from({ length: 10 }, (_, at) => `part${at}`);
    for (const name of names) await writeFile(join(workspace, `${name}.txt`), "old\n");
    git(workspace, "add", "-A");
    git(workspace, "commit", "-qm", "begin");
    const calls = await Promise.all(
      names.map(async (name) => {
        const child = await model(
          { calls: [call("Read", { file_path: `${name}.txt` })] },
          {
            calls: [
              call("Edit", { file_path: `${name}.txt`, old_string: "old", new_string: `new ${name}` }),
              call("Bash", { command: "pwd" }),
            ],
          },
          { text: `edited ${name}` },
        );
        return call("Agent", {
          prompt: `edit ${name}`,
          description: `Edit ${name}`,
          mode: "worktree",
          branch_name: `work/${name}`,
          model: child,
        });
      }),
    );
    const idle = await model({ text: "nothing to do" });
    const parent = await model(
      { calls: [...calls.slice(0, 9)] },
      { calls: [...calls.slice(9), call("Agent", { prompt: "nothing", mode: "worktree", branch_name: "work/idle", model: idle })] },
      { text: "all edited" },
    );
    const { events } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    const told = results(events);
    expect(told.map(({ status }) => status)).toEqual(Array(11).fill("ok"));
    const outputs = told.map(({ output }) => output).join("\n");
    for (const name of names) expect(outputs).toContain(`edited ${name}\n\n[branch work/${name}; changed: ${name}.txt]`);
    expect(outputs).toContain("nothing was changed");
    const pwd = nested(events, "agent_1").find(({ type, tool }) => type === "tool_result" && tool === "Bash");
    expect(String(pwd?.output)).not.toContain(workspace);
    expect(git(workspace, "status", "--porcelain")).toBe("");
    expect(git(workspace, "branch", "--format=%(refname:short)").trim().split("\n").sort()).toEqual([
      "main",
      ...names.map((name) => `work/${name}`),
    ]);
    expect(git(workspace, "worktree", "list").trim().split("\n")).toHaveLength(1);
    for (const name of names) git(workspace, "merge", "-q", "-m", name, `work/${name}`);
    for (const name of names) expect(await readFile(join(workspace, `${name}.txt`), "utf8")).toBe(`new ${name}\n`);
  });

  it("is refused before anything starts where there is no repository, the branch is there, or in plan mode", async () => {
    const { engine, workspace, model } = await stage();
    const child = await model({ text: "x" });
    const go = async (id: string, mode?: "plan") => {
      const parent = await model(
        { calls: [call("Agent", { prompt: "x", mode: "worktree", branch_name: "main", model: child })] },
        { text: "ok" },
      );
      const { events } = await runOf(await engine.openSession({ id, ...(mode && { mode }) }), { prompt: "go", model: parent });
      return [...results(events).map(({ status, output }) => `${status} ${output.split("\n")[0]}`), ...starts(events)];
    };
    expect(await go("none")).toEqual([expect.stringContaining("no git repository with a commit")]);
    git(workspace, "init", "-q", "-b", "main");
    expect(await go("empty")).toEqual([expect.stringContaining("no git repository with a commit")]);
    git(workspace, "commit", "-q", "--allow-empty", "-m", "begin");
    expect(await go("taken")).toEqual([expect.stringContaining("There is a branch 'main' already")]);
    expect(await go("plan", "plan")).toEqual([expect.stringContaining("plan mode")]);
  });
});

it("lead, search and crawl write an artifact together", async () => {
  const { engine, model } = await stage();
  const search = await model({ text: "Found https://example.org/a" });
  const crawl = await model({ calls: [call("ReadArtifact", { id: "report" })] }, { text: "The page says A." });
  const lead = await model(
    { calls: [call("TaskCreate", { title: "Find" }), call("CreateArtifact", { id: "report", title: "Report", content: "# Report\n" })] },
    {
      calls: [
        call("Agent", { prompt: "find", agent: "search", model: search }),
        call("Agent", { prompt: "read", agent_name: "crawl", model: crawl }),
      ],
    },
    {
      calls: [
        call("UpdateArtifact", { id: "report", old_str: "# Report\n", new_str: "# Report\n\nA, as https://example.org/a says.\n" }),
        call("Bash", { command: "ls" }),
      ],
    },
    { text: "Written." },
  );
  const session = await engine.openSession();
  const { events, outcome } = await runOf(session, { prompt: "research", agent: "lead", model: lead });
  expect([outcome.status, starts(events), ends(events).sort()]).toEqual([
    "done",
    ["agent_1 search", "agent_2 crawl"],
    ["agent_1 done", "agent_2 done"],
  ]);
  expect(results(events).at(-1)?.output).toContain("Tool 'Bash' not available in lead's toolkit");
  expect((await session.artifacts.read("report"))?.content).toContain("https://example.org/a says");
});

it("a skill with context: fork runs in a sub-agent", async () => {
  const { engine, workspace, model } = await stage();
  const { mkdir } = await import("node:fs/promises");
  await mkdir(join(workspace, ".karyi", "skills", "deep"), { recursive: true });
  await writeFile(
    join(workspace, ".karyi", "skills", "deep", "SKILL.md"),
    "---\nname: deep\ndescription: d\ncontext: fork\n---\nThink about $ARGUMENTS.\n",
  );
  const parent = await model({ calls: [call("Skill", { skill: "deep", args: "time" })] }, { text: "ok" });
  const { events } = await runOf(await engine.openSession(), { prompt: "go", model: parent, maxRounds: 1 });
  // The child plays the same script, so it forks too, as deep as agents may go.
  expect(starts(events)).toEqual(["agent_1 general", "agent_2 general", "agent_3 general"]);
  expect(results(events)).toEqual([{ tool: "Skill", status: "ok", output: "ok" }]);
});
