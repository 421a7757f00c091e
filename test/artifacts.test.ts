import { describe, expect, it } from "vitest";
import type { KaryiEvent, Result } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";

const text = "# Plan\n\nFirst we look at the parser.\nThen we measure it.\n";

async function withReport() {
  const made = await testEngine({ approve: async () => "deny" });
  const session = await made.engine.openSession();
  const created = await session.call("create_artifact", { id: "report", title: "Plan", content: text });
  return { ...made, session, created };
}

const read = async (session: { call(name: string, input: unknown): Promise<Result> }, version?: number) =>
  (await session.call("ReadArtifact", { id: "report", ...(version === undefined ? {} : { version }) })).data;

describe("artifacts", () => {
  it("every change is a version with its kind, and earlier ones stay readable", async () => {
    const { session, created } = await withReport();
    expect(created).toMatchObject({ status: "ok", undoable: true, data: { id: "report", version: 1, kind: "create" } });
    const update = await session.call("UpdateArtifact", { id: "report", old_str: "the parser", new_str: "the lexer" });
    expect(update.data).toEqual({ id: "report", version: 2, kind: "update" });
    const rewrite = await session.call("rewrite_artifact", { id: "report", content: "# New\n", base_version: 2 });
    expect(rewrite.data).toEqual({ id: "report", version: 3, kind: "rewrite" });
    expect(await read(session)).toEqual({
      id: "report",
      title: "Plan",
      content_type: "markdown",
      version: 3,
      latest_version: 3,
      content: "# New\n",
    });
    expect(await read(session, 1)).toMatchObject({ version: 1, latest_version: 3, content: text });
  });

  it("a fuzzy update tells what matched, where, and how similar it is in per cent", async () => {
    const { session } = await withReport();
    const wanted = "Then we mesure it!";
    const result = await session.call("UpdateArtifact", { id: "report", old_str: wanted, new_str: "Then we stop." });
    expect(result.data).toEqual({
      id: "report",
      version: 2,
      kind: "update_fuzzy",
      match: { similarity: 1 - 2 / wanted.length, text: "Then we measure it.", line: 4 },
    });
    expect(result.output).toContain("88.9%");
    expect(await read(session)).toMatchObject({ content: text.replace("Then we measure it.", "Then we stop.") });
  });

  it.each([
    ["CreateArtifact", { id: "report", title: "t", content: "" }, "tool_conflict", "already_exists"],
    ["ReadArtifact", { id: "reprot" }, "tool_not_found", "artifact_not_found"],
    ["ReadArtifact", { id: "report", version: 9 }, "tool_not_found", "version_not_found"],
    ["UpdateArtifact", { id: "report", old_str: "we ", new_str: "x" }, "invalid_tool_input", "not_unique"],
    ["UpdateArtifact", { id: "report", old_str: "something else entirely", new_str: "x" }, "invalid_tool_input", "no_match"],
    ["UpdateArtifact", { id: "report", old_str: "parser", new_str: "x", base_version: 4 }, "tool_conflict", "version_conflict"],
    ["RewriteArtifact", { id: "report", content: "x", base_version: 4 }, "tool_conflict", "version_conflict"],
    ["RewriteArtifact", { id: "nothing", content: "x" }, "tool_not_found", "artifact_not_found"],
  ])("%s %j is refused as %s/%s and changes nothing", async (tool, input, code, reason) => {
    const { session } = await withReport();
    const result = await session.call(tool, input);
    expect(result).toMatchObject({ status: "error", error: { code, details: { reason } } });
    expect(await read(session)).toMatchObject({ version: 1, latest_version: 1 });
  });

  it("an unknown id is answered with the ids there are", async () => {
    const { session } = await withReport();
    expect((await session.call("ReadArtifact", { id: "x" })).error?.message).toContain("report");
  });

  it("nobody is asked in any mode, and a dry run changes nothing", async () => {
    for (const mode of ["plan", "default", "accept-edits", "auto"] as const) {
      const { engine } = await testEngine({ mode, approve: async () => "deny" });
      const session = await engine.openSession();
      const draft = { id: "a", title: "A", content: "one" };
      expect((await session.call("CreateArtifact", draft, { dryRun: true })).data).toMatchObject({ kind: "create", decision: "allow" });
      expect((await session.call("ReadArtifact", { id: "a" })).error?.code).toBe("tool_not_found");
      expect((await session.call("CreateArtifact", draft)).status).toBe("ok");
    }
  });

  it("undo gives the content before back as a new version, and can itself be undone", async () => {
    const { session } = await withReport();
    const update = await session.call("UpdateArtifact", { id: "report", old_str: "parser", new_str: "lexer" });
    const undone = await session.undo(update.callId);
    expect(undone).toMatchObject({ status: "ok", data: { changes: [{ path: "artifact:report", change: "modified" }] } });
    expect(await read(session)).toMatchObject({ version: 3, content: text });
    await session.undo(undone.callId);
    expect(await read(session)).toMatchObject({ version: 4, content: text.replace("parser", "lexer") });
  });

  it("undo of several calls goes back to the content before the first", async () => {
    const { session } = await withReport();
    await session.call("UpdateArtifact", { id: "report", old_str: "parser", new_str: "lexer" });
    await session.call("RewriteArtifact", { id: "report", content: "x" });
    expect((await session.undo({ last: 2 })).status).toBe("ok");
    expect(await read(session)).toMatchObject({ version: 4, content: text });
  });

  it("undo of a creation removes the artifact, and the undo of that brings it back", async () => {
    const { session, created } = await withReport();
    const undone = await session.undo(created.callId);
    expect(await session.call("ReadArtifact", { id: "report" })).toMatchObject({ error: { code: "tool_not_found" } });
    await session.undo(undone.callId);
    expect(await read(session)).toMatchObject({ version: 3, content: text });
  });

  it("undo refuses to lose a later change unless forced", async () => {
    const { session } = await withReport();
    const first = await session.call("UpdateArtifact", { id: "report", old_str: "parser", new_str: "lexer" });
    await session.call("RewriteArtifact", { id: "report", content: "later" });
    expect(await session.undo(first.callId)).toMatchObject({ status: "error", error: { code: "tool_conflict" } });
    expect((await session.undo(first.callId, { force: true })).status).toBe("ok");
    expect(await read(session)).toMatchObject({ version: 4, content: text });
  });

  it("a live listener hears of every version what a replay shows", async () => {
    const { engine } = await testEngine();
    const heard: KaryiEvent[] = [];
    engine.onEvent((event) => heard.push(event));
    const session = await engine.openSession();
    await session.call("CreateArtifact", { id: "a", title: "A", content: "one" }, { callId: "c1" });
    const update = await session.call("UpdateArtifact", { id: "a", old_str: "one", new_str: "two" }, { callId: "c2" });
    await session.undo(update.callId);
    const live = heard.filter(({ type }) => type === "artifact_updated");
    expect(live.map(({ body, callId }) => ({ ...body, callId })).slice(0, 2)).toEqual([
      { artifact_id: "a", version: 1, kind: "create", callId: "c1" },
      { artifact_id: "a", version: 2, kind: "update", callId: "c2" },
    ]);
    const replayed: KaryiEvent[] = [];
    const stop = new AbortController();
    for await (const event of session.events(0, stop.signal)) {
      if (event.type === "artifact_updated") replayed.push(event);
      if (replayed.length === live.length) break;
    }
    expect(replayed).toEqual(live);
    expect(live).toHaveLength(3);
  });

  it("sessions do not see each other's artifacts", async () => {
    const { engine, session } = await withReport();
    expect((await session.call("ReadArtifact", { id: "report" })).status).toBe("ok");
    const other = await engine.openSession({ id: "other" });
    expect((await other.call("ReadArtifact", { id: "report" })).error?.code).toBe("tool_not_found");
  });

  it("changes made at the same time are all kept, each a version", async () => {
    const { engine, session } = await withReport();
    await session.call("RewriteArtifact", { id: "report", content: Array.from({ length: 8 }, (_, n) => `line number ${n}\n`).join("") });
    const handles = await Promise.all(Array.from({ length: 8 }, () => engine.openSession()));
    const results = await Promise.all(
      handles.map((handle, n) => handle.call("UpdateArtifact", { id: "report", old_str: `number ${n}`, new_str: `done ${n}` })),
    );
    expect(results.map(({ status }) => status)).toEqual(Array(8).fill("ok"));
    const expected = Array.from({ length: 8 }, (_, n) => `line done ${n}\n`).join("");
    expect(await read(session)).toMatchObject({ version: 10, content: expected });
  });
});
