import { expect, it } from "vitest";
import type { ApprovalRecord, Decision } from "../contract/index.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import { Gate, type GateRequest } from "./gate.ts";

const decision: Decision = { verdict: "ask", rule: "default", reason: "it writes", effects: [] };
const request = {
  session: { cwd: "/w", record: { id: "s" } },
  prepared: { tool: { name: "Write" }, input: {}, plan: { summary: "write", effects: [] } },
  decision,
  wait: false,
} as unknown as GateRequest;

// The store refuses such a start too; a dry run and a call whose plan failed start nothing.
it.each(["used", "expired", "void"] as const)("a used or expired approval opens nothing: %s", async (status) => {
  const gate = new Gate({} as EngineDependencies, {} as EventFeed);
  const earlier = { id: "a", status, card: {} } as ApprovalRecord;
  await expect(gate.pass(request, earlier)).rejects.toMatchObject({
    code: "permission_denied",
    details: { reason: `approval_${status}` },
  });
});

/** A gate whose question is answered elsewhere; `found` is what the store tells of it, one answer after the other. */
function waiting(signal: AbortSignal, ...found: readonly (ApprovalRecord | undefined)[]) {
  const answers = [...found];
  const dependencies = {
    asker: () => ({ asking: "record" }),
    store: { approval: async () => answers.shift(), changed: async () => {} },
  } as unknown as EngineDependencies;
  const pending = { id: "a", status: "pending", card: {} } as ApprovalRecord;
  return new Gate(dependencies, {} as EventFeed).pass({ ...request, wait: true, signal } as GateRequest, pending);
}

it("a question that is gone opens nothing", async () => {
  await expect(waiting(new AbortController().signal, undefined)).rejects.toMatchObject({
    code: "permission_denied",
    details: { reason: "approval_missing" },
  });
});

it("a call that was ended while it waited is not opened by a later answer", async () => {
  const [pending, granted] = (["pending", "granted"] as const).map((status) => ({ id: "a", status, card: {} }) as ApprovalRecord);
  await expect(waiting(AbortSignal.abort(), pending, granted)).rejects.toMatchObject({ code: "cancelled" });
});
