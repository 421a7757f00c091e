/** A browser over a restart of the server: logged in with the same cookie, its stream goes on, its question can be answered. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServeOptions, serve } from "../src/compose/serving/index.ts";
import { followLink, type LoggedIn, ofPage, readEvents, startGateway, type TestGateway } from "./support/gateway.ts";

const meStatus = async (address: string, browser: LoggedIn) =>
  (await fetch(`${address}/api/v1/me`, { headers: ofPage(address, browser) })).status;

describe("a browser over a restart", () => {
  let gateway: TestGateway;
  let browser: LoggedIn;

  beforeAll(async () => {
    gateway = await startGateway();
    browser = await followLink(gateway.serving.loginLink);
  });

  afterAll(() => gateway.close());

  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { ...ofPage(gateway.url, browser), "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  test("the stream goes on after the last event seen, and the question is answered with the same cookie and CSRF token", async () => {
    await ask("POST", "/sessions", { id: "kept" });
    await ask("POST", "/sessions/kept/calls", { tool: "Write", input: { file_path: "kept.txt", content: "kept\n" }, call_id: "c1" });
    const path = "/api/v1/sessions/kept/events";
    const until = (type: string, position: Record<string, string>) =>
      readEvents(gateway, path, (all) => all.some(({ event }) => event === type), {
        headers: { ...ofPage(gateway.url, browser), ...position },
      });
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
    for (const text of [...names, ...texts]) {
      expect(text).not.toContain(browser.cookie);
      expect(text).not.toContain(browser.csrf);
    }
    const kept = names.map((name) => join(folder, name));
    expect(await Promise.all([folder, ...kept].map(async (path) => (await stat(path)).mode & 0o077))).toEqual([0, ...kept.map(() => 0)]);
    for (const [index, path] of kept.entries()) {
      await writeFile(path, JSON.stringify({ ...JSON.parse(texts[index] ?? ""), until: 1 }));
    }
    await gateway.restart();
    expect(await meStatus(gateway.url, browser)).toBe(401);
    await followLink(gateway.serving.loginLink);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test("a logout holds after a restart", async () => {
    const { url } = (await gateway.api("POST", "/login-links")).body;
    browser = await followLink(url);
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
  const visit = async (token: Pick<ServeOptions, "token">, browsers: LoggedIn[]) => {
    const serving = await start(token);
    try {
      const answers = await Promise.all(browsers.map((one) => meStatus(serving.address, one)));
      browsers.push(await followLink(serving.loginLink));
      return answers;
    } finally {
      await serving.close();
    }
  };
  try {
    const browsers: LoggedIn[] = [];
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
