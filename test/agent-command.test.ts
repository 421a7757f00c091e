/** `karyi run` as other programs use it: exit codes, one object, events, people in other processes, kills and resuming. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { modelServer, type Reply } from "./support/models/server.ts";
import { runWithEvents } from "./support/run-command.ts";

const write = { name: "Write", input: { file_path: "b.txt", content: "written\n" } };
const read = { name: "Read", input: { file_path: "a.txt" } };

async function place(turns: readonly object[] = []) {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  await writeFile(join(workspace, "a.txt"), "alpha\n");
  const script = join(home, "script.yaml");
  await writeFile(script, stringify(turns));
  const flags = ["--workspace", workspace, "--home", home, "--session", "s"];
  const model = ["--model", `scripted/${script}`];
  const exported = async () =>
    (await karyi(["sessions", "export", ...flags])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { workspace, home, flags, model, script, exported };
}

async function served(replies: readonly Reply[], price?: object) {
  const server = await modelServer("anthropic", replies);
  const at = await place();
  const models = { m: { ...(price && { price }) } };
  await writeFile(
    join(at.home, "config.json"),
    JSON.stringify({ model: "anthropic/m", providers: { anthropic: { baseUrl: server.url, apiKey: "k", models } } }),
  );
  return { ...at, server };
}

it("prints the text alone, one object, or events; a denied call does not fail the run", async () => {
  const { flags, model, exported } = await place([{ text: "Looking.", calls: [read, write] }, { text: "All done." }]);
  const plain = await karyi(["run", "go", ...flags, ...model]);
  expect(plain).toMatchObject({ code: 0, stdout: "Looking.\nAll done.\n" });
  expect(plain.stderr).toContain("tokens");
  const events = await exported();
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(events.map((_: unknown, index: number) => index + 1));
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "done", text: "All done.", rounds: 2 });
  expect(events.find(({ type, tool }: { type: string; tool: string }) => type === "tool_result" && tool === "Write")).toMatchObject({
    status: "denied",
  });
  const next = await karyi(["run", "more", ...flags, ...model, "--json"]);
  expect(JSON.parse(next.stdout)).toMatchObject({ status: "done", rounds: 1, session_id: events[0].session_id });
});

it("wrong usage is 2, also --resume where nothing is to be resumed and --max-cost without a price", async () => {
  const { flags, model } = await place([]);
  const codes = await Promise.all(
    [
      ["run"],
      ["run", "--resume"],
      ["run", "x", "--model", "nobody/x"],
      ["run", "x", "--agent", "nobody", ...model],
      ["run", "x", "--max-cost", "1", ...model],
      ["run", "x", "--max-rounds", "zero", ...model],
    ].map(async (args) => (await karyi([...args, ...flags])).code),
  );
  expect(codes).toEqual([2, 2, 2, 2, 2, 2]);
});

it("waits for an answer from another process, and the model is told of a denial with its words", async () => {
  const { flags, model, workspace } = await place([
    { calls: [write] },
    { calls: [{ ...write, input: { ...write.input, file_path: "c.txt" } }] },
    { text: "ok" },
  ]);
  const run = runWithEvents(["go", ...flags, ...model, "--approve", "ask"]);
  const asked = await run.sees("permission_request");
  expect((await karyi(["approvals", "answer", asked.approval_id, "once", ...flags])).code).toBe(0);
  const second = await new Promise<string>((resolve) => {
    const look = () => {
      const found = run.events.filter(({ type }) => type === "permission_request")[1];
      if (found) resolve(found.approval_id);
      else setImmediate(look);
    };
    look();
  });
  await karyi(["approvals", "answer", second, "deny", "--words", "not there", ...flags]);
  expect(await run.ended).toMatchObject({ code: 0 });
  expect(await readFile(join(workspace, "b.txt"), "utf8")).toBe("written\n");
  expect(existsSync(join(workspace, "c.txt"))).toBe(false);
  expect(run.events.filter(({ type }) => type === "tool_result").map(({ status }) => status)).toEqual(["ok", "denied"]);
  expect(JSON.stringify(run.events.filter(({ type }) => type === "tool_result"))).toContain("not there");
});

it("a run that was killed while it waited goes on with the same question, answered while nothing ran", async () => {
  const { flags, model, workspace, exported } = await place([{ text: "I will write.", calls: [write] }, { text: "Written." }]);
  const first = runWithEvents(["go", ...flags, ...model, "--approve", "ask"]);
  const asked = await first.sees("permission_request");
  first.child.kill("SIGKILL");
  await first.ended;
  await karyi(["approvals", "answer", asked.approval_id, "once", ...flags]);
  const second = runWithEvents(["--resume", ...flags, ...model, "--approve", "ask"]);
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(second.events.at(-1)).toMatchObject({
    type: "run_end",
    status: "done",
    text: "Written.",
    rounds: 2,
    run_id: first.events[0].run_id,
  });
  expect(await readFile(join(workspace, "b.txt"), "utf8")).toBe("written\n");
  const events = await exported();
  const count = (type: string) => events.filter((event: { type: string }) => event.type === type).length;
  expect([
    count("run_start"),
    count("turn_start"),
    count("turn_end"),
    count("permission_request"),
    count("tool_result"),
    count("run_end"),
  ]).toEqual([1, 2, 2, 1, 1, 1]);
});

it("a prompt after a killed run closes its open calls and follows", async () => {
  const { flags, server } = await served([{ calls: [{ ...read, input: read.input }, write] }, { text: "I see." }]);
  const first = runWithEvents(["go", ...flags, "--approve", "ask"]);
  await first.sees("permission_request");
  first.child.kill("SIGKILL");
  await first.ended;
  const next = await karyi(["run", "never mind", ...flags, "--json"]);
  expect(JSON.parse(next.stdout)).toMatchObject({ status: "done", text: "I see." });
  expect(server.refused).toEqual([]);
  const results = server.requests[1].messages.at(-1).content.filter(({ type }: { type: string }) => type === "tool_result");
  expect(results.map(({ is_error }: { is_error?: boolean }) => is_error ?? false)).toEqual([false, true]);
  expect(JSON.stringify(results)).toContain("alpha");
  expect(JSON.stringify(results)).toContain("cancelled");
  expect(JSON.parse((await karyi(["approvals", "--json", ...flags])).stdout).approvals).toEqual([]);
});

it("an interrupt keeps the partial text, ends with 130, and the next prompt follows", async () => {
  const { flags, server } = await served([{ text: "The first half", fault: "silent" }, { text: "fine" }]);
  const run = runWithEvents(["go", ...flags]);
  await run.sees("text_delta");
  run.child.kill("SIGINT");
  expect(await run.ended).toMatchObject({ code: 130 });
  expect(run.events.at(-1)).toMatchObject({ type: "run_end", status: "cancelled" });
  expect(run.events.filter(({ type }) => type === "text")).toEqual([]);
  await karyi(["run", "go on", ...flags]);
  expect(JSON.stringify(server.requests.at(-1).messages)).toContain("The first");
  expect(server.refused).toEqual([]);
});

it("tells the cost at the configured price, and stops at the limit", async () => {
  const usage = { input: 1_000_000, output: 100_000, cacheRead: 1_000_000 };
  const { flags } = await served(
    [
      { calls: [read], usage },
      { text: "ok", usage },
    ],
    { input: 3, output: 15, cacheRead: 0.3 },
  );
  const { stdout } = await karyi(["run", "go", ...flags, "--json", "--max-cost", "4"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "max_cost", rounds: 1, cost_usd: 4.8, cache_saved_usd: 2.7 });
});

it("a value is waited for: var set gives it, approvals answer deny refuses it, nobody to ask denies it", async () => {
  const ask = { calls: [{ name: "GetValue", input: { key: "TOKEN_X", reason: "to publish" } }] };
  const { flags, model } = await place([ask, { text: "ok" }, ask, { text: "ok" }, ask, { text: "ok" }]);
  expect((await karyi(["run", "go", ...flags, ...model, "--json"])).code).toBe(0);
  const refused = runWithEvents(["go", ...flags, ...model, "--approve", "ask"]);
  const { request_id } = await refused.sees("value_request");
  expect((await karyi(["approvals", "answer", request_id, "deny", "--words", "no", ...flags])).code).toBe(0);
  expect(await refused.ended).toMatchObject({ code: 0 });
  expect((await refused.sees("tool_result")).status).toBe("denied");
  const given = runWithEvents(["go", ...flags, ...model, "--approve", "ask"]);
  await given.sees("value_request");
  await karyi(["var", "set", "TOKEN_X", ...flags], { stdin: ["s3cret", "value", "123"].join("-") });
  expect(await given.ended).toMatchObject({ code: 0 });
  expect((await given.sees("tool_result")).status).toBe("ok");
});

it("runs of one session wait for each other, over processes", async () => {
  const { flags, model } = await place([{ text: "one", delay_ms: 300 }, { text: "two" }, { text: "three" }]);
  const first = runWithEvents(["a", ...flags, ...model]);
  await first.sees("turn_start");
  const second = runWithEvents(["b", ...flags, ...model]);
  await Promise.all([first.ended, second.ended]);
  expect(first.events.at(-1)).toMatchObject({ status: "done", text: "one" });
  expect(second.events.at(-1)).toMatchObject({ status: "done", text: "two" });
  expect(second.events.map(({ type }) => type)).toEqual(["run_start", "turn_start", "text_delta", "text", "turn_end", "run_end"]);
});

it("keeps a real model's answers with --record and plays them again with replay/FILE", async () => {
  const { flags, home } = await served([{ text: "Looking.", calls: [read] }, { text: "alpha" }]);
  const file = join(home, "kept.jsonl");
  const first = await karyi(["run", "go", ...flags, "--record", file]);
  const again = await karyi(["run", "go", ...flags.slice(0, 4), "--model", `replay/${file}`]);
  expect(again).toMatchObject({ code: 0, stdout: first.stdout });
});

it("plays the answers of agents again, of models that took over, and summaries in between", async () => {
  const agent = { name: "Agent", input: { prompt: "CHILD, look", description: "looks" } };
  const long = "a long sentence that fills the window of a small model\n".repeat(120);
  const server = await modelServer("anthropic", ({ model, messages }) => {
    const [text, turns] = [JSON.stringify(messages), messages.filter(({ role }: { role: string }) => role === "assistant").length];
    if (text.includes("summary that you write now")) return { text: "SUMMARY" };
    if (JSON.stringify(messages[0]).includes("CHILD, look")) return turns === 0 ? { calls: [read] } : { text: "the child saw alpha" };
    if (model === "m")
      return text.includes("SUMMARY")
        ? { status: 503, headers: { "retry-after-ms": "1" } }
        : turns === 0
          ? { calls: [agent] }
          : { text: long, calls: [read] };
    return { text: "the other one ends it" };
  });
  const { flags, home } = await place();
  const models = { m: { contextWindow: 26_000, maxOutputTokens: 1000, fallback: "anthropic/n" }, n: {} };
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({ model: "anthropic/m", providers: { anthropic: { baseUrl: server.url, apiKey: "k", models } } }),
  );
  const file = join(home, "kept.jsonl");
  const first = await karyi(["run", "go", ...flags, "--record", file, "--json"]);
  expect(JSON.parse(first.stdout)).toMatchObject({ status: "done", text: "the other one ends it" });
  const asked = server.requests.length;
  expect(server.requests.some((body) => JSON.stringify(body).includes("summary that you write now"))).toBe(true);
  const config = { providers: { replay: { models: { [file]: { contextWindow: 26_000, maxOutputTokens: 1000 } } } } };
  await writeFile(join(home, "config.json"), JSON.stringify(config));
  const again = await karyi(["run", "go", ...flags.slice(0, 4), "--model", `replay/${file}`, "--json"]);
  const { text, status, rounds } = JSON.parse(first.stdout);
  expect(JSON.parse(again.stdout)).toMatchObject({ text, status, rounds });
  expect(server.requests).toHaveLength(asked);
});

it("commands in the background end with the run, and are named", async () => {
  const command = { name: "Bash", input: { command: "sleep 300", run_in_background: true } };
  const { flags, model } = await place([{ calls: [command] }, { text: "ended" }]);
  const run = await karyi(["run", "go", ...flags, ...model, "--approve", "yes"]);
  expect(run).toMatchObject({ code: 0, stdout: "ended\n" });
  expect(run.stderr).toMatch(/Ended with the run: \S+ \(.*sleep 300\)/);
});
