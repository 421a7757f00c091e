/** A browser at the console: login by link, several tabs, reload, logout; and a program on another port that gets its cookie. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleFolder, launchBrowser, noBrowser, visit } from "./support/browser.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";

describe.skipIf(noBrowser !== "")(`a browser logs in${noBrowser}`, () => {
  let gateway: TestGateway;
  let browser: Browser;
  let neighbour: Server;
  let theirs: string;
  const cookies: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ consoleFolder });
    browser = await launchBrowser();
    neighbour = createServer((request, answer) => {
      if (request.url === "/") cookies.push(request.headers.cookie ?? "");
      answer.setHeader("content-type", "text/html").end("<!doctype html><title>dev server</title>");
    });
    await new Promise<void>((resolve) => neighbour.listen(0, "127.0.0.1", resolve));
    theirs = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    neighbour?.close();
    await gateway?.close();
  });

  it("tabs and a reload stay logged in, the address holds no secret, and a logout in one tab ends the other", async () => {
    const { context, page, problems } = await visit(browser, gateway, { width: 1280 });
    expect(new URL(page.url()).hash).toBe("");
    expect(await page.evaluate(`fetch("/api/v1/me").then((answer) => answer.status)`)).toBe(401);
    await page.reload();
    await page.waitForSelector(".app");
    const other = await context.newPage();
    await other.goto(gateway.url);
    await other.waitForSelector(".app");
    await page.getByRole("button", { name: "Settings" }).first().click();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
    expect(await page.evaluate(`localStorage.getItem("karyi.csrf")`)).toBeNull();
    await other.reload();
    await other.getByLabel("Token").fill(gateway.token);
    await other.getByRole("button", { name: "Log in" }).click();
    await other.waitForSelector(".app");
    // The first tab is let in by what the second one did.
    await page.reload();
    await page.waitForSelector(".app");
    await context.close();
    expect(problems).toEqual([]);
  });

  it("a page of another port is sent the cookie, and neither it nor its program can do anything with it", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const there = await context.newPage();
    await there.goto(theirs);
    const cookie = cookies.at(-1) ?? "";
    expect(cookie).toContain(`karyi_session_${new URL(gateway.url).port}=`);
    for (const path of ["/me", "/approvals", "/events?inbox=1"])
      expect((await fetch(`${gateway.url}/api/v1${path}`, { headers: { cookie, origin: gateway.url } })).status).toBe(401);
    const inPage = `fetch("${gateway.url}/api/v1/me", { credentials: "include" }).then((answer) => answer.status, () => "refused")`;
    expect([await there.evaluate(inPage), await there.evaluate(`localStorage.length`)]).toEqual(["refused", 0]);
    await page.reload();
    await page.waitForSelector(".app");
    await context.close();
  });

  it("a session is exported by a download of its own", async () => {
    await gateway.api("POST", "/sessions", { id: "kept" });
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await page.goto(`${gateway.url}/s/kept`);
    await page.getByRole("button", { name: "More" }).first().click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Export" }).click()]);
    expect(download.suggestedFilename()).toBe("kept.json");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(JSON.parse(Buffer.concat(chunks).toString()).session.id).toBe("kept");
    await context.close();
  });
});
