import { describe, expect, it, onTestFinished } from "vitest";
import type { AskValue, EventDraft, ValueRequest } from "../contract/index.ts";
import { openVault, temporaryHome } from "./fixtures/open-vault.ts";
import { createMasker, createValueRequests } from "./index.ts";

const place = { workspace: "/work/project", sessionId: "s1" };
const request: ValueRequest = { key: "NPM_TOKEN", reason: "Publishing needs it.", note: "for publishing" };
const never = new AbortController().signal;

async function requestsWith(ask?: AskValue, hear: (event: EventDraft) => void = () => {}) {
  const vault = openVault(await temporaryHome(onTestFinished));
  const events: EventDraft[] = [];
  const warnings: string[] = [];
  const requests = createValueRequests({
    asker: () => ask,
    vault,
    place,
    mask: createMasker(vault.secrets).mask,
    onEvent: (event) => {
      events.push(event);
      hear(event);
    },
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
    expect(seen).toEqual([{ ...request, id: expect.any(String) }]);
    expect(await vault.get("NPM_TOKEN", place)).toMatchObject({ value: "canary-value-1", scope: "project", note: "for publishing" });
    const body = { key: "NPM_TOKEN", reason: "Publishing needs it.", note: "for publishing" };
    const request_id = expect.any(String);
    expect(events).toEqual([
      { type: "value_request", body: { request_id, ...body, status: "asked" } },
      { type: "value_request", body: { request_id, ...body, status: "given", scope: "project" } },
    ]);
    expect(new Set(events.map((event) => event.type === "value_request" && event.body.request_id)).size).toBe(1);
    expect(JSON.stringify([answer, events])).not.toContain("canary");
  });

  it("tell of a question only when it can be answered, under the id that it came with", async () => {
    const order: string[] = [];
    const { requests, events } = await requestsWith(
      async ({ id }) => {
        order.push(`asked ${id}`);
        return { kind: "refused" };
      },
      (event) => void order.push(event.type === "value_request" ? `told ${event.body.status}` : event.type),
    );
    await requests.ask({ ...request, id: "call-1" }, never);
    expect(order).toEqual(["asked call-1", "told asked", "told refused"]);
    expect(events.map((event) => event.type === "value_request" && event.body.request_id)).toEqual(["call-1", "call-1"]);
  });

  it("answer a refusal with the person's words", async () => {
    const { requests, events } = await requestsWith(async () => ({ kind: "refused", words: "not today" }));
    expect(await requests.ask(request, never)).toEqual({ kind: "refused", words: "not today" });
    expect(events.map((event) => event.type === "value_request" && event.body.status)).toEqual(["asked", "refused"]);
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
    expect(events.map((event) => event.type === "value_request" && event.body.status)).toEqual(["asked", "cancelled"]);
  });

  it("warn the person about a short value", async () => {
    const { requests, warnings } = await requestsWith(async () => ({ kind: "given", value: "short", scope: "session" }));
    await requests.ask(request, never);
    expect(warnings).toEqual([expect.stringContaining("fewer than 8 characters")]);
  });
});
