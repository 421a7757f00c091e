/** Odd things that happen to a loop: half characters, blank words, words in the last moment, files that vanish. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finished, modelPlace } from "./support/models/place.ts";
import type { Body } from "./support/models/server.ts";

const models = { m: {} };
const read = (file_path: string) => ({ name: "Read", input: { file_path } });

describe.each(["anthropic", "chat"] as const)("%s", (format) => {
  const model = `${format}/m`;

  it("half of a character in an input, a prompt or a result goes back as a whole one", async () => {
    const half = '{"file_path":"a\\ud83d.txt"}';
    const { session, server } = await modelPlace(format, [{ calls: [{ name: "Read", input: half }] }, { text: "fine" }], models);
    const { outcome } = await finished(session, { prompt: `cut here: \ud83d`, model });
    expect(server.refused).toEqual([]);
    expect(outcome).toMatchObject({ status: "done", text: "fine" });
    expect(JSON.stringify(server.requests[1])).toContain("a\ufffd.txt");
  });

  it("a message of blanks during a run is taken by every provider", async () => {
    let steered: Promise<unknown> = Promise.resolve();
    const { session, engine, server } = await modelPlace(
      format,
      [{ calls: [read("a.txt")], until: () => steered }, { text: "fine" }],
      models,
    );
    let [say]: [() => void] = [() => {}];
    steered = new Promise<void>((resolve) => {
      say = resolve;
    });
    const run = session.run({ prompt: "go", model });
    for (;;) {
      const { done, value } = await run.next();
      if (done) {
        expect(value.status).toBe("done");
        break;
      }
      if (value.type === "turn_start" && value.body.turn === 1) {
        expect(await engine.runner.message(session.id, value.body.run_id ?? "", " \n ", "now")).toBe(true);
        say();
      }
    }
    expect(server.refused).toEqual([]);
  });

  it("calls of tools that are none, with names and ids that no provider takes back, keep the history sound", async () => {
    const calls = [
      { id: "same id!", name: "no such tool: 工具", input: {} },
      { id: "same id!", name: "", input: "[1,2]" },
      { id: "", name: "Read", input: '{"file_path":' },
      { id: "x".repeat(200), name: "n".repeat(200), input: "" },
    ];
    const { session, server } = await modelPlace(format, [{ calls }, { calls }, { text: "fine" }], models);
    const { outcome } = await finished(session, { prompt: "go", model });
    expect(server.refused).toEqual([]);
    expect(outcome.status).toBe("done");
  });
});

it("an input that is nested beyond reason is told to be, and does not end the run", async () => {
  const input = `{"pattern":${"[".repeat(5000)}${"]".repeat(5000)}}`;
  const { session, server } = await modelPlace("anthropic", [{ calls: [{ name: "Glob", input }] }, { text: "fine" }], models);
  const { outcome } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "fine" });
  expect(JSON.stringify(server.requests[1].messages.at(-1))).toContain("nested too deeply");
  expect(server.refused).toEqual([]);
});

it("events of the Messages API that are not known yet are left out", async () => {
  const { session, server } = await modelPlace("anthropic", [{ text: "fine", news: true }], models);
  const { outcome, events } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "fine" });
  expect([server.requests.length, events.filter(({ type }) => type === "error")]).toEqual([1, []]);
});

it("a message that comes when the run is about to end is heard in the same run", async () => {
  const { session, engine, server } = await modelPlace("anthropic", [{ text: "one" }, { text: "two" }], models);
  const run = session.run({ prompt: "go", model: "anthropic/m" });
  let [sent, texts]: [boolean, string[]] = [false, []];
  for (;;) {
    const { done, value } = await run.next();
    if (done) {
      expect(value).toMatchObject({ status: "done", text: "two", rounds: 2 });
      break;
    }
    if (value.type === "text") texts = [...texts, value.body.text];
    // The text is written with the answer; nothing but the end of the run follows.
    if (value.type === "text" && !sent) {
      sent = true;
      const [state] = await engine.runner.list(session.id);
      expect(await engine.runner.message(session.id, state?.runId ?? "", "wait, one more thing", "now")).toBe(true);
    }
  }
  expect(texts).toEqual(["one", "wait, one more thing", "two"]);
  expect(JSON.stringify(server.requests[1].messages.at(-1))).toContain("one more thing");
});

it("a message that was taken is never lost, however late it comes", async () => {
  const { session, engine, server } = await modelPlace("anthropic", () => ({ text: "said" }), models);
  let taken = 0;
  for (let round = 0; round < 12; round++) {
    const run = session.run({ prompt: `go ${round}`, model: "anthropic/m" });
    let late: Promise<boolean> | undefined;
    for (;;) {
      const { done, value } = await run.next();
      if (done) break;
      if (value.type !== "text" || late !== undefined) continue;
      const [state] = await engine.runner.list(session.id);
      const spins = round * 3;
      late = (async () => {
        for (let spin = 0; spin < spins; spin++) await new Promise(setImmediate);
        return engine.runner.message(session.id, state?.runId ?? "", `LATE ${round}.`, "now");
      })();
    }
    if (!(await late)) continue;
    taken += 1;
    expect(JSON.stringify(server.requests.map(({ messages }: Body) => messages.at(-1)))).toContain(`LATE ${round}.`);
  }
  expect(taken).toBeGreaterThan(0);
});

it("a run whose agent's file is gone when its turn comes does not work with more tools than it had", async () => {
  const { session, engine, workspace } = await modelPlace(
    "anthropic",
    [{ text: "first", until: () => removed }, { calls: [{ name: "Write", input: { file_path: "b.txt", content: "no" } }] }],
    models,
  );
  const file = join(workspace, ".karyi/agents/reader.md");
  await mkdir(join(workspace, ".karyi/agents"), { recursive: true });
  await writeFile(file, "---\nname: reader\ndescription: reads\ntools: Read\n---\nRead.\n");
  let remove = () => {};
  const removed = new Promise<void>((resolve) => {
    remove = resolve;
  });
  await engine.runner.start(session, { prompt: "go", model: "anthropic/m", runId: "first" });
  const second = await engine.runner.start(session, { prompt: "then this", model: "anthropic/m", agent: "reader", runId: "second" });
  expect(second.status).toBe("queued");
  await rm(file);
  remove();
  expect(await untilEnded(() => engine.runner.state(session.id, "first"))).toMatchObject({ status: "done" });
  const ended = await untilEnded(() => engine.runner.state(session.id, "second"));
  expect(ended).toMatchObject({ status: "failed", outcome: { error: { code: "unknown_agent" } } });
  // The session is free again.
  expect((await finished(session, { prompt: "and now", model: "anthropic/m" })).outcome.status).toBe("done");
});

async function untilEnded<T extends { readonly outcome?: unknown } | undefined>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    const state = await look();
    if (state?.outcome !== undefined) return state;
    await new Promise(setImmediate);
  }
}
