/** A session is one thing, however many handles, processes and resumed approvals hold it; its policy is its own. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Mode, OpenSessionOptions, Rules, SessionHandle, Toolkit, Verdict } from "../src/index.ts";
import { modes } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";
import fc from "./support/fast-check.ts";

const run = promisify(execFile);
const karyi = join(import.meta.dirname, "../bin/karyi.js");

describe("a session is one thing", () => {
  it("a cd and an export of an approved, resumed call are there for the next call", async () => {
    const { engine, workspace } = await testEngine({ config: { permissions: { ask: ["Bash(*)"] } } });
    mkdirSync(join(workspace, "sub"));
    const session = await engine.openSession({ approvals: "record" });
    const asked = await session.call("Bash", { command: "cd sub && export COLOUR=green" });
    expect(asked.status).toBe("suspended");
    await engine.answer(asked.approvalId ?? "", { answer: "once" });
    expect((await engine.resume(asked.approvalId ?? "")).status).toBe("ok");
    expect({ cwd: session.cwd, colour: session.record.state.env.COLOUR }).toEqual({ cwd: join(workspace, "sub"), colour: "green" });
  });

  it("two handles that export different variables keep both", async () => {
    const { engine } = await testEngine({ approve: async () => "once" });
    const [one, two] = await Promise.all([engine.openSession(), engine.openSession()]);
    await Promise.all([one.call("Bash", { command: "sleep 0.2; export ONE=1" }), two.call("Bash", { command: "sleep 0.2; export TWO=2" })]);
    expect(one.record.state.env).toMatchObject({ ONE: "1", TWO: "2" });
    expect(two.record.state.env).toEqual(one.record.state.env);
  });

  it("a file read by one handle and written by the other is not changed by somebody else", async () => {
    const { engine, workspace } = await testEngine({ approve: async () => "once", mode: "accept-edits" });
    writeFileSync(join(workspace, "a.txt"), "one\n");
    const [one, two] = [await engine.openSession(), await engine.openSession()];
    await one.call("Read", { file_path: "a.txt" });
    await two.call("Write", { file_path: "a.txt", content: "two\n" });
    const edited = await one.call("Edit", { file_path: "a.txt", old_string: "two", new_string: "three" });
    expect(edited.status).toBe("ok");
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("three\n");
  });

  it("another process's cd and export are there for the next call of this one", async () => {
    const { engine, workspace, home } = await testEngine({ approve: async () => "once" });
    mkdirSync(join(workspace, "sub"));
    const session = await engine.openSession();
    await session.call("Bash", { command: "export MINE=1" });
    const flags = ["--workspace", workspace, "--home", home, "--approve", "yes", "--json"];
    await run(process.execPath, [karyi, "call", "Bash", JSON.stringify({ command: "cd sub; export THEIRS=2" }), ...flags]);
    const seen = await session.call("Bash", { command: "echo $MINE $THEIRS; pwd" });
    expect(seen.output.split("\n").slice(0, 2)).toEqual(["1 2", join(workspace, "sub")]);
  });

  it("resume keeps the toolkit", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession({ id: "narrow", approvals: "record", toolkit: { agent: "reader", tools: ["Read", "Write"] } });
    const asked = await session.call("Write", { file_path: "b.txt", content: "b" });
    await engine.answer(asked.approvalId ?? "", { answer: "once" });
    expect((await engine.resume(asked.approvalId ?? "")).status).toBe("ok");
    const again = await engine.sessionById(session.id);
    expect((await again?.call("Glob", { pattern: "*" }))?.error?.message).toBe("Tool 'Glob' not available in reader's toolkit");
  });

  it("activations of one handle are there for the other", async () => {
    const { engine } = await testEngine({ config: { deferThreshold: 1 } });
    const [one, two] = [await engine.openSession(), await engine.openSession()];
    one.catalog.activateTool("List");
    expect(two.catalog.isDeferred("List")).toBe(false);
  });
});

describe("policy by session", () => {
  it("one engine holds sessions of several workspaces, each with its own mode and config", async () => {
    const { engine } = await testEngine({ approve: async () => "deny" });
    const other = realpathSync(mkdtempSync(join(tmpdir(), "karyi-other-")));
    const mine = await engine.openSession({ mode: "plan" });
    const theirs = await engine.openSession({ id: "other", workspace: other, mode: "accept-edits" });
    expect((await mine.call("Write", { file_path: "x", content: "x" })).status).toBe("denied");
    expect((await theirs.call("Write", { file_path: "x", content: "x" })).status).toBe("ok");
    expect(readFileSync(join(other, "x"), "utf8")).toBe("x");
    expect((await theirs.call("Write", { file_path: join(engine.workspace, "y"), content: "x" })).status).toBe("denied");
  });

  it("a change of mode holds from the next call", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession({ mode: "accept-edits" });
    expect((await session.call("Write", { file_path: "x", content: "1" })).status).toBe("ok");
    await session.setMode("plan");
    expect([session.mode, (await session.call("Write", { file_path: "x", content: "2" })).status]).toEqual(["plan", "denied"]);
  });

  it("a child's directory outside its parent's roots is refused", async () => {
    const { engine } = await testEngine();
    const parent = await engine.openSession();
    const outside = mkdtempSync(join(tmpdir(), "karyi-outside-"));
    await expect(engine.openSession({ id: "child", workspace: outside, parent })).rejects.toThrow("outside the roots of the parent");
  });

  it("a parent that is named at a later opening bounds the session from then on", async () => {
    const { engine } = await testEngine();
    const parent = await engine.openSession({ id: "strict", mode: "plan" });
    await engine.openSession({ id: "later", mode: "accept-edits" });
    const child = await engine.openSession({ id: "later", parent });
    expect([child.mode, (await child.call("Write", { file_path: "x", content: "1" })).status]).toEqual(["plan", "denied"]);
  });

  it("rights that are refused are not kept: the session opens again as it was", async () => {
    const { engine, workspace, home } = await testEngine();
    const parent = await engine.openSession({ id: "parent" });
    await engine.openSession({ id: "child", parent });
    const outside = mkdtempSync(join(tmpdir(), "karyi-outside-"));
    await expect(engine.openSession({ id: "child", roots: [outside] })).rejects.toThrow("outside the roots of the parent");
    await expect(engine.openSession({ id: "parent", parent: await engine.openSession({ id: "child" }) })).rejects.toThrow("its own parent");
    await engine.close();
    const later = await testEngine({ workspace, home });
    expect((await later.engine.openSession({ id: "child" })).record.state.rights).toEqual({ parent: parent.id });
  });

  it("a child whose parent was removed is not opened any more: nothing would bound it", async () => {
    const { engine, workspace, home } = await testEngine();
    const parent = await engine.openSession({ id: "parent", mode: "plan" });
    const child = await engine.openSession({ id: "child", parent, mode: "accept-edits" });
    await engine.store.deleteSession(parent.id);
    expect((await child.call("Write", { file_path: "x", content: "1" })).status).toBe("denied");
    await engine.close();
    const later = await testEngine({ workspace, home });
    await expect(later.engine.openSession({ id: "child" })).rejects.toThrow("parent of this session was removed");
  });

  const wrong: readonly [string, OpenSessionOptions, string][] = [
    ["a rule about no tool", { rules: { deny: ["Raed(src/**)"] } }, "did you mean Read(src/**)?"],
    ["a rule that is not closed", { rules: { ask: ["Bash(git status"] } }, 'the ")" at the end is missing'],
    ["a mode that does not exist", { mode: "everything" as Mode }, "must be plan, default, accept-edits, auto"],
    ["a network that does not exist", { network: "some" as "on" }, "must be none, loopback, on"],
    ["a parent that is only an id", { parent: "parent" as unknown as SessionHandle }, "must be its handle"],
    ["a misspelt option", { parnet: "parent" } as OpenSessionOptions, "did you mean 'parent'?"],
    ["a misspelt list of rules", { rules: { denny: ["Read"] } as Partial<Rules> }, "did you mean 'rules.deny'?"],
    ["a rule that is no list", { rules: { deny: "Read" as unknown as string[] } }, "must be a list of texts"],
    ["a toolkit without an agent", { toolkit: ["Read"] as unknown as Toolkit }, "must name its agent and its tools"],
  ];
  for (const [what, options, words] of wrong)
    it(`openSession refuses ${what}`, async () => {
      const { engine } = await testEngine();
      await expect(engine.openSession({ id: "wrong", ...options })).rejects.toThrow(words);
      expect(await engine.listSessions()).toEqual([]);
    });

  it("a mode named at the opening, or later, is above the engine's own", async () => {
    const { engine } = await testEngine({ mode: "accept-edits" });
    const [one, two] = [await engine.openSession({ id: "one", mode: "plan" }), await engine.openSession({ id: "two" })];
    expect([one.mode, two.mode]).toEqual(["plan", "accept-edits"]);
    await two.setMode("default");
    expect(two.mode).toBe("default");
  });

  it("a mode that another process chose holds from the next call", async () => {
    const { engine, workspace, home } = await testEngine();
    const session = await engine.openSession({ mode: "accept-edits" });
    const other = await testEngine({ workspace, home });
    await (await other.engine.openSession()).setMode("plan");
    expect((await session.call("Write", { file_path: "x", content: "1" })).status).toBe("denied");
  });

  it("the config of a further workspace is checked like that of the first", async () => {
    const { engine, home } = await testEngine();
    const other = realpathSync(mkdtempSync(join(tmpdir(), "karyi-other-")));
    writeFileSync(join(home, "config.json"), JSON.stringify({ permissions: { deny: ["Raed(src/**)"] } }));
    await expect(engine.openSession({ id: "other", workspace: other })).rejects.toThrow("did you mean Read(src/**)?");
  });

  it("a child has only the tools that its parent has", async () => {
    const { engine } = await testEngine();
    const parent = await engine.openSession({ id: "p", toolkit: { agent: "p", tools: ["Read", "Glob"] } });
    const child = await engine.openSession({ id: "c", parent, toolkit: { agent: "c", tools: ["Glob", "Bash"] } });
    expect(child.catalog.activeTools().map(({ name }) => name)).toEqual(["Glob"]);
  });

  it("for any parent, child and call, the child is never allowed what the parent is not", async () => {
    const { engine, workspace } = await testEngine();
    mkdirSync(join(workspace, "src"));
    writeFileSync(join(workspace, "src/a.ts"), "a\n");
    writeFileSync(join(workspace, ".env"), "X=1\n");
    const rule = fc.constantFrom(
      "Read(src/**)",
      "Write(src/**)",
      "Bash(npm *)",
      "Bash(rm *)",
      "Read(.env)",
      "Edit",
      "WebFetch(domain:example.com)",
    );
    const list = fc.array(rule, { maxLength: 3 });
    const rights = fc.record({ mode: fc.constantFrom<Mode>(...modes), rules: fc.record<Rules>({ allow: list, ask: list, deny: list }) });
    const call = fc.constantFrom<[string, object]>(
      ["Read", { file_path: "src/a.ts" }],
      ["Read", { file_path: ".env" }],
      ["Write", { file_path: "src/b.ts", content: "b" }],
      ["Bash", { command: "npm test" }],
      ["Bash", { command: "rm src/a.ts" }],
      ["Bash", { command: "ls" }],
    );
    const width: readonly Verdict[] = ["deny", "ask", "rehearse", "allow"];
    let n = 0;
    await fc.assert(
      fc.asyncProperty(rights, rights, call, async (above, below, [tool, input]) => {
        n += 1;
        const parent = await engine.openSession({ id: `parent ${n}`, ...above });
        const child = await engine.openSession({ id: `child ${n}`, parent, ...below });
        const verdicts = await Promise.all([parent, child].map(async (each) => (await each.explain(tool, input)).decision.verdict));
        const [most = 0, has = 0] = verdicts.map((verdict) => width.indexOf(verdict));
        expect(has).toBeLessThanOrEqual(most);
      }),
      { numRuns: process.env.KARYI_FULL ? 2000 : 60 },
    );
  });
});

describe("events", () => {
  it("live listeners hear exactly what a replay shows, undo included", async () => {
    const { engine, workspace } = await testEngine({ approve: async () => "once" });
    const session = await engine.openSession();
    const heard: unknown[] = [];
    engine.onEvent((event) => event.sessionId === session.id && heard.push(event));
    const written = await session.call("Write", { file_path: join(workspace, "n.txt"), content: "n" });
    await session.undo(written.callId);
    await session.append([{ type: "text", body: { text: "hello" } }]);
    expect(heard).toEqual(await session.readEvents(0, 1000));
    expect(heard.length).toBeGreaterThanOrEqual(7);
  });

  it("a listener that throws harms neither the call nor the listeners beside it", async () => {
    const logged: string[] = [];
    const { engine } = await testEngine({ log: (message) => logged.push(message) });
    const heard: string[] = [];
    engine.onEvent(() => {
      throw new Error("a defect of the listener");
    });
    engine.onEvent(({ type }) => heard.push(type));
    const session = await engine.openSession();
    expect((await session.call("Write", { file_path: "n.txt", content: "n" })).status).toBe("ok");
    expect(heard).toEqual((await session.readEvents(0, 100)).map(({ type }) => type));
    expect(new Set(logged)).toEqual(new Set(["A listener of events failed"]));
  });
});
