/** The tour played to its end by a person: approvals, a value, the terminal; and what it may not touch. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { reduce, reduceAll } from "../console/src/state/reduce.ts";
import { emptySession } from "../console/src/state/session-state.ts";
import type { WireEvent } from "../console/src/state/wire-event.ts";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { readEvents, type ServerSentEvent, startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;
const workspaces: string[] = [];
const secret = ["tour", "value", "4711"].join("-");

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway.close();
  for (const path of workspaces) await rm(path, { recursive: true, force: true });
});

/** Answers whatever waits in the session, until the run ends. */
async function play(id: string, { answer, value }: { readonly answer: "once" | "deny"; readonly value?: string }) {
  const cards: { readonly tool: string; readonly preview: unknown; readonly rehearsal?: unknown }[] = [];
  const answered = new Set<string>();
  let seen = 0;
  for (;;) {
    const waits = ({ event }: ServerSentEvent) => event === "permission_request" || event === "value_request" || event === "run_end";
    const events = await readEvents(gateway, `/api/v1/sessions/${id}/events`, (all) => all.filter(waits).length > seen);
    const news = events.filter(waits).slice(seen);
    seen += news.length;
    for (const { event, data } of news) {
      if (event === "run_end") return { cards, events };
      for (const card of (await gateway.api("GET", `/approvals?status=pending&session_id=${id}`)).body.approvals) {
        if (answered.has(card.id)) continue;
        answered.add(card.id);
        cards.push(card);
        const said = await gateway.api("POST", `/approvals/${card.id}/answer`, { answer, nonce: card.nonce });
        expect([card.tool, said.status]).toEqual([card.tool, 200]);
      }
      if (event === "value_request" && data.status === "asked") await give(value);
    }
  }
}

/** The event comes before the desk knows of it, so the desk is asked until it does. */
async function give(value: string | undefined): Promise<void> {
  for (;;) {
    const [asked] = (await gateway.api("GET", "/values")).body.values;
    if (asked === undefined) continue;
    const given = await gateway.api("POST", `/values/${asked.id}`, value === undefined ? { refuse: true } : { value });
    expect(given.status).toBe(204);
    return;
  }
}

const resultsOf = (events: readonly ServerSentEvent[]) =>
  events.flatMap(({ event, data }) => (event === "tool_result" ? [[data.tool, data.status]] : []));

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: commands cannot be captured here)";
const shown = `the tour shows a rehearsed command, an edit, a secret, two agents and a terminal, and touches nobody's files${why}`;

test.skipIf(!holds)(shown, async () => {
  const made = await gateway.api("POST", "/demo", {});
  expect([made.status, made.body.workspace === gateway.workspace]).toEqual([201, false]);
  const { id, workspace } = made.body;
  workspaces.push(workspace);
  const { cards, events } = await play(id, { answer: "once", value: secret });
  expect(resultsOf(events)).toEqual([
    ["List", "ok"],
    ["Bash", "ok"],
    ["Read", "ok"],
    ["Edit", "ok"],
    ["GetValue", "ok"],
    ["Bash", "ok"],
    ["Agent", "ok"],
    ["Agent", "ok"],
    ["Terminal", "ok"],
  ]);
  expect(cards.map(({ tool }) => tool).slice(0, 2)).toEqual(["Bash", "Edit"]);
  expect(JSON.stringify(cards[0]?.rehearsal)).toContain("sleeping");
  expect(JSON.stringify(cards[1]?.preview)).toContain("clever");
  expect(events.filter(({ event }) => event === "subagent_end").map(({ data }) => data.status)).toEqual(["done", "done"]);
  expect(events.at(-1)?.data).toMatchObject({ status: "done" });
  expect(JSON.stringify(events)).not.toContain(secret);
  expect(await readFile(join(workspace, "fox.txt"), "utf8")).toBe("The clever brown fox\njumps over the sleeping dog\n");

  // What the console knows of it is a function of these events: page by page, one by one, read again by another browser.
  const recorded = events.map(({ data }) => data) as unknown as WireEvent[];
  const whole = reduceAll(emptySession(id), recorded);
  expect(recorded.reduce(reduce, emptySession(id))).toEqual(whole);
  const half = Math.floor(recorded.length / 2);
  expect(reduceAll(reduceAll(emptySession(id), recorded.slice(0, half)), recorded.slice(half))).toEqual(whole);
  const again = await readEvents(gateway, `/api/v1/sessions/${id}/events`, (all) => all.length >= events.length);
  expect(reduceAll(emptySession(id), again.map(({ data }) => data) as unknown as WireEvent[])).toEqual(whole);
  expect([whole.agents.size, [...whole.questions.values()].filter(({ answer }) => answer === "once").length]).toEqual([2, cards.length]);

  await typeIntoTerminal(id, "Reineke\r", "Hello, Reineke");
  await gateway.api("POST", `/sessions/${id}/runs`, { prompt: "Go on", run_id: "second" });
  const after = await readEvents(
    gateway,
    `/api/v1/sessions/${id}/events`,
    (all) => all.filter(({ event }) => event === "run_end").length === 2,
  );
  expect(after.findLast(({ event }) => event === "tool_result")?.data).toMatchObject({
    tool: "Read",
    status: "ok",
    output: expect.stringContaining("Reineke"),
  });
  expect(await readdir(gateway.workspace)).toEqual([]);
  const undone = await gateway.api("POST", `/sessions/${id}/undo`, { last: 2, force: true });
  expect([undone.status, await readFile(join(workspace, "fox.txt"), "utf8")]).toEqual([200, expect.stringContaining("quick")]);
});

test("the tour goes on to its end if everything is refused, in the browser's language", async () => {
  const { body } = await gateway.api("POST", "/demo", {}, { "accept-language": "zh-CN,zh;q=0.9,en;q=0.5" });
  workspaces.push(body.workspace);
  const { events } = await play(body.id, { answer: "deny" });
  expect(events.at(-1)?.data).toMatchObject({ status: "done" });
  expect(resultsOf(events).filter(([tool]) => tool === "Bash" || tool === "Edit")).not.toContainEqual([expect.any(String), "ok"]);
  expect(JSON.stringify(events)).toContain("终端");
  expect((await readdir(body.workspace)).sort()).toEqual(["fox.txt", "notes.md"]);
});

/** Takes the terminal over, types, waits for what it prints, and gives it back. */
function typeIntoTerminal(id: string, text: string, until: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = `${gateway.url.replace("http", "ws")}/api/v1/sessions/${id}/terminal`;
    const socket = new WebSocket(url, ["karyi.terminal", `karyi.token.${gateway.token}`]);
    let output = "";
    let typed = false;
    socket.on("error", reject);
    socket.on("message", (bytes: Buffer, isBinary: boolean) => {
      if (isBinary) output += bytes.toString();
      else {
        const state = JSON.parse(bytes.toString()) as { type: string; live?: boolean; you?: boolean };
        if (state.type === "state" && state.live && !state.you) socket.send(JSON.stringify({ type: "take" }));
        if (state.type === "state" && state.live && state.you && !typed) {
          typed = true;
          socket.send(JSON.stringify({ type: "input", data: text }));
        }
      }
      if (!output.includes(until)) return;
      socket.close();
      resolve();
    });
  });
}
