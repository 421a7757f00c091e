/** Answers beyond yes and no: a rule of one's own, a dry run applied, a grandchild's question, an undo beside somebody else's edit. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { consoleFolder, go, launchBrowser, noBrowser, visit } from "./support/browser.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";

const captures = (await capturingHere()).length > 0;
const noCapture = captures ? "" : " (skipped: commands cannot be captured here)";

describe.skipIf(noBrowser !== "")(`answers at the console${noBrowser}`, () => {
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

  const call = async (session: string, tool: string, input: object) => {
    await gateway.api("POST", "/sessions", { id: session });
    return (await gateway.api("POST", `/sessions/${session}/calls`, { tool, input })).body;
  };
  const write = (session: string, path: string, content = "one\n") => call(session, "Write", { file_path: path, content });
  const statusOf = async (approval: string): Promise<string> => (await gateway.api("GET", `/approvals/${approval}`)).body.status;
  const armed = (page: Page, approval: string) => page.waitForSelector(`[data-approval="${approval}"][data-armed="yes"]`);
  const file = (name: string): Promise<string> => readFile(join(gateway.workspace, name), "utf8").catch(() => "absent");
  const allow = async (approval: string) => {
    const { body } = await gateway.api("GET", `/approvals/${approval}`);
    await gateway.api("POST", `/approvals/${approval}/answer`, { answer: "once", nonce: body.nonce });
  };

  it("the rule of always is edited on the card, explained again before it counts, and holds for the next call", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const { approval_id: approval } = await write("always", "notes/first.txt");
    await go(page, gateway, "/s/always");
    await armed(page, approval);
    await page.keyboard.press("Shift+A");
    const field = page.getByLabel("Rule", { exact: true });
    const confirm = page.getByRole("button", { name: "Always allow" });
    await field.fill("Edit(elsewhere/**)");
    await page.getByText("the rule does not cover it").waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await field.fill("Edit(notes/**)");
    await page.getByText("would not be asked").waitFor();
    await armed(page, approval);
    await confirm.click();
    await expect.poll(() => file("notes/first.txt")).toBe("one\n");
    const { body } = await gateway.api("GET", "/rules");
    expect(body.rules.map(({ rule, origin }: { rule: string; origin: string }) => [rule, origin])).toContainEqual([
      "Edit(notes/**)",
      "always",
    ]);
    expect(await write("always", "notes/second.txt")).toMatchObject({ status: "ok" });
    expect((await write("always", "other.txt")).approval_id).toBeDefined();
    await context.close();
  });

  it.skipIf(!captures)(`a command is tried on its card, and exactly its result is applied${noCapture}`, async () => {
    await gateway.api("POST", "/rules", { rule: "Bash(sh make-stamp.sh)", list: "ask", origin: "home" });
    await writeFile(join(gateway.workspace, "make-stamp.sh"), "head -c 8 /dev/urandom | od -An -tx1 > stamp.txt\n");
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const { approval_id: approval } = await call("dry", "Bash", { command: "sh make-stamp.sh" });
    const { body: card } = await gateway.api("GET", `/approvals/${approval}`);
    expect([card.can_rehearse, card.rehearsal]).toEqual([true, undefined]);
    await go(page, gateway, "/s/dry");
    await armed(page, approval);
    await page.keyboard.press("r");
    const apply = page.getByRole("button", { name: "Apply exactly this" });
    await apply.waitFor();
    const shown = (await page.locator(".rehearsal .diff").textContent()) ?? "";
    expect(await file("stamp.txt")).toBe("absent");
    await armed(page, approval);
    // The card moves while the result is applied, as it does if a line above it goes: the press counts all the same.
    await page.route("**/api/v1/sessions/dry/calls", async (route) => {
      await page.evaluate(`document.querySelector('[data-approval="${approval}"]').style.paddingTop = "40px"`);
      await page.waitForSelector(`[data-approval="${approval}"][data-armed="no"]`);
      await route.continue();
    });
    await apply.click();
    await expect.poll(() => file("stamp.txt")).not.toBe("absent");
    expect(shown).toContain((await file("stamp.txt")).trim());
    await expect.poll(() => statusOf(approval)).toMatch(/refused|used/);
    expect((await gateway.api("GET", `/approvals/${approval}`)).body.words).toContain("dry run");
    await context.close();
  });

  it("an undo shows somebody else's edit, keeps it, and takes back the rest", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    for (const name of ["mine.txt", "theirs.txt"]) await allow((await write("others", name)).approval_id);
    await expect.poll(() => file("theirs.txt")).toBe("one\n");
    await writeFile(join(gateway.workspace, "theirs.txt"), "somebody else was here\n");
    await go(page, gateway, "/s/others/changes");
    await page.getByRole("button", { name: "Choose all" }).click();
    await page.getByText("Changed by somebody else after this step").first().waitFor();
    expect(await page.locator(".undo-side .chip.ask").textContent()).toBe("kept");
    await page.getByRole("button", { name: "Undo the rest" }).click();
    await page.locator(".undo-side .primary:not(:disabled)").click();
    await expect.poll(() => file("mine.txt")).toBe("absent");
    expect(await file("theirs.txt")).toBe("somebody else was here\n");
    await context.close();
  });

  it("a grandchild's question is in the root session, in its own view, in the inbox, and answered there", async () => {
    const scriptOf = (name: string) => join(gateway.home, "run", `deep-${name}.json`);
    const agent = (name: string) => ({ name: "Agent", input: { prompt: name, description: name, model: `scripted/${scriptOf(name)}` } });
    const scripts: Readonly<Record<string, object[]>> = {
      root: [{ calls: [agent("child")] }, { text: "done" }],
      child: [{ calls: [agent("grandchild")] }, { text: "done" }],
      grandchild: [{ calls: [{ name: "Write", input: { file_path: "deep.txt", content: "deep\n" } }] }, { text: "done" }],
    };
    for (const [name, turns] of Object.entries(scripts)) {
      await mkdir(dirname(scriptOf(name)), { recursive: true });
      await writeFile(scriptOf(name), JSON.stringify(turns));
    }
    await gateway.api("POST", "/sessions", { id: "deep" });
    await gateway.api("POST", "/sessions/deep/runs", { prompt: "Go deep", model: `scripted/${scriptOf("root")}` });
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    await go(page, gateway, "/s/deep");
    const card = page.locator("[data-approval]");
    await card.waitFor();
    const approval = (await card.getAttribute("data-approval")) ?? "";
    const { body } = await gateway.api("GET", `/approvals/${approval}`);
    expect([body.root_session_id, body.session_id === "deep"]).toEqual(["deep", false]);
    const listed = (await gateway.api("GET", "/sessions?top=1&limit=100")).body.sessions;
    expect(listed.find(({ id }: { id: string }) => id === "deep")).toMatchObject({ status: "waiting", waiting: 1 });
    expect(listed.every(({ parent_id: parent }: { parent_id?: string }) => parent === undefined)).toBe(true);
    await go(page, gateway, "/s/deep?agent=agent_2");
    expect(await page.locator(`[data-approval="${approval}"]`).count()).toBe(1);
    // The view of an agent shows what it and those below it ask, and nothing of others.
    const { approval_id: other } = await write("deep", "root.txt");
    await go(page, gateway, "/s/deep");
    await page.getByText("1 of 2").waitFor();
    await go(page, gateway, "/s/deep?agent=agent_1");
    await page.locator(`[data-approval="${approval}"]`).waitFor();
    expect(await page.getByText("1 of 2").count()).toBe(0);
    await gateway.api("POST", `/approvals/${other}/answer`, {
      answer: "deny",
      nonce: (await gateway.api("GET", `/approvals/${other}`)).body.nonce,
    });
    await go(page, gateway, `/inbox/${approval}`);
    expect(await page.locator(".card-head").textContent()).toContain("general ‹ general");
    await armed(page, approval);
    await page.keyboard.press("a");
    await expect.poll(() => file("deep.txt")).toBe("deep\n");
    await context.close();
  });

  it.skipIf(!captures)(
    `a newcomer gets from the first page to an approved and undone command with nothing but the page${noCapture}`,
    async () => {
      const fresh = await startGateway({ consoleFolder });
      const { context, page, problems } = await visit(browser, fresh, { width: 1280 });
      await page.getByRole("heading", { name: "Watch agents work" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForSelector('[data-approval][data-armed="yes"]');
      const card = page.locator("[data-approval]");
      expect(await card.textContent()).toContain("jumps over the sleeping dog");
      expect(await card.textContent()).toContain("“Approve it, or refuse; I go on either way.”");
      expect(await card.locator(".answer.primary").textContent()).toContain("Apply exactly this");
      const { workspace } = (await fresh.api("GET", "/sessions?top=1")).body.sessions[0];
      const fox = () => readFile(join(workspace, "fox.txt"), "utf8");
      await page.keyboard.press("a");
      await expect.poll(fox).toContain("sleeping");
      await page.locator(".call-box").first().getByRole("button", { name: "Undo" }).click();
      await page.getByText("undone by you").first().waitFor();
      expect(await fox()).toContain("lazy");
      await page.getByRole("button", { name: "Undo the undo" }).first().waitFor();
      expect(problems).toEqual([]);
      await context.close();
      await fresh.close();
      await rm(workspace, { recursive: true, force: true });
    },
  );

  it("Enter in an input method sends nothing; the click that brings the window forward decides nothing", async () => {
    const { context, page } = await visit(browser, gateway, { width: 1280 });
    const { approval_id: approval } = await write("careful", "careful.txt");
    await go(page, gateway, "/s/careful");
    await armed(page, approval);
    const composer = page.locator("#composer");
    await composer.fill("你好");
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(request.url());
    });
    for (const init of ["isComposing: true", "keyCode: 229"]) {
      await page.evaluate(
        `document.querySelector("#composer").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ${init} }))`,
      );
    }
    expect([await composer.inputValue(), sent]).toEqual(["你好", []]);
    // The window comes forward, and the same click lands on the button.
    await page.evaluate(`dispatchEvent(new Event("blur")); dispatchEvent(new Event("focus"));
      document.querySelector('[data-approval="${approval}"] .answer.primary').click()`);
    expect([await statusOf(approval), sent]).toEqual(["pending", []]);
    // The control: the same click counts once the window has stood in front.
    const press = async (): Promise<string> => {
      await page.evaluate(`document.querySelector('[data-approval="${approval}"] .answer.primary')?.click()`);
      return file("careful.txt");
    };
    await expect.poll(press).toBe("one\n");
    await context.close();
  });
});
