/** What the tests of this room share: a home of their own, calls in their plainest form. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type {
  ApprovalDraft,
  CallSettlement,
  CallStart,
  EventBodies,
  EventDraft,
  Owner,
  Result,
  SessionRecord,
  SessionState,
  Store,
  StoreOptions,
} from "../contract/index.ts";
import { endLingering } from "./lingering.ts";
import { openStore } from "./sqlite-store.ts";

export const full = process.env.KARYI_FULL === "1";

/** For the tests that have a full form. */
export const long = { timeout: full ? 300_000 : 60_000 };

export async function temporaryHome(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "karyi-store-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export function anOwner(id: string = randomUUID()): Owner {
  return { id, pid: process.pid, startToken: "test" };
}

export async function aStore(directory: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ directory, owner: anOwner(), isAlive: () => true, ...options });
  onTestFinished(() => store.close());
  return store;
}

export const initialState: SessionState = { cwd: "/w", env: {}, activated: [], allowedRules: [] };

export function aSession(store: Store, externalId = "s"): Promise<SessionRecord> {
  return store.openSession({ owner: "me", channel: "test", externalId }, "/w", initialState);
}

export function anEvent(n: number, callId?: string): EventDraft {
  return { type: "tool_progress", ...(callId === undefined ? {} : { callId }), body: { text: String(n) } };
}

export function aCall(sessionId: string, id: string = randomUUID(), over: Partial<CallStart["call"]> = {}): CallStart["call"] {
  return {
    id,
    sessionId,
    tool: "Read",
    input: { file_path: "a.txt" },
    cwd: "/w",
    summary: "Read a.txt",
    effects: [{ kind: "state", area: "tasks" }],
    ownerId: "filled in by the store",
    startedAt: 1000,
    request: { name: "Read" },
    ...over,
  };
}

export function aStart(call: CallStart["call"], over: Partial<CallStart> = {}): CallStart {
  return {
    call,
    events: [{ type: "tool_call", callId: call.id, body: { tool: call.tool, input: call.input, summary: call.summary } }],
    journal: [],
    durable: false,
    ...over,
  };
}

export function aResult(callId: string, over: Partial<Result> = {}): Result {
  return { callId, tool: "Read", status: "ok", output: "text", content: [], undoable: false, durationMs: 1, ...over };
}

/** Of `aResult`, as it stands in the stream. */
const aResultBody: EventBodies["tool_result"] = {
  tool: "Read",
  status: "ok",
  output: "text",
  output_length: 4,
  undoable: false,
  duration_ms: 1,
};

export function aSettlement(sessionId: string, callId: string, over: Partial<CallSettlement> = {}): CallSettlement {
  return {
    callId,
    sessionId,
    status: "success",
    result: aResult(callId),
    events: [{ type: "tool_result", callId, body: aResultBody }],
    durable: false,
    ...over,
  };
}

export function anApproval(call: CallStart["call"], id: string = randomUUID(), over: Partial<ApprovalDraft["record"]> = {}): ApprovalDraft {
  return {
    record: {
      id,
      sessionId: call.sessionId,
      callId: call.id,
      planHash: "plan",
      nonce: "nonce",
      policyVersion: "1",
      expiresAt: Number.MAX_SAFE_INTEGER,
      createdAt: 1000,
      card: {
        approvalId: id,
        sessionId: call.sessionId,
        callId: call.id,
        tool: call.tool,
        input: call.input,
        cwd: call.cwd,
        summary: call.summary,
        effects: call.effects,
        rule: "builtin:test",
        reason: "because",
      },
      ...over,
    },
    call,
    events: [
      {
        type: "permission_request",
        callId: call.id,
        body: { approval_id: id, tool: call.tool, summary: call.summary, rule: "builtin:test", reason: "because" },
      },
    ],
  };
}

export function isRunning({ pid }: Owner): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A home with one session and a few events, closed. */
export async function usedHome(): Promise<{ directory: string; file: string; sessionId: string }> {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  const { id } = await aSession(store);
  for (let n = 0; n < 200; n += 1) await store.appendEvents(id, [{ type: "text", body: { text: "x".repeat(500) } }]);
  await store.close();
  // The log goes into the file when the last of the connection is gone.
  await endLingering();
  return { directory, file: join(directory, "state.db"), sessionId: id };
}
