/** The life of a call through the real engine: plan, policy, approval, journal, undo, dry run, events. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type KaryiEvent, ToolFailure } from "../src/index.ts";
import { temporaryDirectory, testEngine, treeOf } from "./support/engine.ts";

describe("a writing call", () => {
  it("asks, writes, and can be undone to the byte", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    await writeFile(join(workspace, "keep.txt"), "keep");
    const before = await treeOf(workspace);
    const result = await session.call("Write", { file_path: "a/b/new.txt", content: "hello\n" });
    expect(result).toMatchObject({ tool: "Write", status: "ok", undoable: true, content: [] });
    expect(await readFile(join(workspace, "a/b/new.txt"), "utf8")).toBe("hello\n");
    const undone = await session.undo(result.callId);
    expect(undone).toMatchObject({ tool: "Undo", status: "ok", undoable: true });
    expect(await treeOf(workspace)).toEqual(before);
  });

  it("a dry run shows the diff and changes nothing", async () => {
    const { engine, workspace } = await testEngine({ approve: async () => "deny" });
    const session = await engine.openSession();
    await writeFile(join(workspace, "a.txt"), "one\ntwo\n");
    const before = await treeOf(workspace);
    const result = await session.call("Write", { file_path: "a.txt", content: "one\n2\n" }, { dryRun: true });
    expect(result.status).toBe("planned");
    expect(result.output).toContain("-two");
    expect(result.output).toContain("+2");
    expect(result.data).toMatchObject({ decision: "ask", changes: [{ change: "modified" }] });
    expect(await treeOf(workspace)).toEqual(before);
  });

  it("is denied where nobody can be asked", async () => {
    const { engine, workspace } = await testEngine({ approvals: "nobody", approve: undefined as never });
    const session = await engine.openSession();
    const result = await session.call("Write", { file_path: "a.txt", content: "x" });
    expect(result).toMatchObject({ status: "denied", error: { code: "permission_denied", details: { reason: "nobody_to_ask" } } });
    expect(await treeOf(workspace)).toEqual({});
  });

  it("outside the workspace is refused in every mode", async () => {
    for (const mode of ["plan", "default", "accept-edits", "auto"] as const) {
      const { engine } = await testEngine({ mode });
      const session = await engine.openSession();
      const result = await session.call("Write", { file_path: "/etc/karyi-test", content: "x" });
      expect(result).toMatchObject({ status: "denied", error: { code: "tool_forbidden_path" } });
    }
  });
});

describe("undo", () => {
  it("goes in reverse order, refuses later edits of somebody else, and can itself be undone", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    const file = join(workspace, "f.txt");
    await session.call("Write", { file_path: "f.txt", content: "1" });
    await session.call("Write", { file_path: "f.txt", content: "2" });
    await session.call("Write", { file_path: "f.txt", content: "3" });
    expect((await session.undo({ last: 2 })).status).toBe("ok");
    expect(await readFile(file, "utf8")).toBe("1");
    const again = await session.call("Write", { file_path: "f.txt", content: "4" });
    await writeFile(file, "by a person");
    const refused = await session.undo(again.callId);
    expect(refused).toMatchObject({ status: "error", error: { code: "tool_conflict", details: { reason: "changed_since" } } });
    expect(await readFile(file, "utf8")).toBe("by a person");
    const forced = await session.undo(again.callId, { force: true });
    expect(forced.status).toBe("ok");
    expect(await readFile(file, "utf8")).toBe("1");
    expect((await session.undo(forced.callId)).status).toBe("ok");
    expect(await readFile(file, "utf8")).toBe("by a person");
  });

  it("takes back all calls of one message", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    await session.callAll([
      { name: "Write", input: { file_path: "a.txt", content: "a" }, messageId: "m1" },
      { name: "Write", input: { file_path: "d/b.txt", content: "b" }, messageId: "m1" },
    ]);
    await session.call("Write", { file_path: "c.txt", content: "c" });
    expect((await session.undo({ messageId: "m1" })).status).toBe("ok");
    expect(Object.keys(await treeOf(workspace))).toEqual(["c.txt"]);
  });

  it("a dry run of an undo changes nothing", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    await session.call("Write", { file_path: "a.txt", content: "a" });
    const before = await treeOf(workspace);
    expect(await session.undo({ last: 1 }, { dryRun: true })).toMatchObject({
      status: "planned",
      data: { changes: [{ change: "deleted" }] },
    });
    expect(await treeOf(workspace)).toEqual(before);
  });
});

describe("approvals", () => {
  it("a suspended call goes on after a restart, once, and only for exactly what was approved", async () => {
    const first = await testEngine({ approve: undefined as never, approvals: "record" });
    const session = await first.engine.openSession();
    const suspended = await session.call("Write", { file_path: "a.txt", content: "x" }, { callId: "call-1" });
    expect(suspended).toMatchObject({ status: "suspended", callId: "call-1" });
    const approvalId = suspended.approvalId ?? "";
    await first.engine.close();

    const second = await testEngine({ workspace: first.workspace, home: first.home, approve: undefined as never, approvals: "record" });
    expect((await second.engine.approvals("pending")).map(({ id }) => id)).toEqual([approvalId]);
    expect(await second.engine.resume(approvalId)).toMatchObject({ status: "suspended" });
    expect(await second.engine.answer(approvalId, { answer: "once" })).toMatchObject({ status: "granted" });
    expect(await second.engine.answer(approvalId, { answer: "deny" })).toBeUndefined();
    const done = await second.engine.resume(approvalId);
    expect(done).toMatchObject({ status: "ok", callId: "call-1" });
    expect(await second.engine.resume(approvalId)).toEqual(done);
    expect(await readFile(join(first.workspace, "a.txt"), "utf8")).toBe("x");
  });

  it("an approval is void when the file changed meanwhile", async () => {
    const { engine, workspace } = await testEngine({ approve: undefined as never, approvals: "record" });
    await writeFile(join(workspace, "a.txt"), "old");
    const session = await engine.openSession();
    await session.call("Read", { file_path: "a.txt" });
    const { approvalId = "" } = await session.call("Write", { file_path: "a.txt", content: "new" });
    await writeFile(join(workspace, "a.txt"), "changed by a person");
    await engine.answer(approvalId, { answer: "once" });
    expect(await engine.resume(approvalId)).toMatchObject({ status: "error", error: { code: "tool_conflict" } });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("changed by a person");
  });

  it("a waiting call is woken by an answer in another engine of the same home", async () => {
    const one = await testEngine({ approve: undefined as never, approvals: "record" });
    const two = await testEngine({ workspace: one.workspace, home: one.home });
    const session = await one.engine.openSession();
    const waiting = session.call("Write", { file_path: "a.txt", content: "x" }, { wait: true });
    let pending = await two.engine.approvals("pending");
    while (pending.length === 0) {
      await new Promise(setImmediate);
      pending = await two.engine.approvals("pending");
    }
    await two.engine.answer(pending[0]?.id ?? "", { answer: "once" });
    expect(await waiting).toMatchObject({ status: "ok" });
  });

  it("the person's words reach the model with a refusal", async () => {
    const { engine } = await testEngine({ approve: async () => ({ answer: "deny", words: "use another name" }) });
    const session = await engine.openSession();
    const result = await session.call("Write", { file_path: "a.txt", content: "x" });
    expect(result).toMatchObject({ status: "denied", error: { details: { reason: "refused", words: "use another name" } } });
    expect(result.output).toContain("use another name");
  });

  it("always remembers the narrowest rule", async () => {
    let asked = 0;
    const { engine } = await testEngine({
      approve: async () => {
        asked += 1;
        return "always";
      },
    });
    const session = await engine.openSession();
    await session.call("Write", { file_path: "a.txt", content: "1" });
    await session.call("Write", { file_path: "a.txt", content: "2" });
    expect(asked).toBe(1);
    await session.call("Write", { file_path: "b.txt", content: "2" });
    expect(asked).toBe(2);
  });
});

describe("results", () => {
  const slow = defineTool({
    name: "Slow",
    description: "Waits for its signal.",
    input: z.object({}),
    traits: { readOnly: true, concurrencySafe: true },
    timeoutMs: 50,
    run: () => new Promise<never>(() => {}),
  });
  const throwing = defineTool({
    name: "Throwing",
    description: "Throws a string.",
    input: z.object({}),
    traits: { readOnly: true, concurrencySafe: true },
    run() {
      throw "a plain string";
    },
  });
  const echo = defineTool({
    name: "Echo",
    description: "Says it again.",
    input: z.object({ text: z.string() }),
    traits: { readOnly: true, concurrencySafe: true },
    run: ({ text }) => ({ output: text }),
  });

  it("come back in call order whatever happens: one unknown, one denied, one slow, one throwing", async () => {
    const { engine } = await testEngine({ tools: [slow, throwing, echo], approve: async () => "deny" });
    const session = await engine.openSession();
    const results = await session.callAll([
      { name: "Slow", input: {} },
      { name: "Nope", input: {} },
      { name: "Echo", input: { text: "a" } },
      { name: "Write", input: { file_path: "x", content: "" } },
      { name: "Throwing", input: {} },
      { name: "Echo", input: { text: "b" } },
      { name: "Echo", input: { wrong: 1 } },
    ]);
    expect(results.map(({ tool, status, error }) => [tool, status, error?.code])).toEqual([
      ["Slow", "error", "timeout"],
      ["Nope", "error", "tool_not_found"],
      ["Echo", "ok", undefined],
      ["Write", "denied", "permission_denied"],
      ["Throwing", "error", "tool_error"],
      ["Echo", "ok", undefined],
      ["Echo", "error", "invalid_tool_input"],
    ]);
    expect(results[4]?.output).toContain("a plain string");
  });

  it("cut output is counted exactly and the whole can be read by page", async () => {
    const whole = Array.from({ length: 100_000 }, (_, index) => `line ${index} ü`).join("\n");
    const big = defineTool({
      name: "Big",
      description: "Big.",
      input: z.object({}),
      traits: { readOnly: true },
      run: () => ({ output: whole }),
    });
    const { engine } = await testEngine({ tools: [big] });
    const session = await engine.openSession();
    const { truncated, output } = await session.call("Big", {});
    expect(truncated?.total).toBe(Buffer.byteLength(whole));
    expect(Buffer.byteLength(output)).toBeLessThan(300 * 1024);
    let read = "";
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = await session.call("ReadOutput", { ref: truncated?.ref, offset, limit: 200_000 });
      const data = page.data as { next: number; eof: boolean };
      read += page.output;
      offset = data.eof ? undefined : data.next;
    }
    expect(read.length).toBeGreaterThanOrEqual(whole.length);
    expect(read).toContain("line 50000 ü\n");
  });

  it("a cancelled call says so and leaves its writer useless", async () => {
    let late: Promise<unknown> | undefined;
    const stop = new AbortController();
    const stubborn = defineTool<{ file_path: string }, "files", undefined>({
      name: "Stubborn",
      description: "Writes after it was told to stop.",
      input: z.object({ file_path: z.string() }),
      needs: ["files"],
      async plan({ file_path }, { files }) {
        return { summary: "write late", effects: [{ kind: "write", path: await files.resolve(file_path), change: "create" }] };
      },
      async run({ file_path }, { files, signal }) {
        const facts = await files.resolve(file_path);
        stop.abort();
        expect(signal.aborted).toBe(true);
        late = files.replace(facts, Buffer.from("late"), { expect: null });
        late.catch(() => {});
        await new Promise(() => {});
        return { output: "" };
      },
    });
    const { engine, workspace } = await testEngine({ tools: [stubborn] });
    const session = await engine.openSession();
    expect(await session.call("Stubborn", { file_path: "late.txt" }, { signal: stop.signal })).toMatchObject({
      status: "cancelled",
      error: { code: "cancelled" },
    });
    await expect(late).rejects.toThrow(ToolFailure);
    expect(await treeOf(workspace)).toEqual({});
  });

  it("a plan that never comes back ends at the tool's limit, and when it is cancelled", async () => {
    const stuck = defineTool({
      name: "Stuck",
      description: "Plans for ever.",
      input: z.object({}),
      traits: { readOnly: true },
      timeoutMs: 50,
      plan: () => new Promise<never>(() => {}),
      run: () => ({ output: "never" }),
    });
    const { engine } = await testEngine({ tools: [stuck, defineTool({ ...stuck, name: "Stuck2", timeoutMs: 600_000 })] });
    const session = await engine.openSession();
    expect(await session.call("Stuck", {})).toMatchObject({ status: "error", error: { code: "timeout" } });
    const stop = new AbortController();
    const waiting = session.call("Stuck2", {}, { signal: stop.signal });
    setImmediate(() => stop.abort());
    expect(await waiting).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
  });

  it("the same call id never runs twice", async () => {
    let runs = 0;
    const count = defineTool({
      name: "Count",
      description: "Counts.",
      input: z.object({}),
      traits: { readOnly: true },
      run: () => ({ output: String(++runs) }),
    });
    const { engine } = await testEngine({ tools: [count] });
    const session = await engine.openSession();
    const [one, two] = await Promise.all([session.call("Count", {}, { callId: "c" }), session.call("Count", {}, { callId: "c" })]);
    const three = await session.call("Count", {}, { callId: "c" });
    expect([one, two, three].map(({ output }) => output)).toEqual(["1", "1", "1"]);
  });

  it("a call id never passes the answer or the approval of one call to another", async () => {
    const { engine, workspace } = await testEngine({ approve: undefined as never, approvals: "record" });
    const taken = { status: "error", error: { code: "tool_conflict", details: { reason: "call_id_taken" } } };
    await writeFile(join(workspace, "a.txt"), "a");
    await writeFile(join(workspace, "b.txt"), "b");
    const session = await engine.openSession();
    const other = await engine.openSession({ id: "other" });
    const first = await session.call("Read", { file_path: "a.txt" }, { callId: "call_1" });
    expect(await session.call("Read", { file_path: "a.txt" }, { callId: "call_1" })).toEqual(first);
    expect(await session.call("Read", { file_path: "b.txt" }, { callId: "call_1" })).toMatchObject(taken);
    expect(await session.call("List", { file_path: "a.txt" }, { callId: "call_1" })).toMatchObject(taken);
    expect(await other.call("Read", { file_path: "a.txt" }, { callId: "call_1" })).toMatchObject(taken);
    const asked = await session.call("Write", { file_path: "c.txt", content: "c" }, { callId: "call_2" });
    expect(asked.status).toBe("suspended");
    expect(await session.call("Write", { file_path: "d.txt", content: "d" }, { callId: "call_2" })).toMatchObject(taken);
    const race = ["a.txt", "b.txt"].map((file_path) => session.call("Read", { file_path }, { callId: "call_3" }));
    expect(await Promise.all(race)).toMatchObject([{ status: "ok" }, taken]);
    expect(await session.call("Nope", { big: "x".repeat(100_000) }, { callId: "call_4" })).toMatchObject({ status: "error" });
    expect(await session.call("Nope", { big: "y".repeat(100_000) }, { callId: "call_4" })).toMatchObject(taken);
  });
});

describe("events", () => {
  it("are one stream in seq order without gaps, replayable from any seq", async () => {
    const { engine } = await testEngine();
    const live: KaryiEvent[] = [];
    engine.onEvent((event) => live.push(event));
    const session = await engine.openSession();
    await session.call("Write", { file_path: "a.txt", content: "x" });
    await session.call("Read", { file_path: "a.txt" });
    const stop = new AbortController();
    const replayed: KaryiEvent[] = [];
    for await (const event of session.events(0, stop.signal)) {
      replayed.push(event);
      if (replayed.length === live.length) stop.abort();
    }
    expect(replayed).toEqual(live);
    expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => index + 1));
    expect(live.map(({ type }) => type)).toEqual([
      "tool_call",
      "permission_request",
      "permission_result",
      "tool_result",
      "tool_call",
      "tool_result",
    ]);
  });
});

describe("hooks", () => {
  it("can deny, answer an ask, and add to the result", async () => {
    const { engine } = await testEngine({
      approve: undefined as never,
      hooks: [
        {
          event: "before",
          match: "Write",
          run: ({ input }) =>
            (input as { content: string }).content === "no" ? { decision: "deny", reason: "not that" } : { decision: "allow" },
        },
        { event: "after", match: "Write", run: () => ({ add: "checked by the linter" }) },
      ],
    });
    const session = await engine.openSession();
    expect(await session.call("Write", { file_path: "a.txt", content: "no" })).toMatchObject({
      status: "denied",
      error: { message: "Not allowed: not that." },
    });
    const allowed = await session.call("Write", { file_path: "a.txt", content: "yes" });
    expect(allowed.status).toBe("ok");
    expect(allowed.output).toContain("checked by the linter");
    expect(await session.call("Write", { file_path: "/etc/x", content: "yes" })).toMatchObject({ status: "denied" });
  });

  it("an allow also counts when somebody else was faster and the call is planned again", async () => {
    const { engine, workspace } = await testEngine({
      approve: undefined as never,
      hooks: [{ event: "before", run: () => ({ decision: "allow" }) }],
    });
    await writeFile(join(workspace, "list.txt"), "a: open\nb: open\n");
    const sessions = await Promise.all(["a", "b"].map((id) => engine.openSession({ id })));
    const results = await Promise.all(
      sessions.map((session, index) =>
        session.call("Edit", { file_path: "list.txt", old_string: `${"ab"[index]}: open`, new_string: `${"ab"[index]}: done` }),
      ),
    );
    expect(results.map(({ output, status }) => (status === "ok" ? "ok" : output))).toEqual(["ok", "ok"]);
    expect(await readFile(join(workspace, "list.txt"), "utf8")).toBe("a: done\nb: done\n");
  });

  it("a command that answers without end is stopped, and the call is asked about", async () => {
    const home = await temporaryDirectory();
    await writeFile(join(home, "config.json"), JSON.stringify({ hooks: [{ event: "before", command: "yes" }] }));
    const { engine } = await testEngine({ home, approve: undefined as never });
    const session = await engine.openSession();
    expect(await session.call("List", { path: "." })).toMatchObject({
      status: "denied",
      error: { message: expect.stringContaining("answered more than") },
    });
  });

  it("one hook's allow does not answer the ask of another that failed, whatever their order", async () => {
    const fails = {
      event: "before" as const,
      run: () => {
        throw new Error("broken");
      },
    };
    const allows = { event: "before" as const, run: () => ({ decision: "allow" as const }) };
    for (const hooks of [
      [fails, allows],
      [allows, fails],
    ]) {
      const { engine, workspace } = await testEngine({ approve: undefined as never, hooks });
      const session = await engine.openSession();
      expect(await session.call("Write", { file_path: "a.txt", content: "x" })).toMatchObject({ status: "denied" });
      expect(await treeOf(workspace)).toEqual({});
    }
  });
});

describe("a caller without types", () => {
  it("what is no call is answered like one that cannot be read, in its place", async () => {
    const { engine, workspace } = await testEngine();
    await writeFile(join(workspace, "a.txt"), "x");
    const session = await engine.openSession();
    const nonsense = [null, {}, { name: 7 }, "Read", { name: "Read", input: { file_path: "a.txt" } }, { name: "Read", id: 5, input: {} }];
    const results = await session.callAll(nonsense as never);
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      ...Array(4).fill("invalid_tool_input"),
      "ok",
      "invalid_tool_input",
    ]);
  });

  it("a workspace that is no directory is said at once", async () => {
    const { workspace } = await testEngine();
    await expect(testEngine({ workspace: join(workspace, "none") })).rejects.toMatchObject({ details: { reason: "workspace_missing" } });
  });
});

describe("a call that waits for its approval", () => {
  it("is the same call after a restart, also when its text only looks like a secret", async () => {
    const first = await testEngine({ approvals: "record", approve: undefined as never });
    const content = `token ${"gh"}p_${"a1B2".repeat(9)}\n`;
    const session = await first.engine.openSession();
    const asked = await session.call("Write", { file_path: "a.txt", content });
    expect(asked.status).toBe("suspended");
    await first.engine.close();
    const { engine, workspace } = await testEngine({ ...first, approvals: "record", approve: undefined as never });
    await engine.answer(asked.approvalId ?? "", { answer: "once" });
    expect(await engine.resume(asked.approvalId ?? "")).toMatchObject({ status: "ok" });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe(content);
  });
});

describe("an undo", () => {
  it("that is cancelled before it begins changes nothing", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    const { callId } = await session.call("Write", { file_path: "a.txt", content: "x" });
    const before = await treeOf(workspace);
    expect(await session.undo(callId, { signal: AbortSignal.abort() })).toMatchObject({ status: "cancelled" });
    expect(await treeOf(workspace)).toEqual(before);
    expect(await session.undo(callId)).toMatchObject({ status: "ok" });
  });
});

describe("parallel writers", () => {
  it("ten agents editing one file at once lose no edit", async () => {
    const { engine, workspace } = await testEngine({ mode: "accept-edits" });
    await writeFile(join(workspace, "list.txt"), Array.from({ length: 10 }, (_, index) => `item ${index}: open\n`).join(""));
    const sessions = await Promise.all(Array.from({ length: 10 }, (_, index) => engine.openSession({ id: `agent-${index}` })));
    const results = await Promise.all(
      sessions.map((session, index) =>
        session.call("Edit", { file_path: "list.txt", old_string: `item ${index}: open`, new_string: `item ${index}: done` }),
      ),
    );
    expect(results.map(({ status, output }) => (status === "ok" ? "ok" : output))).toEqual(Array(10).fill("ok"));
    expect(await readFile(join(workspace, "list.txt"), "utf8")).toBe(
      Array.from({ length: 10 }, (_, index) => `item ${index}: done\n`).join(""),
    );
  });
});
