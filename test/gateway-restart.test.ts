/** A browser over a restart of the server: logged in with the same cookie, its stream goes on, its question can be answered. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServeOptions, serve } from "../src/compose/serving/index.ts";
import { readEvents, startGateway, type TestGateway } from "./support/gateway.ts";

interface Browser {
  readonly cookie: string;
  readonly csrf: string;
}

async function loggedIn(link: string, address: string): Promise<Browser> {
  const answer = await fetch(link, { redirect: "manual" });
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const me = (await (await fetch(`${address}/api/v1/me`, { headers: { cookie } })).json()) as { csrf_token: string };
  return { cookie, csrf: me.csrf_token };
}

const meStatus = async (address: string, { cookie }: Browser) => (await fetch(`${address}/api/v1/me`, { headers: { cookie } })).status;

describe("a browser over a restart", () => {
  let gateway: TestGateway;
  let browser: Browser;

  beforeAll(async () => {
    gateway = await startGateway();
    browser = await loggedIn(gateway.serving.loginLink, gateway.url);
  });

  afterAll(() => gateway.close());

  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { cookie: browser.cookie, "x-csrf-token": browser.csrf, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  test("the stream goes on after the last event seen, and the question is answered with the same cookie and CSRF token", async () => {
    await ask("POST", "/sessions", { id: "kept" });
    await ask("POST", "/sessions/kept/calls", { tool: "Write", input: { file_path: "kept.txt", content: "kept\n" }, call_id: "c1" });
    const path = "/api/v1/sessions/kept/events";
    const until = (type: string, position: Record<string, string>) =>
      readEvents(gateway, path, (all) => all.some(({ event }) => event === type), { headers: { cookie: browser.cookie, ...position } });
    const before = await until("permission_request", {});
    await gateway.restart();
    expect(await meStatus(gateway.url, browser)).toBe(200);
    const approvals = (await (await ask("GET", "/approvals?status=pending&session_id=kept")).json()) as {
      approvals: { id: string; nonce: string }[];
    };
    const [card] = approvals.approvals;
    expect((await ask("POST", `/approvals/${card?.id}/answer`, { answer: "once", nonce: card?.nonce })).status).toBe(200);
    const seen = before.at(-1)?.id ?? "";
    const after = await until("permission_result", { "last-event-id": seen });
    expect(after.map(({ id }) => Number(id))).toEqual(after.map((_, index) => Number(seen) + 1 + index));
  });

  test("neither the cookie nor the CSRF token is kept, only for its owner and with an end", async () => {
    const folder = join(gateway.home, "browsers");
    const names = await readdir(folder);
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    const value = browser.cookie.slice(browser.cookie.indexOf("=") + 1);
    for (const text of [...names, ...texts]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(browser.csrf);
    }
    const kept = names.map((name) => join(folder, name));
    expect(await Promise.all([folder, ...kept].map(async (path) => (await stat(path)).mode & 0o077))).toEqual([0, ...kept.map(() => 0)]);
    for (const [index, path] of kept.entries()) {
      await writeFile(path, JSON.stringify({ ...JSON.parse(texts[index] ?? ""), until: 1 }));
    }
    await gateway.restart();
    expect(await meStatus(gateway.url, browser)).toBe(401);
    await loggedIn(gateway.serving.loginLink, gateway.url);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test("a logout holds after a restart", async () => {
    const { url } = (await gateway.api("POST", "/login-links")).body;
    browser = await loggedIn(url, gateway.url);
    expect((await ask("POST", "/logout")).status).toBe(204);
    await gateway.restart();
    expect(await meStatus(gateway.url, browser)).toBe(401);
  });
});

test("a token made by the server keeps browsers logged in over restarts; another given token does not", async () => {
  const base = await mkdtemp(join(tmpdir(), "karyi-restart-"));
  const start = (token: Pick<ServeOptions, "token">) =>
    serve({
      host: "127.0.0.1",
      port: 0,
      enableShell: false,
      consoleFolder: join(base, "console"),
      version: "0.0.0",
      workspace: base,
      home: join(base, "home"),
      ...token,
    });
  /** What the browsers are answered by a server of its own, after one more has logged in there. */
  const visit = async (token: Pick<ServeOptions, "token">, browsers: Browser[]) => {
    const serving = await start(token);
    try {
      const answers = await Promise.all(browsers.map((one) => meStatus(serving.address, one)));
      browsers.push(await loggedIn(serving.loginLink, serving.address));
      return answers;
    } finally {
      await serving.close();
    }
  };
  try {
    const browsers: Browser[] = [];
    const [first, second] = ["one", "two"].map((name) => ({ token: ["karyi", "given", name].join("-") }));
    expect(await visit({}, browsers)).toEqual([]);
    expect(await visit({}, browsers)).toEqual([200]);
    expect(await visit(first ?? {}, browsers)).toEqual([401, 401]);
    expect(await visit(first ?? {}, browsers)).toEqual([401, 401, 200]);
    expect(await visit(second ?? {}, browsers)).toEqual([401, 401, 401, 401]);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
});
