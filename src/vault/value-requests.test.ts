import { describe, expect, it, onTestFinished } from "vitest";
import type { EventDraft, ValueRequest } from "../contract/index.ts";
import { openVault, temporaryHome } from "./fixtures/open-vault.ts";
import { type AskValue, createMasker, createValueRequests } from "./index.ts";

const place = { workspace: "/work/project", sessionId: "s1" };
const request: ValueRequest = { key: "NPM_TOKEN", reason: "Publishing needs it.", note: "for publishing" };
const never = new AbortController().signal;

async function requestsWith(ask?: AskValue) {
  const vault = openVault(await temporaryHome(onTestFinished));
  const events: EventDraft[] = [];
  const warnings: string[] = [];
  const requests = createValueRequests({
    ...(ask && { ask }),
    vault,
    place,
    mask: createMasker(vault.secrets).mask,
    onEvent: (event) => void events.push(event),
    onWarning: (message) => void warnings.push(message),
  });
  return { vault, requests, events, warnings };
}

describe("value requests", () => {
  it("put the value into the vault, and nowhere else", async () => {
    const seen: ValueRequest[] = [];
    const { vault, requests, events } = await requestsWith(async (asked) => {
      seen.push(asked);
      return { kind: "given", value: "canary-value-1", scope: "project" };
    });
    expect(requests.canAsk()).toBe(true);
    const answer = await requests.ask(request, never);
    expect(answer).toEqual({ kind: "given", scope: "project" });
    expect(seen).toEqual([request]);
    expect(await vault.get("NPM_TOKEN", place)).toMatchObject({ value: "canary-value-1", scope: "project", note: "for publishing" });
    const body = { key: "NPM_TOKEN", reason: "Publishing needs it.", note: "for publishing" };
    expect(events).toEqual([
      { type: "value_request", body: { ...body, status: "asked" } },
      { type: "value_request", body: { ...body, status: "given", scope: "project" } },
    ]);
    expect(JSON.stringify([answer, events])).not.toContain("canary");
  });

  it("answer a refusal with the person's words", async () => {
    const { requests, events } = await requestsWith(async () => ({ kind: "refused", words: "not today" }));
    expect(await requests.ask(request, never)).toEqual({ kind: "refused", words: "not today" });
    expect(events.map(({ body }) => body.status)).toEqual(["asked", "refused"]);
  });

  it("cannot ask where nobody is", async () => {
    const { requests } = await requestsWith();
    expect(requests.canAsk()).toBe(false);
    expect(await requests.ask(request, never)).toMatchObject({ kind: "refused" });
  });

  it("end when the call is cancelled, though nobody answers", async () => {
    const { requests, events } = await requestsWith(() => new Promise(() => {}));
    const abort = new AbortController();
    const asked = requests.ask(request, abort.signal);
    abort.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
    expect(events.map(({ body }) => body.status)).toEqual(["asked", "cancelled"]);
  });

  it("warn the person about a short value", async () => {
    const { requests, warnings } = await requestsWith(async () => ({ kind: "given", value: "short", scope: "session" }));
    await requests.ask(request, never);
    expect(warnings).toEqual([expect.stringContaining("fewer than 8 characters")]);
  });
});
