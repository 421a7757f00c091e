/** Servers that ask the person in the middle of a call: forms, pages, prompts; and who is asked. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AskValue, ValueRequest } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const program = join(import.meta.dirname, "support/mcp-server.mjs");

async function engineWith(options: object = {}, settings: object = {}) {
  const home = await temporaryDirectory();
  const servers = { plain: { command: process.execPath, args: [program, "good"], ...settings } };
  await writeFile(join(home, "config.json"), JSON.stringify({ mcpServers: servers }));
  return testEngine({ home, ...options });
}

/** Answers each question with the next of these; `undefined` refuses. */
function person(...answers: readonly (string | undefined)[]): { asked: ValueRequest[]; askValue: AskValue } {
  const asked: ValueRequest[] = [];
  const left = [...answers];
  const askValue: AskValue = async (request) => {
    asked.push(request);
    const value = left.shift();
    return value === undefined ? { kind: "refused" } : { kind: "given", value, scope: "session" };
  };
  return { asked, askValue };
}

function form(properties: object, required: readonly string[] = []): object {
  return { method: "elicitation/create", params: { message: "About you", requestedSchema: { type: "object", properties, required } } };
}

async function answerOf(options: object, question: object): Promise<unknown> {
  const { engine } = await engineWith(options);
  const { output } = await (await engine.openSession()).call("mcp__plain__ask", question);
  return JSON.parse(output.split("\n")[1] ?? "");
}

describe("a server's form", () => {
  const fields = {
    name: { type: "string", title: "Name", description: "As in the passport", minLength: 2 },
    age: { type: "integer", minimum: 0 },
    sure: { type: "boolean" },
    colour: { type: "string", enum: ["red", "green"], default: "green" },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    nick: { type: "string" },
  };

  it("is asked field by field, checked, and handed to the server alone", async () => {
    const { asked, askValue } = person("X", "Ann", "no number", "41", "yes", "", "a, b", "");
    const { engine } = await engineWith({ askValue });
    const session = await engine.openSession();
    const told: unknown[] = [];
    engine.onEvent(({ type, body }) => {
      if (type === "value_request") told.push(body);
    });
    const { output } = await session.call("mcp__plain__ask", form(fields, ["name", "age", "sure"]));
    expect(JSON.parse(output.split("\n")[1] ?? "")).toEqual({
      action: "accept",
      content: { name: "Ann", age: 41, sure: true, colour: "green", tags: ["a", "b"] },
    });
    expect(asked.map(({ key, server, once }) => ({ key, server, once }))).toEqual(
      ["name", "name", "age", "age", "sure", "colour", "tags", "nick"].map((key) => ({ key, server: "plain", once: true })),
    );
    expect(asked[0]?.reason).toBe("About you\nName: As in the passport (string)");
    expect(JSON.stringify(told)).not.toContain("Ann");
    expect(told).toHaveLength(16);
  });

  it("that the person does not answer is declined, and where nobody can be asked it is cancelled or declined", async () => {
    const name = { name: { type: "string" } };
    expect(await answerOf(person(undefined), form(name, ["name"]))).toEqual({ action: "decline" });
    expect(await answerOf(person("", "", ""), form(name, ["name"]))).toEqual({ action: "decline" });
    expect(await answerOf(person("yes"), form({}))).toEqual({ action: "accept", content: {} });
    expect(await answerOf(person("maybe"), form({}))).toEqual({ action: "decline" });
    expect(await answerOf({}, form(name, ["name"]))).toEqual({ action: "decline" });
  });

  it("does not use up the server's time", async () => {
    const askValue: AskValue = async () => {
      await new Promise((resolve) => setTimeout(resolve, 3_200));
      return { kind: "given", value: "Ann", scope: "session" };
    };
    const { engine } = await engineWith({ askValue }, { timeoutMs: 3_000 });
    const session = await engine.openSession();
    expect(await session.call("mcp__plain__ask", form({ name: { type: "string" } }))).toMatchObject({ status: "ok" });
    expect(await session.call("mcp__plain__hang", {})).toMatchObject({ status: "error", error: { code: "timeout" } });
  });

  it("is not asked of anybody while the server works for two sessions", async () => {
    const { asked, askValue } = person("Ann");
    const { engine } = await engineWith({ askValue });
    const [one, two] = [await engine.openSession({ id: "one" }), await engine.openSession({ id: "two" })];
    const stop = new AbortController();
    await one.call("mcp__plain__echo", { text: "started" });
    const hanging = one.call("mcp__plain__hang", {}, { signal: stop.signal });
    const { output } = await two.call("mcp__plain__ask", form({ name: { type: "string" } }, ["name"]));
    stop.abort();
    await hanging;
    expect(output).toContain('{"action":"cancel"}');
    expect(asked).toEqual([]);
  });
});

describe("a server's page and prompt", () => {
  const page = {
    method: "elicitation/create",
    params: { mode: "url", message: "Log in", url: "https://login.example/x", elicitationId: "1" },
  };
  const prompt = {
    method: "sampling/createMessage",
    params: { systemPrompt: "Be short.", messages: [{ role: "user", content: { type: "text", text: "Two and two?" } }], maxTokens: 10 },
  };

  it("a page is accepted only by a yes, with its address in sight", async () => {
    const { asked, askValue } = person("yes");
    expect(await answerOf({ askValue }, page)).toEqual({ action: "accept" });
    expect(asked[0]?.reason).toContain("https://login.example/x");
    expect(await answerOf(person("no"), page)).toEqual({ action: "decline" });
  });

  it("a prompt is answered by the person, or rejected", async () => {
    const { asked, askValue } = person("Four.");
    expect(await answerOf({ askValue }, prompt)).toMatchObject({
      role: "assistant",
      model: "person",
      content: { type: "text", text: "Four." },
    });
    expect(asked[0]?.reason).toContain("Be short.\n\nuser: Two and two?");
    expect(await answerOf(person(undefined), prompt)).toMatchObject({ error: { code: -1 } });
  });
});

it("prompts of servers are listed and got, between untrusted marks", async () => {
  const { engine } = await engineWith();
  const session = await engine.openSession();
  const listed = await session.call("ListMcpPrompts", {});
  expect(listed.data).toMatchObject({ prompts: [{ server: "plain", name: "greet" }] });
  expect(listed.output).toContain("plain: greet(who) Greets.");
  const got = await session.call("GetMcpPrompt", { server: "plain", name: "greet", arguments: { who: "Ann" } });
  expect(got.output).toMatch(/^<untrusted-[0-9a-f]+ url="mcp:\/\/plain\/prompts\/greet">\nuser: greet Ann\n/);
  expect(await session.call("GetMcpPrompt", { server: "none", name: "greet" })).toMatchObject({ error: { code: "tool_not_found" } });
});
