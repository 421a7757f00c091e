/** docs/events.md shows an example of each type of event, taken from real runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventToWire, type Json, type JsonObject, type KaryiEvent, type SessionHandle } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";
import { eventReference } from "./support/event-reference.ts";

/** Asked about before it runs: what a rehearsal finds depends on the machine. */
async function callTools(session: SessionHandle): Promise<void> {
  await session.call("Bash", { command: "echo hi > a.txt; echo done" });
  await session.call("CreateArtifact", { id: "plan", title: "Plan", content: "# Plan\n" });
  await session.call("GetValue", { key: "NAME", reason: "to greet" });
  await session.call("Terminal", { command: "read -p 'name: ' x" });
  await session.call("TerminalKey", { key: "c" });
}

async function runAgent(session: SessionHandle, workspace: string): Promise<void> {
  const again = { calls: [{ name: "List", input: { path: "." } }] };
  const turns = [{ thinking: "The person greets.", text: "Hello." }, ...Array.from({ length: 30 }, () => again)];
  writeFileSync(join(workspace, "script.json"), JSON.stringify(turns));
  for (const prompt of ["Say hello.", "List it."])
    for await (const event of session.run(prompt, { model: "scripted/script.json", maxRounds: 20 })) void event;
}

/** The same every time: ids and times by constant ones, the workspace by its name. */
function constant(event: KaryiEvent, workspace: string): JsonObject {
  const ids: Readonly<Record<string, string>> = { call_id: "call_1", session_id: "session_1", approval_id: "approval_1" };
  const more: Readonly<Record<string, Json>> = { request_id: "request_1", run_id: "run_1", change_set: "change_set_1", seq: 7 };
  const numbers: Readonly<Record<string, Json>> = { time: 1_790_000_000_000, duration_ms: 12, retry_in_ms: 1000 };
  const replaced: Readonly<Record<string, Json>> = { ...ids, ...more, ...numbers };
  const text = JSON.stringify(eventToWire(event), (key, value: Json) =>
    value !== null && Object.hasOwn(replaced, key) ? replaced[key] : value,
  );
  return JSON.parse(text.replaceAll(workspace, "/workspace")) as JsonObject;
}

it("every event in docs/events.md is one of a real run (npm run docs writes it)", async () => {
  const { engine, workspace } = await testEngine({
    config: { commands: "ask" },
    askValue: async () => ({ kind: "given", value: "Ada", scope: "session" }),
  });
  const examples = new Map<string, JsonObject>();
  const live: JsonObject[] = [];
  engine.onEvent((event) => void live.push(eventToWire(event)));
  const session = await engine.openSession({ id: "example" });
  await callTools(session);
  await runAgent(session, workspace);
  const kept = await session.readEvents(0, 10_000);
  expect(live, "live listeners hear what a replay shows").toEqual(kept.map(eventToWire));
  for (const event of kept) if (!examples.has(event.type)) examples.set(event.type, constant(event, workspace));
  await expect(eventReference(examples)).toMatchFileSnapshot("../docs/events.md");
});
