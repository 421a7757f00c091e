/** `GetValue` in a run: the question survives the process, and is answered from any process, also while nothing runs. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createEngine } from "../src/index.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { runWithEvents } from "./support/run-command.ts";

const getValue = { name: "get_value", input: { key: "DEPLOY_KEY", reason: "The deploy needs it." } };

async function place() {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  const script = join(home, "script.json");
  await writeFile(script, JSON.stringify([{ calls: [getValue] }, { text: "Thank you." }]));
  const flags = ["--workspace", workspace, "--home", home, "--session", "s"];
  const exported = async () =>
    (await karyi(["sessions", "export", ...flags])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { workspace, home, flags, exported, model: ["--model", `scripted/${script}`] };
}

/** A run that waits for a value is killed. */
async function killed() {
  const at = await place();
  const first = runWithEvents(["go", ...at.flags, ...at.model, "--approve", "ask"]);
  const asked = await first.sees("value_request");
  first.child.kill("SIGKILL");
  await first.ended;
  return { ...at, asked, runId: first.events[0].run_id };
}

it("a run that was killed while it waited for a value goes on with the same question", async () => {
  const { flags, asked, runId, exported } = await killed();
  const second = runWithEvents(["--resume", ...flags, "--approve", "ask"]);
  const again = await second.sees("value_request");
  expect([again.request_id, again.key, again.status]).toEqual([asked.request_id, "DEPLOY_KEY", "asked"]);
  expect((await karyi(["var", "set", "DEPLOY_KEY", ...flags], { stdin: `deploy-${"x".repeat(12)}\n` })).code).toBe(0);
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(second.events.at(-1)).toMatchObject({ type: "run_end", status: "done", text: "Thank you.", rounds: 2, run_id: runId });
  const events = await exported();
  const of = (type: string) => events.filter((event: { type: string }) => event.type === type);
  expect([of("tool_call").length, of("tool_result").map(({ status }: { status: string }) => status)]).toEqual([1, ["ok"]]);
});

it("a value that was given while nothing ran is there when the run is resumed", async () => {
  const { flags } = await killed();
  await karyi(["var", "set", "DEPLOY_KEY", ...flags], { stdin: `deploy-${"x".repeat(12)}\n` });
  const second = runWithEvents(["--resume", ...flags, "--approve", "ask"]);
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(second.events.find(({ type }) => type === "tool_result")).toMatchObject({ tool: "GetValue", status: "ok" });
});

it("a value that was refused while nothing ran is refused when the run is resumed", async () => {
  const { flags, asked } = await killed();
  expect((await karyi(["approvals", "answer", asked.request_id, "deny", "--words", "not that one", ...flags])).code).toBe(0);
  const second = runWithEvents(["--resume", ...flags, "--approve", "ask"]);
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(second.events.find(({ type }) => type === "tool_result")).toMatchObject({
    status: "denied",
    output: expect.stringContaining("not that one"),
  });
});

it("a prompt after a killed run says that the question was not answered", async () => {
  const { flags, model, exported } = await killed();
  expect((await karyi(["run", "go on", ...flags, ...model])).code).toBe(0);
  expect((await karyi(["approvals", ...flags, "--json"])).stdout).not.toContain("DEPLOY_KEY");
  const ends = (await exported()).filter(({ type }: { type: string }) => type === "run_end");
  expect(ends.map(({ status }: { status: string }) => status)).toEqual(["cancelled", "done"]);
});

it("with nobody to ask GetValue is denied at once", async () => {
  const { flags, model } = await place();
  const run = runWithEvents(["go", ...flags, ...model]);
  expect(await run.ended).toMatchObject({ code: 0 });
  expect(run.events.map(({ type }) => type)).not.toContain("value_request");
  expect(run.events.find(({ type }) => type === "tool_result")).toMatchObject({ tool: "GetValue", status: "denied" });
});

it("an engine that is closed leaves questions of its runs open, and the next one goes on with them", async () => {
  const write = { name: "Write", input: { file_path: "made.txt", content: "x" } };
  for (const [calls, type] of [
    [[getValue], "value_request"],
    [[write], "permission_request"],
  ] as const) {
    const { home, workspace } = await place();
    const options = { home, workspace, waitForValues: true, approvals: "record" as const };
    const first = await createEngine(options);
    const script = join(home, "open.json");
    await writeFile(script, JSON.stringify([{ calls }, { text: "ok" }]));
    const session = await first.openSession({ id: "s" });
    const seen: { id?: string } = {};
    const ended = (async () => {
      for await (const event of session.run({ prompt: "go", model: `scripted/${script}` })) {
        if (event.type !== type) continue;
        seen.id = "request_id" in event.body ? event.body.request_id : "approval_id" in event.body ? event.body.approval_id : "";
        void first.close();
      }
    })().catch(() => {});
    await ended;
    await first.close();
    const second = await createEngine(options);
    onTestFinished(() => second.close());
    const again = await second.openSession({ id: "s" });
    if (type === "permission_request") await second.answer(seen.id ?? "", { answer: "once" }, "test");
    else await second.refuseValue(seen.id ?? "");
    const results: string[] = [];
    for await (const event of again.run({ resume: true }))
      if (event.type === "tool_result") results.push(`${event.body.tool} ${event.body.status}`);
    expect(results).toEqual([type === "permission_request" ? "Write ok" : "GetValue denied"]);
  }
});
