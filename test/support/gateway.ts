/** A real server on loopback over a real home and workspace, and requests to it. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServeOptions, type Serving, serve } from "../../src/compose/serving/index.ts";

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

export interface TestGateway {
  readonly url: string;
  readonly token: string;
  readonly workspace: string;
  readonly home: string;
  readonly serving: Serving;
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** Stops and starts again on the same home. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const token = ["karyi", "test", "admin"].join("-");

export async function startGateway(options: Partial<ServeOptions> = {}): Promise<TestGateway> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "karyi-gateway-")));
  const workspace = options.workspace ?? (await realpath(await mkdtemp(join(tmpdir(), "karyi-work-"))));
  const home = options.home ?? join(base, "home");
  const start = () =>
    serve({
      host: "127.0.0.1",
      port: 0,
      token,
      enableShell: false,
      consoleFolder: join(base, "console"),
      version: "0.0.0",
      ...options,
      workspace,
      home,
    });
  let serving = await start();
  const gateway: TestGateway = {
    get url() {
      return serving.address;
    },
    token,
    workspace,
    home,
    get serving() {
      return serving;
    },
    async request(method, path, body, headers = {}) {
      const answer = await fetch(`${serving.address}${path}`, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
    },
    api: (method, path, body, headers) => gateway.request(method, `/api/v1${path}`, body, headers),
    async restart() {
      await serving.close();
      serving = await start();
    },
    async close() {
      await serving.close();
      await rm(base, { recursive: true, force: true });
      if (options.workspace === undefined) await rm(workspace, { recursive: true, force: true });
    },
  };
  return gateway;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Both halves of a browser's login. */
export interface LoggedIn {
  /** Value of the cookie. */
  readonly cookie: string;
  readonly csrf: string;
}

/** What a browser and the console's page do with a login link. */
export async function followLink(link: string): Promise<LoggedIn> {
  const answer = await fetch(link, { redirect: "manual" });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const claim = new URL(answer.headers.get("location") ?? "", link).hash.slice("#claim=".length);
  const login = await fetch(new URL("/api/v1/login", link), {
    method: "POST",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ claim }),
  });
  const { csrf_token: csrf } = (await login.json()) as { readonly csrf_token: string };
  return { cookie: cookie.slice(cookie.indexOf("=") + 1), csrf };
}

/** Of a server at this address, as a browser that came back to it would send it. */
export function cookieFor(address: string, { cookie }: LoggedIn): string {
  return `karyi_session_${new URL(address).port}=${cookie}`;
}

/** Headers of a request of the console's page. */
export function ofPage(address: string, browser: LoggedIn): { readonly cookie: string; readonly "x-csrf-token": string } {
  return { cookie: cookieFor(address, browser), "x-csrf-token": browser.csrf };
}

export interface ServerSentEvent {
  readonly id?: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

/** Reads a stream of events until `until` says that it has seen enough, or the stream ends. */
export async function readEvents(
  gateway: TestGateway,
  path: string,
  until: (events: readonly ServerSentEvent[]) => boolean,
  init: RequestInit = {},
): Promise<readonly ServerSentEvent[]> {
  const stop = new AbortController();
  const given = init.headers as Record<string, string> | undefined;
  const answer = await fetch(`${gateway.url}${path}`, {
    ...init,
    headers: { ...(given?.cookie === undefined ? { authorization: `Bearer ${gateway.token}` } : {}), ...given },
    signal: stop.signal,
  });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  const events: ServerSentEvent[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  try {
    if (until(events)) return events;
    for await (const chunk of answer.body) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true });
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const event = eventOf(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (event === undefined) continue;
        events.push(event);
        if (until(events)) return events;
      }
    }
    return events;
  } finally {
    stop.abort();
  }
}

function eventOf(block: string): ServerSentEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  const id = fields.get("id");
  return { ...(id === undefined ? {} : { id }), event: fields.get("event") ?? "message", data: JSON.parse(data) };
}
