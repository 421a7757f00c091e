/** Every screen at every width, language and theme: nothing past an edge, nothing for axe to find. In short: the key ones. */
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleFolder, findings, go, launchBrowser, noBrowser, overEdges, settled, visit } from "./support/browser.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";
import { fillShop } from "./support/shop.ts";

const isFull = process.env.KARYI_FULL === "1";
const stateLooks = [
  [1280, "en", "light"],
  [375, "en", "dark"],
  [375, "zh", "light"],
  [1680, "zh", "dark"],
] as const;
const shots = process.env.KARYI_SHOTS;

const screens: readonly (readonly [name: string, path: string])[] = [
  ["inbox", "/inbox"],
  ["session", "/s/flaky"],
  ["sessions", "/s"],
  ["changes", "/s/flaky/changes"],
  ["agents", "/s/flaky/agents"],
  ["timeline", "/s/flaky/agents?view=timeline"],
  ["terminal", "/s/release/terminal"],
  ["artifacts", "/s/release/artifacts/notes"],
  ["compare", "/s/release/artifacts/notes?v=3&with=2"],
  ["agent", "/s/flaky?agent=agent_1"],
  ["tools", "/tools/Edit"],
  ["reply", "/tools/reply"],
  ["explain", "/policy/explain"],
  ["rules", "/policy/rules"],
  ["audit", "/policy/audit"],
];
/** What opens over or inside of a screen, and how; a phone has no keys. */
const layers: readonly (readonly [name: string, path: string, open: (page: Page, isPhone: boolean) => Promise<void>])[] = [
  ["undo", "/s/flaky/changes", (page) => page.getByRole("button", { name: "Choose all" }).click()],
  [
    "card",
    "/s/flaky",
    async (page, isPhone) => {
      if (isPhone) await page.getByRole("button", { name: "Review" }).click();
      await page.locator('[data-approval][data-armed="yes"]').waitFor();
      await page.locator('.acts [aria-keyshortcuts="Shift+A"]').click();
    },
  ],
  ["palette", "/s", (page) => page.keyboard.press("Control+k")],
  ["settings", "/s", (page) => page.evaluate(`document.querySelector(".foot .btn").click()`)],
  ["keys", "/s", (page) => page.keyboard.press("?")],
  ["file", "/s/flaky/changes", (page) => page.getByRole("button", { name: "By file" }).click()],
  ["found", "/s/flaky", (page) => page.keyboard.press("/")],
  ["value", "/s/release", () => Promise.resolve()],
  ["denied", "/s/prices", () => Promise.resolve()],
  ["missing", "/s/nothing-here", () => Promise.resolve()],
];
const keyLayers = new Set(["undo", "card", "palette", "settings"]);

/** Looked at in `npm test` too. */
const keyScreens = new Set(["inbox", "session", "sessions", "changes", "tools", "audit"]);
const widths = isFull ? [375, 768, 1280, 1680] : [375, 1280];
const languages = isFull ? (["en", "zh"] as const) : (["en"] as const);
const themes = isFull ? (["light", "dark"] as const) : (["light"] as const);

/** The console as its developers have it, with `/dev/states`; the tests' own NODE_ENV keeps that in. */
async function developmentBuild(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "karyi-states-"));
  await build({
    configFile: join(import.meta.dirname, "../console/vite.config.ts"),
    mode: "development",
    logLevel: "silent",
    build: { outDir: folder, minify: false, emptyOutDir: false },
  });
  return folder;
}

describe.skipIf(noBrowser !== "")(`the console's screens${noBrowser}`, () => {
  let gateway: TestGateway;
  let browser: Browser;

  beforeAll(async () => {
    const shop = join(await realpath(await mkdtemp(join(tmpdir(), "karyi-work-"))), "shop-api");
    await mkdir(shop);
    gateway = await startGateway({ consoleFolder, workspace: shop });
    browser = await launchBrowser();
    await fillShop(gateway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  it("the first page and every state of every component on /dev/states: nothing past an edge, nothing for axe to find", async () => {
    const folder = await developmentBuild();
    const states = await startGateway({ consoleFolder: folder });
    const wrong: string[] = [];
    for (const [width, language, theme] of isFull ? stateLooks : stateLooks.slice(0, 1)) {
      const { context, page, problems } = await visit(browser, states, { width, language, theme });
      await go(page, states, "/s");
      await page.locator(".holds").waitFor();
      for (const one of [...(await overEdges(page)), ...(await findings(page))]) wrong.push(`welcome ${width} ${theme}: ${one}`);
      if (shots !== undefined) await page.screenshot({ path: join(shots, `welcome-${width}-${language}-${theme}.png`) });
      await page.goto(`${states.url}/dev/states`);
      await page.locator("[data-state]").first().waitFor();
      expect(await page.locator("[data-state]").count()).toBeGreaterThan(40);
      // The same landmark stands here once for each state; on a page for people there is one.
      const found = (await findings(page)).filter((one) => !one.startsWith("landmark-unique"));
      for (const one of [...problems, ...(await overEdges(page)), ...found]) wrong.push(`${width} ${theme}: ${one}`);
      if (shots !== undefined) {
        const height = await page.evaluate<number>(`document.querySelector(".page").scrollHeight + 60`);
        await page.setViewportSize({ width, height });
        await page.screenshot({ path: join(shots, `states-${width}-${language}-${theme}.png`) });
      }
      await context.close();
    }
    await states.close();
    await rm(folder, { recursive: true, force: true });
    expect(wrong).toEqual([]);
  }, 180_000);

  for (const width of widths) {
    for (const language of languages) {
      for (const theme of themes) {
        it(`nothing past an edge and nothing for axe to find at ${width}, ${language}, ${theme}`, async () => {
          const { context, page, problems } = await visit(browser, gateway, { width, language, theme });
          const wrong: string[] = [];
          for (const [name, path] of screens.filter(([one]) => isFull || keyScreens.has(one))) {
            await go(page, gateway, path);
            for (const one of await overEdges(page)) wrong.push(`${name}: ${one}`);
            for (const one of await findings(page)) wrong.push(`${name}: ${one}`);
            if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}-${width}-${language}-${theme}.png`) });
          }
          for (const [name, path, open] of layers.filter(([one]) => language === "en" && (isFull || keyLayers.has(one)))) {
            await go(page, gateway, path);
            await open(page, width <= 560);
            await settled(page);
            for (const one of await overEdges(page)) wrong.push(`${name}: ${one}`);
            for (const one of await findings(page)) wrong.push(`${name}: ${one}`);
            if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}-${width}-${language}-${theme}.png`) });
          }
          await context.close();
          expect({ wrong, problems }).toEqual({ wrong: [], problems: [] });
        }, 180_000);
      }
    }
  }
});
