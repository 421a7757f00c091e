/** A real Chromium for the tests of the console: `CHROME_PATH`, else an installed one; where there is none they skip and say so. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import type { TestGateway } from "./gateway.ts";

const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/usr/bin/google-chrome-stable"];
const found = [process.env.CHROME_PATH, ...known].find((path) => path !== undefined && existsSync(path));

export const consoleFolder = join(import.meta.dirname, "../../dist/console");

/** Why the browser tests cannot run here; empty if they can. */
export const noBrowser = found === undefined && process.env.KARYI_REQUIRE_BROWSER !== "1" ? " (skipped: no Chromium; set CHROME_PATH)" : "";

export function launchBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error("KARYI_REQUIRE_BROWSER is set, and there is no Chromium: set CHROME_PATH.");
  return chromium.launch({
    executablePath: found,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"],
  });
}

export interface Visit {
  readonly width: number;
  readonly height?: number;
  readonly language?: "en" | "zh";
  readonly theme?: "light" | "dark";
}

/** A browser of its own that is logged in. What goes wrong in its pages is in `problems`. */
export async function visit(browser: Browser, gateway: TestGateway, { width, height = 880, language = "en", theme = "light" }: Visit) {
  const context: BrowserContext = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: language === "zh" ? "zh-CN" : "en-GB",
    reducedMotion: "reduce",
  });
  const problems: string[] = [];
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  const { body } = await gateway.api("POST", "/login-links");
  await page.goto(body.url);
  await page.waitForSelector(".app");
  return { context, page, problems };
}

/** What the page shows, without its seconds; empty while something is on its way. */
const shown = `document.querySelector(".skeletons") ? "" : document.querySelector("main").innerHTML.replace(/[0-9.]+ (s|m)\\b/g, "")`;

/** Goes there and waits until it stands still. */
export async function go(page: Page, gateway: TestGateway, path: string): Promise<void> {
  await page.goto(`${gateway.url}${path}`);
  await page.waitForSelector("main > *");
  await settled(page);
}

/** Waits until the page has looked the same three times. */
export async function settled(page: Page): Promise<void> {
  for (let same = 0, before = ""; same < 3; ) {
    const now = await page.evaluate<string>(shown);
    same = now === before && now !== "" ? same + 1 : 0;
    before = now;
    await page.waitForTimeout(60);
  }
}

/** Findings of axe of any level, as `rule: place`. */
export async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ": " + target.join(" "))))`,
  );
}

/** Elements that stand over the edge of the page, and whether the page scrolls sideways. */
export function overEdges(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const found = [];
    const wide = document.documentElement;
    if (wide.scrollWidth > wide.clientWidth) found.push("the page scrolls sideways");
    for (const one of document.querySelectorAll("body *")) {
      const box = one.getBoundingClientRect();
      if (box.width === 0 || box.height === 0 || box.right <= wide.clientWidth + 1) continue;
      let inside = one.parentElement;
      while (inside && !/auto|scroll|hidden|clip/.test(getComputedStyle(inside).overflowX)) inside = inside.parentElement;
      if (!inside || inside === document.body) found.push(one.className || one.tagName);
    }
    return found;
  })()`);
}

/** Lets a session's page see so many events of all everyday kinds; each fifth one is the person's `Message SEQ`. */
export async function playLongSession(page: Page, id: string, total: number): Promise<void> {
  await page.route(`**/api/v1/sessions/${id}/events**`, (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get("after") ?? 0);
    const events = Array.from({ length: Math.max(0, Math.min(5000, total - after)) }, (_, index) => {
      const seq = after + index + 1;
      return { schema_version: 1, seq, time: 1_700_000_000_000 + seq * 100, session_id: id, ...everyday(seq) };
    });
    return route.fulfill({ json: { events, first_seq: 1, last_seq: total } });
  });
}

function everyday(seq: number): object {
  const turn = Math.ceil(seq / 5);
  const call = { call_id: `call_${turn}`, tool: "Bash" };
  if (seq % 5 === 1) return { type: "text", text: `I look at **part ${turn}** of \`src/a.ts\`.\n\n- one\n- two` };
  if (seq % 5 === 2) return { type: "tool_call", ...call, input: { command: `npm test -- ${turn}` }, summary: `Run: npm test -- ${turn}` };
  const ended = { status: "ok", output: "one\ntwo\nthree\nfour", output_length: 18, undoable: false, duration_ms: 90 };
  if (seq % 5 === 3) return { type: "tool_result", ...call, ...ended };
  return seq % 5 === 4 ? { type: "turn_end", turn } : { type: "text", role: "user", text: `Message ${seq}` };
}

const meters = new WeakMap<Page, CDPSession>();

/** Milliseconds in which the page's scripts have run since this was asked first. */
export async function scriptMs(page: Page): Promise<number> {
  const line = meters.get(page) ?? (await page.context().newCDPSession(page));
  if (!meters.has(page)) await line.send("Performance.enable");
  meters.set(page, line);
  const { metrics } = await line.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0) * 1000;
}

/** Milliseconds of script in a frame while a conversation is scrolled up step by step, a frame each. */
export async function scriptPerScroll(page: Page, steps: number): Promise<number> {
  const before = await scriptMs(page);
  await scrollUp(page, steps);
  return ((await scriptMs(page)) - before) / steps;
}

/** How many blocks of script run in a frame while a conversation is scrolled up. A busy machine does not change this count. */
export async function blocksPerScroll(page: Page, steps: number): Promise<number> {
  const line = await page.context().newCDPSession(page);
  await line.send("Profiler.enable");
  await line.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  await scrollUp(page, steps);
  const { result } = await line.send("Profiler.takePreciseCoverage");
  await line.send("Profiler.stopPreciseCoverage");
  await line.detach();
  const blocks = result.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
  return blocks.reduce((sum, { count }) => sum + count, 0) / steps;
}

function scrollUp(page: Page, steps: number): Promise<void> {
  return page.evaluate(`(async () => {
    const at = document.querySelector(".talk-scroll");
    for (let step = 0; step < ${steps}; step += 1) {
      at.scrollTop -= 400;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  })()`);
}
