/** Terminals over WebSocket, webhooks, figures, traces, runs of the demo agent, and the command beside a running server. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { addToken, removeToken } from "../src/compose/serving/index.ts";
import { karyi } from "./support/command.ts";
import { readEvents, startGateway, type TestGateway } from "./support/gateway.ts";

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let gateway: TestGateway;
let receiver: Server;
let address: string;
const received: Received[] = [];
let onReceived: () => void = () => {};
let failures = 0;

beforeAll(async () => {
  receiver = createServer((request, answer) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      failures -= 1;
      answer.writeHead(failures >= 0 ? 500 : 204).end();
      received.push({ headers: request.headers, body });
      onReceived();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  gateway = await startGateway({ webhookRetriesMs: [1, 1], env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otel` } });
});

afterAll(async () => {
  await gateway.close();
  await new Promise((resolve) => receiver.close(resolve));
});

const next = (count: number) =>
  new Promise<void>((resolve) => {
    onReceived = () => {
      if (received.length >= count) resolve();
    };
    onReceived();
  });

test("a webhook is told of a question, signed, and again until it answers", async () => {
  const made = await gateway.api("POST", "/webhooks", { url: `${address}/hook`, events: ["permission_request"] });
  expect(made.status).toBe(201);
  expect((await gateway.api("POST", "/webhooks", { url: "file:///etc/passwd" })).status).toBe(400);
  expect((await gateway.api("GET", "/webhooks")).text).not.toContain(made.body.secret);
  failures = 1;
  await gateway.api("POST", "/sessions", { id: "hooked" });
  await gateway.api("POST", "/sessions/hooked/calls", { tool: "Write", input: { file_path: "h.txt", content: "x" } });
  await next(2);
  const [first, second] = received;
  expect(second?.headers["x-karyi-delivery"]).toBe(first?.headers["x-karyi-delivery"]);
  const { "x-karyi-timestamp": timestamp, "x-karyi-signature": signature } = second?.headers ?? {};
  const expected = createHmac("sha256", made.body.secret).update(`${timestamp}.${second?.body}`).digest("hex");
  expect(signature).toBe(`sha256=${expected}`);
  expect(JSON.parse(second?.body ?? "")).toMatchObject({ type: "permission_request", session_id: "hooked", event: { tool: "Write" } });
  expect((await gateway.api("DELETE", `/webhooks/${made.body.id}`)).status).toBe(204);
  expect((await gateway.api("DELETE", `/webhooks/${made.body.id}`)).status).toBe(404);
});

test("the figures need a token and hold nothing of what was asked", async () => {
  expect((await gateway.request("GET", "/metrics", undefined, { authorization: "Bearer no" })).status).toBe(401);
  const { status, text, headers } = await gateway.request("GET", "/metrics");
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(text).toMatch(/^karyi_http_requests_total\{method="POST",status="201"\} \d+$/m);
  expect(text).toMatch(/^karyi_pending_approvals 1$/m);
  expect(text).not.toContain("hooked");
});

test("a person takes the terminal, types while calls of the agent wait, and gives it back; who may only read only watches", async () => {
  await gateway.api("POST", "/sessions", { id: "tty" });
  const { token: reader } = await addToken(gateway.home, { name: "tty-reader", scopes: ["read"], user: "local" });
  const socketUrl = `${gateway.url.replace("http", "ws")}/api/v1/sessions/tty/terminal`;
  const refused = (protocols: string[], headers: Record<string, string> = {}) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(socketUrl, protocols, { headers });
      socket.on("unexpected-response", (_, answer) => resolve(answer.statusCode ?? 0));
      socket.on("open", () => resolve(101));
      socket.on("error", () => {});
    });
  expect(await refused(["karyi.terminal"])).toBe(401);
  expect(await refused(["karyi.terminal", `karyi.token.${gateway.token}`], { origin: "https://evil.example" })).toBe(403);
  expect((await gateway.api("GET", "/sessions/tty/terminal")).status).toBe(426);

  const socket = new WebSocket(socketUrl, ["karyi.terminal", `karyi.token.${gateway.token}`]);
  const seen = watch(socket);
  await seen.until(({ states }) => states.length > 0);
  expect(socket.protocol).toBe("karyi.terminal");
  expect(seen.states.at(-1)).toMatchObject({ type: "state", live: false, driver: { kind: "agent" }, you: false });

  await gateway.api("POST", "/sessions/tty/calls", { tool: "Terminal", input: { command: "echo from-agent" }, call_id: "tty-1" });
  await seen.until(({ states }) => states.at(-1)?.live === true);

  const other = new WebSocket(socketUrl, ["karyi.terminal", `karyi.token.${reader}`]);
  const watched = watch(other);
  await watched.until(({ states }) => states.at(-1)?.live === true);
  other.send(JSON.stringify({ type: "take" }));
  await watched.until(({ errors }) => errors.length > 0);
  expect(watched.errors[0]).toMatchObject({ code: "forbidden" });

  socket.send(JSON.stringify({ type: "take" }));
  await watched.until(({ states }) => states.at(-1)?.driver?.kind === "person");
  expect(watched.states.at(-1)).toMatchObject({ driver: { kind: "person", name: "local" }, you: false });
  socket.send(JSON.stringify({ type: "size", rows: 30, columns: 100 }));
  const held = gateway.api("POST", "/sessions/tty/calls", { tool: "Terminal", input: { command: "echo held-$((6*7))" }, call_id: "tty-2" });
  // The server has the call before the person types.
  await gateway.api("GET", "/sessions/tty/calls");
  socket.send(JSON.stringify({ type: "input", data: "echo typed-$((40+2))\r" }));
  await watched.until(({ output }) => output.includes("typed-42"));
  expect(watched.output).not.toContain("held-42");
  socket.send(JSON.stringify({ type: "give" }));
  await watched.until(({ states }) => states.at(-1)?.driver?.kind === "agent");
  expect((await held).body).toMatchObject({ status: "ok", output: expect.stringContaining("held-42") });
  expect(watched.states.at(-1)).toMatchObject({ rows: 30, columns: 100 });
  socket.close();
  other.close();
});

test("a program that waits in a terminal is in the inbox until the agent's next call or a person goes on in it", async () => {
  await gateway.api("POST", "/sessions", { id: "asks" });
  const waits = async (callId: string) => {
    const asked = await gateway.api("POST", "/sessions/asks/calls", {
      tool: "Terminal",
      input: { command: "read -p 'Which name? ' name" },
      call_id: callId,
    });
    expect(asked.body.data).toMatchObject({ input_required: { kind: "input" } });
    const before = await inboxUntil(({ counts }) => counts.inputs === 1);
    expect(before.items.filter(({ kind }: { kind: string }) => kind === "input")).toEqual([
      {
        kind: "input",
        id: expect.any(String),
        session_id: "asks",
        root_session_id: "asks",
        call_id: callId,
        input: "input",
        program: "bash",
        summary: "Which name?",
        created_at: expect.any(Number),
      },
    ]);
    expect((await gateway.api("GET", "/counts")).body).toMatchObject({ inputs: 1 });
    expect((await gateway.api("GET", "/sessions/asks")).body).toMatchObject({ status: "waiting", waiting: 1 });
  };
  const inboxUntil = async (enough: (view: { readonly counts: { readonly inputs: number } }) => boolean) => {
    const seen = await readEvents(gateway, "/api/v1/events?inbox=1", (all) =>
      all.some(({ event, data }) => event === "inbox" && enough(data)),
    );
    return seen.at(-1)?.data;
  };

  await waits("asks-1");
  await gateway.api("POST", "/sessions/asks/calls", { tool: "TerminalKey", input: { key: "c" }, call_id: "asks-key" });
  await inboxUntil(({ counts }) => counts.inputs === 0);
  expect((await gateway.api("GET", "/sessions/asks")).body).toMatchObject({ status: "idle", waiting: 0 });

  await waits("asks-2");
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/api/v1/sessions/asks/terminal`, [
    "karyi.terminal",
    `karyi.token.${gateway.token}`,
  ]);
  const seen = watch(socket);
  await seen.until(({ states }) => states.at(-1)?.live === true);
  socket.send(JSON.stringify({ type: "take" }));
  socket.send(JSON.stringify({ type: "input", data: "Ada\r" }));
  await inboxUntil(({ counts }) => counts.inputs === 0);
  socket.close();
});

test("a terminal's line ends with its token, also if another one of the same name is made; a bad name is not found", async () => {
  await gateway.api("POST", "/sessions", { id: "tty-end" });
  const socketUrl = (session: string) => `${gateway.url.replace("http", "ws")}/api/v1/sessions/${session}/terminal`;
  const given = { name: "tty-driver", scopes: ["read", "approve"], user: "local" } as const;
  const { token } = await addToken(gateway.home, given);
  const socket = new WebSocket(socketUrl("tty-end"), ["karyi.terminal", `karyi.token.${token}`]);
  const seen = watch(socket);
  await seen.until(({ states }) => states.length > 0);
  await removeToken(gateway.home, given.name);
  await addToken(gateway.home, given);
  const closed = once(socket, "close");
  socket.send(JSON.stringify({ type: "take" }));
  expect((await closed)[0]).toBe(1008);
  expect(seen.states.every(({ driver }) => driver?.kind === "agent")).toBe(true);
  for (const name of ["%zz", "%00", "..%2ftty-end", "none"]) {
    const refused = new WebSocket(socketUrl(name), ["karyi.terminal", `karyi.token.${gateway.token}`]);
    refused.on("error", () => {});
    const [, answer] = await once(refused, "unexpected-response");
    expect([name, answer.statusCode]).toEqual([name, 404]);
    answer.resume();
    refused.terminate();
  }
});

test("without a model a run is played by the demo agent, and its end is told", async () => {
  await gateway.api("POST", "/sessions", { id: "chat" });
  const started = await gateway.api("POST", "/sessions/chat/runs", { prompt: "Hello", run_id: "run-1" });
  expect([started.status, started.body.run_id]).toEqual([202, "run-1"]);
  const events = await readEvents(gateway, "/api/v1/sessions/chat/events", (all) =>
    all.some(({ event }) => event === "run_end" || event === "permission_request"),
  );
  expect(events.map(({ event }) => event)).toContain("run_start");
  const again = await gateway.api("POST", "/sessions/chat/runs", { prompt: "Hello", run_id: "run-1" });
  expect(again.body.run_id).toBe("run-1");
  expect((await gateway.api("GET", "/sessions/chat/runs")).body.runs).toHaveLength(1);
  expect((await gateway.api("GET", "/sessions/chat/runs/run-1")).body).toMatchObject({ run_id: "run-1", session_id: "chat" });
  expect((await gateway.api("GET", "/sessions/chat/runs/none")).status).toBe(404);
  expect((await gateway.api("POST", "/sessions/chat/runs/none/cancel")).status).toBe(404);
  expect((await gateway.api("POST", "/sessions/chat/runs", { prompt: "" })).status).toBe(400);
});

test("a message to /agent/process without a tool is answered by the agent, whole and as a stream", async () => {
  const body = {
    input: [{ role: "user", type: "message", content: [{ type: "text", text: "Hello" }] }],
    session_id: "c",
    user_id: "u",
    channel: "x",
  };
  const whole = await gateway.request("POST", "/agent/process", body);
  expect([whole.status, whole.body.reply]).toEqual([200, expect.stringContaining("demo agent")]);
  expect(whole.body.events.map(({ type }: { type: string }) => type)).toContain("tool_result");
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, session_id: "d", stream: true }),
  };
  const events = await readEvents(gateway, "/agent/process", () => false, init);
  expect(events.at(-1)).toMatchObject({ event: "run_end", data: { status: "done", reply: expect.stringContaining("demo agent") } });
  expect((await gateway.request("POST", "/agent/process", { ...body, input: [] })).body.error.code).toBe("invalid_request");
});

test("the command beside the server: one server a home, audit verified, exported and shown by its end", async () => {
  const [card] = (await gateway.api("GET", "/approvals?status=pending&session_id=hooked")).body.approvals;
  await gateway.api("POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce });
  const second = await karyi(["serve", "--home", gateway.home, "--workspace", gateway.workspace, "--port", "0"]);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(gateway.url)]);
  expect(second.stderr).toContain(String(process.pid));
  expect(second.stderr).toContain("Use that one, stop it, or choose another --home.");
  const port = new URL(gateway.url).port;
  const taken = await karyi(["serve", "--home", join(gateway.home, "..", "second"), "--workspace", gateway.workspace, "--port", port], {
    env: { LC_ALL: "zh_CN.UTF-8" },
  });
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(/端口已被别的程序占用[\s\S]*--port 0/)]);
  const verified = await karyi(["audit", "verify", "--json", "--home", gateway.home, "--workspace", gateway.workspace]);
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true });
  const tail = await karyi([
    "audit",
    "tail",
    "-n",
    "2",
    "--json",
    "--kind",
    "approval_answered",
    "--home",
    gateway.home,
    "--workspace",
    gateway.workspace,
  ]);
  const rows = tail.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.at(-1)).toMatchObject({
    kind: "approval_answered",
    body: { answer: "once", answered_by: expect.stringContaining("http:local serve 127.0.0.1") },
  });
  const exported = await karyi(["audit", "export", "--tool", "Write", "--home", gateway.home, "--workspace", gateway.workspace]);
  expect(
    exported.stdout
      .trim()
      .split("\n")
      .every((line) => JSON.parse(line).body.tool === "Write"),
  ).toBe(true);
});

test("traces are sent to a configured collector and hold no query", async () => {
  received.length = 0;
  await gateway.api("GET", "/sessions?limit=7&note=secret-word");
  await gateway.restart();
  const spans = received.filter(({ body }) => body.includes("resourceSpans"));
  expect(spans.length).toBeGreaterThan(0);
  expect(spans.map(({ body }) => body).join()).toContain("GET /api/v1/sessions");
  expect(spans.map(({ body }) => body).join()).not.toContain("secret-word");
});

interface Seen {
  output: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly states: any[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly errors: any[];
  until(enough: (seen: Seen) => boolean): Promise<void>;
}

function watch(socket: WebSocket): Seen {
  let waiting: (() => void)[] = [];
  const seen: Seen = {
    output: "",
    states: [],
    errors: [],
    async until(enough) {
      while (!enough(seen)) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) seen.output += data.toString("utf8");
    else {
      const message = JSON.parse(data.toString("utf8"));
      (message.type === "error" ? seen.errors : seen.states).push(message);
    }
    for (const wake of waiting) wake();
    waiting = waiting.filter(() => false);
  });
  return seen;
}
