/**
 * Many sessions, readers and questions at once, on a server process of its own so that its memory can be told from the test's. The
 * small form shows that nothing is lost; KARYI_FULL=1 runs 500 sessions with 50 calls a second for two minutes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin } from "./support/mcp.ts";

const isFull = process.env.KARYI_FULL === "1";
const size = isFull
  ? { sessions: 500, calls: 6_000, everyMs: 20, questions: 1_000 }
  : { sessions: 25, calls: 100, everyMs: 0, questions: 60 };
const timeout = isFull ? 600_000 : 120_000;

const [workspace, home] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "karyi-load-"))) as [string, string];
const token = ["load", "token"].join("-");
let server: ChildProcess;
let address = "";

beforeAll(async () => {
  await writeFile(join(home, "config.json"), JSON.stringify({ gateway: { requestsPerMinute: 10_000_000 } }));
  await writeFile(join(workspace, "a.txt"), "one\n");
  const args = [bin, "serve", "--port", "0", "--workspace", workspace, "--home", home];
  server = spawn(process.execPath, args, { env: { ...process.env, KARYI_TOKEN: token }, stdio: ["ignore", "pipe", "ignore"] });
  address = await new Promise<string>((resolve, reject) => {
    let text = "";
    server.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
});

afterAll(async () => {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill();
  expect(await ended).toBe(0);
  for (const place of [workspace, home]) rmSync(place, { recursive: true, force: true });
});

async function api(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const answer = await fetch(`${address}/api/v1${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}

interface Reader {
  readonly ids: number[];
  close(): void;
}

/** A connection of its own that notes the position of every event. */
function readerOf(session: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = get(`${address}/api/v1/sessions/${session}/events`, { headers, agent: false }, (answer: IncomingMessage) => {
      const ids: number[] = [];
      let rest = "";
      answer.on("data", (chunk: Buffer) => {
        const lines = `${rest}${chunk.toString("latin1")}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.startsWith("id: ")) ids.push(Number(line.slice(4)));
      });
      answer.on("error", () => {});
      resolve({ ids, close: () => request.destroy() });
    });
    request.once("error", reject);
  });
}

/** 0 where the system does not tell. */
function residentBytes(pid: number | undefined): number {
  if (process.platform !== "linux") return 0;
  const pages = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(pages) * 1024;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(20);
}

test(`${size.sessions} sessions with live streams and ${size.calls} calls: no event is lost or doubled, and memory has an end`, {
  timeout,
}, async () => {
  const names = Array.from({ length: size.sessions }, (_, index) => `load-${index}`);
  for (const id of names) expect((await api("POST", "/sessions", { id })).status).toBe(201);
  const readers = await Promise.all(names.map(readerOf));
  const made = names.map(() => 0);
  const under: Promise<unknown>[] = [];
  let early = 0;
  for (let call = 0; call < size.calls; call += 1) {
    const index = call % names.length;
    made[index] = (made[index] ?? 0) + 1;
    under.push(api("POST", `/sessions/${names[index]}/calls`, { tool: "Read", input: { file_path: "a.txt" } }));
    if (call === Math.floor(size.calls / 3)) early = residentBytes(server.pid);
    if (size.everyMs > 0) await pause(size.everyMs);
    else if (call % 10 === 9) await Promise.all(under);
  }
  await Promise.all(under);
  // Each call is two events.
  await until(() => readers.every(({ ids }, index) => ids.length >= 2 * (made[index] ?? 0)));
  for (const [index, { ids }] of readers.entries()) expect(ids).toEqual(Array.from({ length: 2 * (made[index] ?? 0) }, (_, at) => at + 1));
  expect(residentBytes(server.pid) - early).toBeLessThan(200 * 1024 * 1024);
  for (const reader of readers) reader.close();
});

test("a client that never reads holds up nobody, and what it missed is there when it comes back", { timeout }, async () => {
  await api("POST", "/sessions", { id: "deaf" });
  await writeFile(join(workspace, "long.txt"), `${"x".repeat(180)}\n`.repeat(250));
  const deaf = get(`${address}/api/v1/sessions/deaf/events`, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const answer = await new Promise<IncomingMessage>((resolve) => deaf.once("response", resolve));
  answer.pause();
  const other = await readerOf("deaf");
  const calls = isFull ? 400 : 60;
  const before = residentBytes(server.pid);
  for (let call = 0; call < calls; call += 1) await api("POST", "/sessions/deaf/calls", { tool: "Read", input: { file_path: "long.txt" } });
  await until(() => other.ids.length >= 2 * calls);
  expect(residentBytes(server.pid) - before).toBeLessThan(200 * 1024 * 1024);
  other.close();
  deaf.destroy();
  const back = await readerOf("deaf");
  await until(() => back.ids.length >= 2 * calls);
  expect(back.ids).toEqual(Array.from({ length: 2 * calls }, (_, at) => at + 1));
  back.close();
});

test(`${size.questions} pending questions are listed by page, counted, and each answered once`, { timeout }, async () => {
  await api("POST", "/sessions", { id: "asking" });
  for (let index = 0; index < size.questions; index += 1) {
    const input = { file_path: `new-${index}.txt`, content: "x" };
    expect((await api("POST", "/sessions/asking/calls", { tool: "Write", input })).status).toBe(202);
  }
  expect((await api("GET", "/counts")).body).toMatchObject({ approvals: size.questions });
  const found: { id: string; nonce: string }[] = [];
  for (let cursor: unknown = ""; cursor !== null; ) {
    const next = cursor === "" ? "" : `&cursor=${encodeURIComponent(String(cursor))}`;
    const { body } = await api("GET", `/approvals?status=pending&session_id=asking&limit=100${next}`);
    found.push(...(body.approvals as { id: string; nonce: string }[]));
    cursor = body.next_cursor;
  }
  expect(new Set(found.map(({ id }) => id)).size).toBe(size.questions);
  for (const { id, nonce } of found) expect((await api("POST", `/approvals/${id}/answer`, { answer: "deny", nonce })).status).toBe(200);
  const [first] = found;
  expect((await api("POST", `/approvals/${first?.id}/answer`, { answer: "deny", nonce: first?.nonce })).status).toBe(409);
  expect((await api("GET", "/counts")).body).toMatchObject({ approvals: 0 });
});
