/** Children of a process that is killed, and what a child's requests begin with. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createEngine } from "../src/index.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const bin = resolve(import.meta.dirname, "../bin/karyi.js");

type Event = { readonly type: string; readonly [key: string]: unknown };
const lines = (text: string): readonly Event[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A run with a child that was killed as soon as `mark` was among its events. */
async function killed(call: object, child: readonly object[], mark: string, more: readonly string[] = []) {
  const [workspace, home, scripts] = [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()];
  const flags = ["--workspace", workspace, "--home", home, "--session", "k"];
  const [below, above] = [join(scripts, "child.json"), join(scripts, "parent.json")];
  await writeFile(below, JSON.stringify(child));
  await writeFile(
    above,
    JSON.stringify([{ calls: [{ name: "Agent", input: { ...call, model: `scripted/${below}` } }] }, { text: "after" }, { text: "heard" }]),
  );
  const run = ["run", "go", "--model", `scripted/${above}`, ...flags, "--events", ...more];
  const process_ = spawn(process.execPath, [bin, ...run], { stdio: ["ignore", "pipe", "ignore"] });
  let told = "";
  for await (const chunk of process_.stdout) {
    told += chunk;
    if (told.includes(mark)) break;
  }
  process_.kill("SIGKILL");
  if (process_.exitCode === null && process_.signalCode === null) await once(process_, "exit");
  return {
    workspace,
    flags,
    below,
    resumed: async () => {
      const { code, stdout } = await karyi(["run", "--resume", ...flags, "--events", ...more]);
      expect(code).toBe(0);
      return lines(stdout);
    },
    exported: async () => lines((await karyi(["sessions", "export", ...flags])).stdout),
  };
}

/** Events of children stand once, in the child's own order; whatever began has its end. */
function demandWhole(events: readonly Event[]): void {
  const inner = events.filter(({ type }) => type === "subagent_event").map(({ event }) => (event as { readonly seq: number }).seq);
  expect(inner).toEqual([...new Set(inner)].sort((a, b) => a - b));
  const count = (kind: string) => events.filter(({ type }) => type === kind).length;
  for (const kind of ["run", "turn", "subagent"]) expect([kind, count(`${kind}_end`)]).toEqual([kind, count(`${kind}_start`)]);
  expect(count("tool_result")).toBe(count("tool_call"));
}

it("after kill -9 a child goes on where its parent is resumed, and its parent hears its words", async () => {
  const place = await killed({ prompt: "x" }, [{ text: "said", delay_ms: 600_000 }], '"type":"subagent_event"');
  await writeFile(place.below, JSON.stringify([{ text: "said" }]));
  const events = await place.resumed();
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "done", text: "after", rounds: 2 });
  expect(events.filter(({ type }) => type === "subagent_end")).toMatchObject([{ subagent_id: "agent_1", status: "done" }]);
  expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ tool: "Agent", status: "ok", output: "said" });
  demandWhole(await place.exported());
});

it("a child that waited for a person when its process was killed goes on with the same question", async () => {
  const write = { name: "Write", input: { file_path: "made.txt", content: "x" } };
  const place = await killed({ prompt: "x" }, [{ calls: [write] }, { text: "wrote" }], "permission_request", ["--approve", "ask"]);
  const { approvals } = JSON.parse((await karyi(["approvals", ...place.flags, "--json"])).stdout);
  expect((await karyi(["approvals", "answer", approvals[0].id, "once", ...place.flags])).code).toBe(0);
  const events = await place.resumed();
  expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ tool: "Agent", status: "ok", output: "wrote" });
  expect(events.filter(({ type }) => type === "permission_request")).toEqual([]);
  expect(await readFile(join(place.workspace, "made.txt"), "utf8")).toBe("x");
  demandWhole(await place.exported());
});

