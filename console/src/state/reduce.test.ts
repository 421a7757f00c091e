import { describe, expect, it } from "vitest";
import { GapError, reduce, reduceAll } from "./reduce.ts";
import { fileCount, filesOnly, rowsOf } from "./rows.ts";
import { saidBefore } from "./says.ts";
import { emptySession, type SessionState } from "./session-state.ts";
import type { WireEvent } from "./wire-event.ts";

type Loose = { readonly type: WireEvent["type"]; readonly [name: string]: unknown };

function stream(...bodies: readonly Loose[]): readonly WireEvent[] {
  return bodies.map(
    (body, index) => ({ schema_version: 1, seq: index + 1, time: 1000 + index * 100, session_id: "s", ...body }) as unknown as WireEvent,
  );
}

const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0 };
const result = (call: string, extra: object = {}): Loose => ({
  type: "tool_result",
  call_id: call,
  tool: "Read",
  status: "ok",
  output: "",
  output_length: 0,
  undoable: false,
  duration_ms: 5,
  ...extra,
});
const call = (id: string, tool: string, input: object, extra: object = {}): Loose => ({
  type: "tool_call",
  call_id: id,
  tool,
  input,
  summary: `${tool} something`,
  ...extra,
});

/** A run with everything in it, as it was recorded. */
const recorded = stream(
  { type: "run_start", run_id: "r1", agent: "lead", model: "m1", prompt: "Fix it" },
  { type: "turn_start", run_id: "r1" },
  { type: "thinking_delta", text: "hm" },
  { type: "text_delta", text: "I’ll " },
  { type: "text_delta", text: "look." },
  { type: "text", text: "I’ll look." },
  call("c1", "Read", { file_path: "a.ts" }),
  result("c1"),
  call("c2", "Grep", { pattern: "x" }),
  result("c2", { tool: "Grep" }),
  call("c3", "Bash", { command: "npm test" }),
  {
    type: "permission_request",
    call_id: "c3",
    approval_id: "a1",
    tool: "Bash",
    summary: "Run: npm test",
    reason: "why",
    rule: "builtin:command",
  },
  { type: "permission_result", approval_id: "a1", answer: "once", answered_by: "http:local" },
  { type: "tool_progress", call_id: "c3", text: "1 of 2\n" },
  result("c3", { tool: "Bash", undoable: true, changes: [{ path: "a.ts", change: "modified" }], changes_total: 1 }),
  { type: "subagent_start", subagent_id: "g1", agent: "search", description: "find callers" },
  { type: "subagent_event", subagent_id: "g1", event: { ...call("g1c1", "Grep", { pattern: "delay" }) } },
  { type: "permission_request", subagent_id: "g1", call_id: "g1c1", approval_id: "a2", tool: "Grep", summary: "s", reason: "r", rule: "u" },
  { type: "permission_result", approval_id: "a2", answer: "deny", answered_by: "terminal", words: "no" },
  { type: "subagent_event", subagent_id: "g1", event: { ...result("g1c1", { tool: "Grep", status: "denied" }) } },
  { type: "subagent_end", subagent_id: "g1", status: "done", calls: 1, usage },
  { type: "value_request", request_id: "v1", key: "NPM_TOKEN", reason: "publish", status: "asked" },
  { type: "value_request", request_id: "v1", key: "NPM_TOKEN", reason: "publish", status: "given" },
  { type: "artifact_updated", artifact_id: "notes", version: 2, kind: "update", call_id: "c3" },
  { type: "turn_end", run_id: "r1", usage },
  { type: "run_end", run_id: "r1", status: "done", text: "ok", rounds: 1, usage },
);

const from = (events: readonly WireEvent[]): SessionState => reduceAll(emptySession("s"), events);

describe("state is a function of events", () => {
  it("the same events give the same state, one by one, in any pages, and again", () => {
    const whole = from(recorded);
    const oneByOne = recorded.reduce(reduce, emptySession("s"));
    expect(oneByOne).toEqual(whole);
    for (let cut = 0; cut <= recorded.length; cut += 1) {
      expect(reduceAll(from(recorded.slice(0, cut)), recorded.slice(cut))).toEqual(whole);
    }
  });

  it("a double is dropped and changes nothing", () => {
    const whole = from(recorded);
    expect(reduceAll(whole, recorded)).toBe(whole);
  });

  it("a gap is refused and tells what is missing", () => {
    const start = from(recorded.slice(0, 3));
    expect(() => reduceAll(start, recorded.slice(4))).toThrow(GapError);
    try {
      reduceAll(start, recorded.slice(4));
    } catch (error) {
      expect((error as GapError).after).toBe(3);
    }
  });

  it("a state that was handed out does not change any more", () => {
    const early = from(recorded.slice(0, 4));
    const before = JSON.stringify([...early.root.entries]);
    reduceAll(early, recorded.slice(4));
    expect(JSON.stringify([...early.root.entries])).toBe(before);
  });
});

