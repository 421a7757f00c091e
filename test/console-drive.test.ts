/** A person at the console takes the wheel: types in the agent's terminal, and gives values that stay unseen. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleFolder, findings, go, launchBrowser, noBrowser, overEdges, visit } from "./support/browser.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";

describe.skipIf(noBrowser !== "")(`a person drives${noBrowser}`, () => {
  let gateway: TestGateway;
  let browser: Browser;

  beforeAll(async () => {
    gateway = await startGateway({ consoleFolder });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const inTerminal = (session: string, command: string) =>
    gateway.api("POST", `/sessions/${session}/calls`, { tool: "Terminal", input: { command } });

  it("the terminal is taken over by a key, typed into, given back and seen by another browser in the same size", async () => {
    await gateway.api("POST", "/sessions", { id: "tty" });
    expect((await inTerminal("tty", "echo from-agent")).body).toMatchObject({ status: "ok" });
    const { context, page, problems } = await visit(browser, gateway, { width: 1280 });
    const rows = page.locator(".xterm-rows");
    const driver = () => page.locator(".terminal-at").getAttribute("data-driver");
    await go(page, gateway, "/s/tty/terminal");
    await expect.poll(() => rows.textContent()).toContain("from-agent");
    expect(await driver()).toBe("agent");

    // A watcher's keys reach nobody, not even from inside of the terminal.
    await rows.click({ force: true });
    await page.keyboard.type("zzz");
    await page.keyboard.press("t");
    await page.getByText("You are driving").waitFor();
    expect(await driver()).toBe("you");
    await page.keyboard.type("echo typed-$((40+2))");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows.textContent()).toContain("typed-42");
    expect(await rows.textContent()).not.toContain("zzz");

    const other = await visit(browser, gateway, { width: 1280 });
    const otherRows = other.page.locator(".xterm-rows");
    await go(other.page, gateway, "/s/tty/terminal");
    await expect.poll(() => otherRows.textContent()).toContain("typed-42");
    expect(await other.page.locator(".terminal-at").getAttribute("data-driver")).toBe("person");

    await page.keyboard.press("Control+]");
    await page.getByRole("button", { name: "Take over" }).waitFor();
    // Keys are the page's again.
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => other.page.locator(".terminal-at").getAttribute("data-driver")).toBe("agent");
    expect((await inTerminal("tty", "echo agent-again")).body).toMatchObject({ status: "ok", data: { output: "agent-again" } });
    await expect.poll(() => rows.textContent()).toContain("agent-again");

    await other.page.getByRole("button", { name: "Take over" }).click();
    await other.page.getByRole("button", { name: "Give back" }).click();
    await other.page.getByRole("button", { name: "Take over" }).waitFor();
    expect(await overEdges(page)).toEqual([]);
    expect(await findings(page)).toEqual([]);
    const count = await rows.locator("> div").count();
    await context.close();
    await other.context.close();

    // Everybody has gone; the window of the terminal is still the one a person gave it.
    const later = await visit(browser, gateway, { width: 1280 });
    await go(later.page, gateway, "/s/tty/terminal");
    await expect.poll(() => later.page.locator(".xterm-rows > div").count()).toBe(count);
    expect(count).not.toBe(24);
    await later.context.close();
    expect([...problems, ...other.problems, ...later.problems]).toEqual([]);
  });

  it("colours of the terminal are seen under the page's content policy, in both themes", async () => {
    await gateway.api("POST", "/sessions", { id: "colours" });
    for (const theme of ["light", "dark"] as const) {
      const { context, page } = await visit(browser, gateway, { width: 1280, theme });
      await go(page, gateway, "/s/colours/terminal");
      // Nobody has used it yet: a person may begin.
      if (theme === "light") await page.getByRole("button", { name: "Start a terminal" }).click();
      await page.locator('.terminal-at[data-driver="agent"]').waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Take over" }).isEnabled()).toBe(true);
      await inTerminal(
        "colours",
        `printf '\\033[31m%s\\033[0m \\033[38;2;1;2;250m%s\\033[0m \\033[1m%s\\033[0m\\n' red${theme} true${theme} bold${theme}`,
      );
      const styleOf = (text: string, property: string) =>
        page.evaluate(`(() => {
          const found = [...document.querySelectorAll(".xterm-rows span")].findLast((one) => one.textContent === ${JSON.stringify(text)});
          return found ? getComputedStyle(found)[${JSON.stringify(property)}] : "absent";
        })()`);
      await expect.poll(() => styleOf(`red${theme}`, "color")).toBe(theme === "light" ? "rgb(179, 38, 30)" : "rgb(255, 143, 133)");
      expect(await styleOf(`bold${theme}`, "fontWeight")).toBe("700");
      expect(await styleOf(`true${theme}`, "color")).not.toBe("absent");
      await context.close();
    }
  });

  it("a value given in the browser is used and is in no sink: page, storage, address, events, export", async () => {
    const secret = ["drive", "canary", "77kQ"].join("-");
    await gateway.api("POST", "/sessions", { id: "values" });
    const { context, page, problems } = await visit(browser, gateway, { width: 1280 });
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`));
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await go(page, gateway, "/s/values");
    const asked = gateway.api("POST", "/sessions/values/calls", { tool: "GetValue", input: { key: "API_TOKEN", reason: "to publish" } });
    const field = page.getByLabel("Value", { exact: true });
    await field.waitFor();
    expect([await field.getAttribute("type"), await field.getAttribute("autocomplete")]).toEqual(["password", "off"]);
    await field.fill("half-typed-and-left");
    await page.evaluate(`dispatchEvent(new Event("blur"))`);
    expect(await field.inputValue()).toBe("");
    await page.evaluate(`dispatchEvent(new Event("focus"))`);
    await field.fill(secret);
    expect(await overEdges(page)).toEqual([]);
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Give", exact: true }).click();
    expect((await asked).body).toMatchObject({ status: "ok" });
    await field.waitFor({ state: "detached" });
    const after = await page.content();

    const used = await inTerminal("values", "echo given:$KARYI{API_TOKEN}: && printf %s $KARYI{API_TOKEN} | wc -c");
    const { body: card } = await gateway.api("GET", `/approvals/${used.body.approval_id}`);
    // People know the value by its placeholder, and nothing captures what runs in a terminal.
    expect(card.undo).toEqual({ guarantee: "none", reason: "Terminal" });
    expect(card.reason).toContain("$KARYI{API_TOKEN}");
    await gateway.api("POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce });
    await go(page, gateway, "/s/values/terminal");
    const shown = () =>
      page.evaluate<string>(`[...document.querySelectorAll(".xterm-rows > div")].map((row) => row.textContent.trim()).join("\\n")`);
    await expect.poll(shown).toMatch(new RegExp(`^given:.*\\n${secret.length}$`, "m"));
    const sinks = {
      after,
      page: await page.content(),
      fields: await page.evaluate(`[...document.querySelectorAll("input, textarea")].map(({ value }) => value).join(" ")`),
      storage: await page.evaluate(`JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])`),
      databases: await page.evaluate(`indexedDB.databases().then((all) => JSON.stringify(all))`),
      caches: await page.evaluate(`caches.keys().then((all) => JSON.stringify(all))`),
      cookies: JSON.stringify(await context.cookies()),
      console: said.join("\n"),
      answer: JSON.stringify([(await asked).body, card]),
      export: (await gateway.api("GET", "/sessions/values/export")).text,
      audit: (await gateway.api("GET", "/audit")).text,
    };
    expect(Object.entries(sinks).filter(([, text]) => String(text).includes(secret))).toEqual([]);
    // The control: it did leave the page, once, in the body of the request that gives it.
    const carrying = sent.filter((one) => one.includes(secret));
    expect(carrying).toHaveLength(1);
    expect(carrying[0]).toMatch(/^POST \S+\/api\/v1\/values\/[^/ ]+ \{/);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("a program's password prompt is a card beside the terminal; what is given goes to the program alone", async () => {
    const password = ["prompt", "canary", "5xW"].join("-");
    await gateway.api("POST", "/sessions", { id: "prompt" });
    await inTerminal("prompt", "true");
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/s/prompt/terminal");
    const call = inTerminal("prompt", "bash -c 'read -rsp Password: given; echo; echo length:${#given}'");
    await page.getByRole("heading", { name: "asks for a password" }).waitFor();
    await page.getByLabel("Value", { exact: true }).fill(password);
    expect(await overEdges(page)).toEqual([]);
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect.poll(() => page.locator(".xterm-rows").textContent()).toContain(`length:${password.length}`);
    expect((await call).text).not.toContain(password);
    expect(await page.content()).not.toContain(password);
    expect((await gateway.api("GET", "/sessions/prompt/export")).text).not.toContain(password);
    await context.close();
  });
});