it("an agent in the background goes on where its parent is resumed, and is told in a further turn", async () => {
  const place = await killed({ prompt: "x", mode: "background" }, [{ text: "said", delay_ms: 600_000 }], '"turn":2');
  await writeFile(place.below, JSON.stringify([{ text: "said" }]));
  const events = await place.resumed();
  expect(events.at(-1)).toMatchObject({ status: "done", text: "heard", rounds: 3 });
  expect(events.filter(({ type }) => type === "subagent_end")).toMatchObject([{ status: "done", text: "said" }]);
  demandWhole(await place.exported());
});

it("a prompt after a killed run ends its children, with what they had spent, and says so of their calls", async () => {
  const usage = { input_tokens: 7, output_tokens: 3 };
  const child = [
    { calls: [{ name: "Glob", input: { pattern: "*" } }], usage },
    { text: "never", delay_ms: 600_000 },
  ];
  const place = await killed({ prompt: "x" }, child, '"turn":2');
  expect((await karyi(["run", "go on", ...place.flags, "--model", `scripted/${place.below}`.replace("child", "parent")])).code).toBe(0);
  const events = await place.exported();
  expect(events.filter(({ type }) => type === "subagent_end")).toMatchObject([
    { status: "cancelled", calls: 1, usage: { ...usage, cache_read_tokens: 0, cache_write_tokens: 0 } },
  ]);
  expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ tool: "Agent", status: "cancelled" });
  demandWhole(events);
});

it("an engine that is closed leaves its children as they are, and the next one goes on with them", async () => {
  const [home, workspace, scripts] = [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()];
  const [below, above] = [join(scripts, "child.json"), join(scripts, "parent.json")];
  await writeFile(below, JSON.stringify([{ text: "said", delay_ms: 600_000 }]));
  const call = (mode: string) => ({ name: "Agent", input: { prompt: "x", mode, model: `scripted/${below}` } });
  await writeFile(above, JSON.stringify([{ calls: [call("background"), call("sync")] }, { text: "after" }, { text: "heard" }]));
  const first = await createEngine({ home, workspace });
  const session = await first.openSession({ id: "s" });
  const begun = new Set<string | undefined>();
  const ended = (async () => {
    for await (const event of session.run({ prompt: "go", model: `scripted/${above}` })) {
      if (event.type === "subagent_event" && event.body.event.type === "turn_start") begun.add(event.subagentId);
      if (begun.size === 2) void first.close();
    }
  })().catch(() => {});
  await ended;
  await first.close();
  await writeFile(below, JSON.stringify([{ text: "said" }]));
  const second = await createEngine({ home, workspace });
  onTestFinished(() => second.close());
  const again = await second.openSession({ id: "s" });
  let last: unknown;
  for await (const event of again.run({ resume: true })) last = event.body;
  expect(last).toMatchObject({ status: "done", text: "heard", rounds: 3 });
  const ends = (await again.readEvents(0, 500)).filter(({ type }) => type === "subagent_end").map(({ body }) => body);
  expect(ends).toMatchObject([{ status: "done" }, { status: "done" }]);
});

it("with its parent's model a child has its parent's tools, byte for byte, whatever its agent", async () => {
  const { engine } = await testEngine();
  const scripts = await temporaryDirectory();
  const script = join(scripts, "both.json");
  await writeFile(script, JSON.stringify([{ calls: [{ name: "Agent", input: { prompt: "x", agent: "crawl" } }] }, { text: "done" }]));
  const session = await engine.openSession();
  for await (const _ of session.run({ prompt: "go", model: `scripted/${script}` }));
  const [child] = await session.agents.list();
  const toolsOf = async (id: string) => {
    const begin = (await engine.store.runs.steps(id)).find(({ name }) => name === "begin");
    return JSON.stringify(((begin?.output ?? {}) as { readonly tools?: unknown }).tools ?? []);
  };
  const own = await toolsOf(session.id);
  expect(own.length).toBeGreaterThan(1000);
  expect(await toolsOf(child?.sessionId ?? "")).toBe(own);
});
