/** What people do at the console, in a real browser against a real server: decide, take back, be left alone while typing. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleFolder, go, launchBrowser, noBrowser, visit } from "./support/browser.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";

describe.skipIf(noBrowser !== "")(`flows at the console${noBrowser}`, () => {
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

  const write = async (session: string, file: string): Promise<string> => {
    await gateway.api("POST", "/sessions", { id: session });
    const { body } = await gateway.api("POST", `/sessions/${session}/calls`, {
      tool: "Write",
      input: { file_path: file, content: "one\n" },
    });
    return body.approval_id;
  };
  const statusOf = async (approval: string): Promise<string> => (await gateway.api("GET", `/approvals/${approval}`)).body.status;
  const armed = (page: Page, approval: string) => page.waitForSelector(`[data-approval="${approval}"][data-armed="yes"]`);
  const file = (name: string): Promise<string> => readFile(join(gateway.workspace, name), "utf8").catch(() => "absent");

  it("one key allows, the card becomes its receipt, and an undo takes it back and is undone itself", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const approval = await write("allow", "allowed.txt");
    await go(page, gateway, "/s/allow");
    await armed(page, approval);
    await page.keyboard.press("a");
    await page.waitForSelector(`[data-receipt="${approval}"]`);
    await expect.poll(() => file("allowed.txt")).toBe("one\n");
    await go(page, gateway, "/s/allow/changes");
    await page.locator(".step input").first().check();
    await page.locator(".undo-side .primary:not(:disabled)").click();
    await expect.poll(() => file("allowed.txt")).toBe("absent");
    await page.getByRole("button", { name: "Undo the undo" }).click();
    await expect.poll(() => file("allowed.txt")).toBe("one\n");
    await context.close();
  });

  it("beside the conversation stands what a listing looked at, and that all changes were taken back, with nothing left to undo", async () => {
    await gateway.api("POST", "/sessions", { id: "back" });
    await gateway.api("POST", "/sessions/back/calls", { tool: "List", input: { path: "." } });
    const approval = await write("back", "back.txt");
    const { body } = await gateway.api("GET", `/approvals/${approval}`);
    await gateway.api("POST", `/approvals/${approval}/answer`, { answer: "once", nonce: body.nonce });
    await expect.poll(() => file("back.txt")).toBe("one\n");
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/s/back");
    await page.getByText("Listed the workspace folder").waitFor();
    await page.getByText("1 file changed").waitFor();
    const choose = page.getByRole("button", { name: "Undo…" });
    expect(await choose.count()).toBe(1);
    await gateway.api("POST", "/sessions/back/undo", { last: 1 });
    await page.getByText("All changes were taken back").waitFor();
    expect(await choose.count()).toBe(0);
    await context.close();
  });

  it("a refusal carries the person's words", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const approval = await write("deny", "denied.txt");
    await go(page, gateway, `/inbox/${approval}`);
    await armed(page, approval);
    await page.getByRole("button", { name: "Deny and say why" }).click();
    await page.getByLabel("What the agent should do instead").fill("Use another name.");
    await armed(page, approval);
    await page.getByRole("button", { name: "Deny with these words" }).click();
    await expect.poll(() => statusOf(approval)).toMatch(/refused|used/);
    const { body } = await gateway.api("GET", `/approvals/${approval}`);
    expect([body.answer, body.words]).toEqual(["deny", "Use another name."]);
    expect(await file("denied.txt")).toBe("absent");
    await context.close();
  });

  it("a key pressed while typing, a held key and a card that has just come decide nothing", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const approval = await write("typing", "typed.txt");
    await go(page, gateway, "/s/typing");
    await page.waitForSelector(`[data-approval="${approval}"]`);
    await page.locator("#composer").pressSequentially("add a file");
    await armed(page, approval);
    await page.locator("#composer").press("a");
    await page.evaluate(`document.querySelector("#composer").blur();
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", repeat: true, bubbles: true }));
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", isComposing: true, bubbles: true }));
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", ctrlKey: true, bubbles: true }));`);
    expect(await statusOf(approval)).toBe("pending");
    expect(await page.locator("#composer").inputValue()).toBe("add a filea");
    await context.close();
  });

  it("a double press never answers the next question", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const first = await write("double", "first.txt");
    const second = await write("double", "second.txt");
    await go(page, gateway, "/s/double");
    await armed(page, first);
    // Both presses at one moment, so that no slow machine comes between them.
    await page.evaluate(`for (let turn = 0; turn < 2; turn += 1)
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }))`);
    await page.waitForSelector(`[data-approval="${second}"]`);
    await expect.poll(() => file("first.txt")).toBe("one\n");
    expect(await statusOf(second)).toBe("pending");
    await context.close();
  });

  it("a file that changed under its card: the late answer decides nothing, and the card says so until it is answered", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await gateway.api("POST", "/sessions", { id: "moved" });
    await writeFile(join(gateway.workspace, "moved.txt"), "one\ntwo\n");
    const { body } = await gateway.api("POST", "/sessions/moved/calls", {
      tool: "Edit",
      input: { file_path: "moved.txt", old_string: "one", new_string: "eins" },
    });
    await go(page, gateway, "/s/moved");
    await armed(page, body.approval_id);
    const card = page.locator(`[data-approval="${body.approval_id}"]`);
    await writeFile(join(gateway.workspace, "moved.txt"), "one\nthree\n");
    await page.keyboard.press("a");
    const said = card.getByText("What it would do has changed, so nothing was decided.");
    await said.waitFor();
    await card.getByText("three").waitFor();
    expect([await statusOf(body.approval_id), await file("moved.txt")]).toEqual(["pending", "one\nthree\n"]);
    expect(await page.getByRole("alert").textContent()).toContain("nothing was decided");
    // Its new form is looked at like a new card; what changed is still said when it may be answered.
    await armed(page, body.approval_id);
    expect(await said.isVisible()).toBe(true);
    await page.keyboard.press("a");
    await expect.poll(() => file("moved.txt")).toBe("eins\nthree\n");
    await context.close();
  });

  it("a question answered in another browser becomes a receipt here", async () => {
    const here = await visit(browser, gateway, { width: 1280 });
    const there = await visit(browser, gateway, { width: 1280 });
    const approval = await write("elsewhere", "elsewhere.txt");
    await go(here.page, gateway, "/s/elsewhere");
    await go(there.page, gateway, `/inbox/${approval}`);
    await armed(here.page, approval);
    await armed(there.page, approval);
    await there.page.keyboard.press("d");
    await here.page.waitForSelector(`[data-receipt="${approval}"]`);
    expect(await here.page.locator(`[data-receipt="${approval}"]`).textContent()).toContain("Denied from another device");
    await here.context.close();
    await there.context.close();
  });

  it("a message written while the agent works waits as a chip: removed, sent now, or the begin of the next run", async () => {
    const script = join(gateway.home, "run", "queue.json");
    const ask = (file: string) => ({ calls: [{ name: "Write", input: { file_path: file, content: "one\n" } }] });
    await writeFile(script, JSON.stringify([ask("queue-1.txt"), { text: "First end." }, { text: "Second end." }]));
    await gateway.api("POST", "/sessions", { id: "queue", model: `scripted/${script}` });
    await gateway.api("POST", "/sessions/queue/runs", { prompt: "Begin" });
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/s/queue");
    await page.locator("[data-approval]").waitFor();
    const said = () => page.locator(".said").allTextContents();
    const chips = page.locator(".queued .chip");
    for (const words of ["not this", "at once", "afterwards"]) {
      await page.locator("#composer").fill(words);
      await page.locator("#composer").press("Enter");
    }
    expect([await chips.count(), await said()]).toEqual([3, ["Begin"]]);
    await page.getByRole("button", { name: "Remove not this" }).click();
    await chips.first().getByRole("button", { name: "Send now" }).click();
    await expect.poll(() => chips.count()).toBe(1);
    await gateway.api("POST", `/approvals/${await page.locator("[data-approval]").getAttribute("data-approval")}/answer`, {
      answer: "deny",
      nonce: (await gateway.api("GET", "/approvals?status=pending&session_id=queue")).body.approvals[0].nonce,
    });
    await page.getByText("Second end.").waitFor();
    expect([await chips.count(), await said()]).toEqual([0, ["Begin", "at once", "afterwards"]]);
    await context.close();
  });

  it("a pasted reply shows its calls, what was repaired and each verdict; cut off early it has none", async () => {
    const { context, page, problems } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/tools/reply");
    await page.getByText("2 calls found").waitFor();
    expect(await page.locator(".reply .box .head code").allTextContents()).toEqual(["Read", "Write"]);
    await expect.poll(() => page.locator(".reply .box .head .chip").allTextContents()).toEqual(["allow", "ask"]);
    await page.getByText("This call was repaired").waitFor();
    expect(await page.locator(".reply mark").count()).toBe(2);
    await page.locator('.reply input[type="range"]').fill("200");
    await page.getByText("No call was found in it.").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it("hostile Markdown runs nothing, loads nothing and keeps its raw HTML as text", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await gateway.api("POST", "/sessions", { id: "hostile" });
    const content = `# Title\n\n<img src="/api/v1/stolen" onerror="window.hit = 1">\n\n[click](javascript:window.hit=1) ![p](https://evil.example/p.png)\n\n<button class="btn primary">Allow once</button>\n`;
    await gateway.api("POST", "/sessions/hostile/calls", { tool: "CreateArtifact", input: { id: "page", title: "Page", content } });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await go(page, gateway, "/s/hostile/artifacts/page");
    await page.waitForSelector(".prose h1");
    expect(
      await page.evaluate(`[window.hit, document.querySelectorAll(".prose img, .prose button, .prose [onerror], .prose [class]").length]`),
    ).toEqual([undefined, 0]);
    expect(await page.locator(".prose").textContent()).toContain("<img src=");
    expect(asked.filter((url) => /stolen|evil/.test(url))).toEqual([]);
    // The control: the same text as the markup of a page without the defence does it.
    const bare = await context.newPage();
    await bare.route("**/bare.html", (route) => route.fulfill({ contentType: "text/html", body: "<body></body>" }));
    await bare.goto(`${gateway.url}/bare.html`);
    const stolen = bare.waitForRequest("**/api/v1/stolen");
    await bare.evaluate(`document.body.innerHTML = ${JSON.stringify(content)}`);
    await stolen;
    await expect.poll(() => bare.evaluate("window.hit")).toBe(1);
    await context.close();
  });
});