describe("what a session's page shows", () => {
  const state = from(recorded);

  it("texts, thinking, calls, agents, values and the end are entries in order", () => {
    expect(state.root.entries.map(({ kind }) => kind)).toEqual([
      "said",
      "thinking",
      "text",
      "call",
      "call",
      "call",
      "agent",
      "value",
      "end",
    ]);
    expect(state.run).toMatchObject({ runId: "r1", status: "done", agent: "lead" });
    expect(state.usage.input_tokens).toBe(10);
  });

  it("reads that follow each other join, a change stands alone", () => {
    expect(rowsOf(state, state.root).map((row) => (row.kind === "entry" ? row.entry.kind : row.kind))).toEqual([
      "said",
      "thinking",
      "text",
      "explored",
      "call",
      "agent",
      "value",
      "end",
    ]);
  });

  it("a call that begins before its text has ended does not cut the text in two", () => {
    const early = from(
      stream(
        { type: "turn_start" },
        { type: "text_delta", text: "I look at " },
        call("c1", "Read", { file_path: "a.ts" }),
        { type: "text_delta", text: "the file." },
        { type: "text", text: "I look at the file." },
        result("c1"),
        { type: "turn_end" },
        { type: "text", text: "Next." },
      ),
    );
    expect(early.root.entries.map((entry) => (entry.kind === "text" ? [entry.text, entry.open] : entry.kind))).toEqual([
      ["I look at the file.", false],
      "call",
      ["Next.", false],
    ]);
    expect(saidBefore(early, "c1")).toBe("I look at the file.");
  });

  it("a question makes its call wait, an answer lets it go on", () => {
    const asked = from(recorded.slice(0, 12));
    expect(asked.calls.get("c3")?.status).toBe("waiting");
    const answered = from(recorded.slice(0, 13));
    expect(answered.calls.get("c3")?.status).toBe("running");
    expect(answered.questions.get("a1")).toMatchObject({ answer: "once", answeredBy: "http:local" });
  });

  it("a call took as long as it ran, without the time a person thought", () => {
    const waited = from([
      ...recorded.slice(0, 12),
      { ...(recorded[12] as WireEvent), time: 60_000 },
      { ...(recorded[14] as WireEvent), seq: 14, time: 60_300, duration_ms: 58_900 } as WireEvent,
    ]);
    expect(waited.calls.get("c3")).toMatchObject({ status: "ok", resumedAt: 60_000, durationMs: 300 });
  });

  it("the agent's words for a call are the last sentence right before it, and none if something lies between", () => {
    expect(saidBefore(state, "c1")).toBe("I’ll look.");
    expect(saidBefore(state, "c3")).toBeUndefined();
    const said = (text: string): string | undefined =>
      saidBefore(from(stream({ type: "text", text }, call("c", "Bash", { command: "x" }))), "c");
    expect(said("It fails in a.test.ts since v1.2. Now I run **it** twice.")).toBe("Now I run it twice.");
    expect(said("先看日志。再运行测试。")).toBe("再运行测试。");
    expect(said("")).toBeUndefined();
  });

  it("a folder that came with a file is told by that file", () => {
    const changes = ["build", "build/a", "build/a/b.txt", "empty", "top.txt"].map((path) => ({ path, change: "created" }));
    expect(filesOnly(changes).map(({ path }) => path)).toEqual(["build/a/b.txt", "empty", "top.txt"]);
    expect([fileCount({ changes, changesTotal: 5 }), fileCount({ changes, changesTotal: 50 })]).toEqual([3, 50]);
  });

  it("a sub-agent has its own thread, and its question is known at the root", () => {
    expect(state.agents.get("g1")).toMatchObject({ name: "search", status: "done", calls: 1, tokens: 15 });
    expect(state.threads.get("g1")?.entries.map(({ kind }) => kind)).toEqual(["call"]);
    expect(state.questions.get("a2")).toMatchObject({ agentId: "g1", answer: "deny", words: "no" });
  });

  it("an undo marks what it took back, and an undo of the undo brings it back", () => {
    const later = (seq: number, body: Loose): WireEvent =>
      ({ schema_version: 1, seq, time: 9000 + seq, session_id: "s", ...body }) as unknown as WireEvent;
    const next = recorded.length;
    const undone = reduceAll(state, [
      later(next + 1, call("u1", "Undo", {})),
      later(next + 2, result("u1", { tool: "Undo", undo_of: ["c3"], undoable: true })),
    ]);
    expect(undone.calls.get("c3")?.undoneBy).toBe("u1");
    const again = reduceAll(undone, [
      later(next + 3, call("u2", "Undo", {})),
      later(next + 4, result("u2", { tool: "Undo", undo_of: ["u1"], undoable: true })),
    ]);
    expect(again.calls.get("c3")?.undoneBy).toBeUndefined();
    expect(again.calls.get("u1")?.undoneBy).toBe("u2");
  });

  it("a session whose oldest events were collected begins where they end", () => {
    const rest = from(recorded.slice(6));
    expect(rest.seq).toBe(recorded.length);
    expect(rest.calls.size).toBe(4);
  });
});
