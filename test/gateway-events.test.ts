/** Streams of events: replay, `Last-Event-ID` without gap or double, many sessions at once, the inbox, and a restart. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine } from "../src/index.ts";
import { readEvents, type ServerSentEvent, startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
  await writeFile(join(gateway.workspace, "a.txt"), "one\n");
});

afterAll(() => gateway.close());

const read = (session: string) => gateway.api("POST", `/sessions/${session}/calls`, { tool: "Read", input: { file_path: "a.txt" } });
const seqs = (events: readonly ServerSentEvent[]) => events.map(({ data }) => data.seq);
const upTo = (count: number) => (events: readonly ServerSentEvent[]) => events.length >= count;

test("a stream begins with the first event and goes on live; id, event and data belong together", async () => {
  await gateway.api("POST", "/sessions", { id: "one" });
  await read("one");
  const reading = readEvents(gateway, "/api/v1/sessions/one/events", upTo(4));
  await read("one");
  const events = await reading;
  expect(events.map(({ id, event, data }) => [id, event, data.type, data.seq, data.session_id])).toEqual([
    ["1", "tool_call", "tool_call", 1, "one"],
    ["2", "tool_result", "tool_result", 2, "one"],
    ["3", "tool_call", "tool_call", 3, "one"],
    ["4", "tool_result", "tool_result", 4, "one"],
  ]);
});

test("Last-Event-ID and ?after= go on without gap or double", async () => {
  expect(seqs(await readEvents(gateway, "/api/v1/sessions/one/events", upTo(2), { headers: { "last-event-id": "2" } }))).toEqual([3, 4]);
  expect(seqs(await readEvents(gateway, "/api/v1/sessions/one/events?after=3", upTo(1)))).toEqual([4]);
  expect((await gateway.api("GET", "/sessions/one/events", undefined, { "last-event-id": "x" })).status).toBe(400);
});

test("as JSON those that are there, backwards, by type and by page", async () => {
  const json = { accept: "application/json" };
  const all = (await gateway.api("GET", "/sessions/one/events", undefined, json)).body;
  expect([all.events.length, all.first_seq, all.last_seq]).toEqual([4, 1, 4]);
  const back = (await gateway.api("GET", "/sessions/one/events?before=4&limit=2", undefined, json)).body.events;
  expect(back.map(({ seq }: { seq: number }) => seq)).toEqual([2, 3]);
  const calls = (await gateway.api("GET", "/sessions/one/events?types=tool_call", undefined, json)).body.events;
  expect(calls.map(({ type }: { type: string }) => type)).toEqual(["tool_call", "tool_call"]);
  expect((await gateway.api("GET", "/sessions/one/events?types=nonsense", undefined, json)).status).toBe(400);
});

test("a position that is none is 400, never a stream from the beginning", async () => {
  const json = { accept: "application/json" };
  for (const id of ["x", "-1", "1.5", "1e3", "9".repeat(20), "é", "1, 2"]) {
    const answer = await gateway.api("GET", "/sessions/one/events", undefined, { ...json, "last-event-id": id });
    expect([id, answer.status, answer.body?.error?.code]).toEqual([id, 400, "invalid_request"]);
  }
  for (const cursor of ["!!!", "5", "{}", Buffer.from("one x").toString("base64url"), `${Buffer.from("one 1").toString("base64url")}==`]) {
    const byHeader = await gateway.api("GET", "/events?sessions=one", undefined, { "last-event-id": cursor });
    const byQuery = await gateway.api("GET", `/events?sessions=one&after=${encodeURIComponent(cursor)}`);
    expect([cursor, byHeader.status, byQuery.status]).toEqual([cursor, 400, 400]);
  }
});

test("one stream for many sessions has a cursor over all of them, and tells the inbox", async () => {
  await gateway.api("POST", "/sessions", { id: "two" });
  await read("two");
  const path = "/api/v1/events?sessions=one,two&inbox=1";
  const first = await readEvents(gateway, path, (all) => all.filter(({ event }) => event !== "inbox").length >= 6);
  const last = first.filter(({ event }) => event !== "inbox").at(-1);
  const went = readEvents(gateway, path, (all) => all.some(({ event, data }) => event === "inbox" && data.counts.approvals === 1), {
    headers: { "last-event-id": last?.id ?? "" },
  });
  await gateway.api("POST", "/sessions/two/calls", { tool: "Write", input: { file_path: "new.txt", content: "x" } });
  const later = await went;
  expect(later.filter(({ event }) => event !== "inbox").map(({ data }) => [data.session_id, data.seq, data.type])).toEqual([
    ["two", 3, "tool_call"],
    ["two", 4, "permission_request"],
  ]);
  expect(later.at(-1)?.data.items).toMatchObject([{ kind: "approval", session_id: "two", tool: "Write" }]);
  expect((await gateway.api("GET", "/events?sessions=none")).status).toBe(404);
});

test("the inbox tells what another process asks and answers", async () => {
  const other = await createEngine({ workspace: gateway.workspace, home: gateway.home, approvals: "record" });
  const cards = (all: readonly ServerSentEvent[]) => all.filter(({ event }) => event === "inbox").at(-1)?.data.items ?? [];
  const theirs = (all: readonly ServerSentEvent[]) => cards(all).find(({ summary }: { summary: string }) => summary.includes("theirs.txt"));
  try {
    const session = await other.openSession({ id: "theirs", owner: "local", channel: "local" });
    let answered: Promise<unknown> | undefined;
    await readEvents(gateway, "/api/v1/events?inbox=1", (all) => {
      if (all.length === 1) void session.call("Write", { file_path: "theirs.txt", content: "x" });
      const card = theirs(all);
      if (card !== undefined) answered ??= other.answer(card.id, { answer: "deny" }, "test");
      return answered !== undefined && card === undefined;
    });
    expect(await answered).toMatchObject({ status: "refused" });
  } finally {
    await other.close();
  }
});

test("a position beyond the end is told to be lost and begins anew, and no other reader waits for it", async () => {
  const { first_seq, last_seq } = (await gateway.api("GET", "/sessions/one/events", undefined, { accept: "application/json" })).body;
  const beyond = await readEvents(gateway, "/api/v1/sessions/one/events", upTo(last_seq + 1), { headers: { "last-event-id": "999999" } });
  expect(beyond[0]).toEqual({ event: "events_lost", data: { after: 999_999, first_seq } });
  expect(seqs(beyond.slice(1))).toEqual(Array.from({ length: last_seq }, (_, index) => index + 1));
});

test("a stream ends with its session", async () => {
  await gateway.api("POST", "/sessions", { id: "brief" });
  await read("brief");
  let removed: Promise<unknown> | undefined;
  const events = await readEvents(gateway, "/api/v1/sessions/brief/events", (all) => {
    if (all.length === 2) removed ??= gateway.api("DELETE", "/sessions/brief");
    return false;
  });
  expect(await removed).toMatchObject({ status: 204 });
  expect(seqs(events)).toEqual([1, 2]);
});

test("after a restart streams go on where they were, and what waited can be answered", async () => {
  const [card] = (await gateway.api("GET", "/approvals?status=pending&session_id=two")).body.approvals;
  await gateway.restart();
  const reading = readEvents(gateway, "/api/v1/sessions/two/events", (all) => all.at(-1)?.event === "tool_result", {
    headers: { "last-event-id": "3" },
  });
  const [again] = (await gateway.api("GET", "/approvals?status=pending&session_id=two")).body.approvals;
  expect([again.id, again.nonce]).toEqual([card.id, card.nonce]);
  expect((await gateway.api("POST", `/approvals/${again.id}/answer`, { answer: "once", nonce: again.nonce })).status).toBe(200);
  const events = await reading;
  expect(events.map(({ data }) => [data.seq, data.type])).toEqual([
    [4, "permission_request"],
    [5, "permission_result"],
    [6, "tool_result"],
  ]);
});

test("300 readers of one stream all get every event once, in order", async () => {
  await gateway.api("POST", "/sessions", { id: "crowd" });
  const readers = Array.from({ length: 300 }, () => readEvents(gateway, "/api/v1/sessions/crowd/events", upTo(6)));
  for (let count = 0; count < 3; count += 1) await read("crowd");
  for (const events of await Promise.all(readers)) expect(seqs(events)).toEqual([1, 2, 3, 4, 5, 6]);
});
