/**
 * Waits for a value that a person gives from another process: `karyi var set NAME` puts it into the vault,
 * `karyi approvals answer ID deny` refuses it. Owns how both are noticed.
 */
import type { ApprovalReply, AskValue, EventDraft, RunRecord, SessionRecord, Store } from "../contract/index.ts";
import type { Vault } from "../vault/index.ts";

/** The vault is a file: nothing wakes whoever waits for it. */
const lookAgainMs = 500;
const pageSize = 500;

type EventReader = Pick<Store, "readEvents" | "readEventsBefore" | "changed" | "eventHeads">;

/** `isNewOnly`: a value that was there before it was asked for does not count. */
export function waitForValue(
  { id, workspace }: Pick<SessionRecord, "id" | "workspace">,
  store: EventReader,
  vault: Pick<Vault, "get" | "refresh">,
  isNewOnly = false,
): AskValue {
  return async ({ key, id: requestId, once }, signal) => {
    // A password that a program asks for is typed into its terminal, which only somebody who sits there can do.
    if (once) return { kind: "refused", words: "Nobody sits at the terminal." };
    let { seq: after, time: since } = await firstAsked(id, requestId, store);
    for (;;) {
      signal.throwIfAborted();
      const changed = store.changed(AbortSignal.any([signal, AbortSignal.timeout(lookAgainMs)]));
      await vault.refresh();
      const found = await vault.get(key, { workspace, sessionId: id });
      if (found && (!isNewOnly || found.createdAt >= since)) return { kind: "kept", scope: found.scope };
      for (const { seq, type, body } of await store.readEvents(id, after, pageSize)) {
        after = seq;
        if (type !== "permission_result" || body.approval_id !== requestId) continue;
        return { kind: "refused", ...(body.words === undefined ? {} : { words: body.words }) };
      }
      await changed;
    }
  };
}

/** Whoever answers first: the person who is asked here, or somebody in another process. */
export function askedBoth(here: AskValue, elsewhere: AskValue): AskValue {
  return async (request, signal) => {
    if (request.once) return here(request, signal);
    const over = new AbortController();
    const both = AbortSignal.any([signal, over.signal]);
    const replies = [here(request, both), elsewhere(request, both)];
    for (const reply of replies) reply.catch(() => {});
    try {
      return await Promise.race(replies);
    } finally {
      over.abort();
    }
  };
}

/** Where the question stands in the stream: answers that came while nothing ran follow it. A new one is asked now. */
async function firstAsked(sessionId: string, requestId: string | undefined, store: EventReader): Promise<{ seq: number; time: number }> {
  const head = (await store.eventHeads([sessionId])).get(sessionId)?.last ?? 0;
  let found: { seq: number; time: number } | undefined;
  for (let before = head + 1; before > 1; ) {
    const page = await store.readEventsBefore(sessionId, before, pageSize);
    for (const { type, body, seq, time } of page) {
      before = Math.min(before, seq);
      if (type === "value_request" && body.request_id === requestId && (found === undefined || seq < found.seq)) found = { seq, time };
    }
    if (page.length < pageSize) break;
  }
  return found ?? { seq: head, time: Date.now() };
}

/** Refuses a value that a run waits for. False if none waits under this id. */
export async function refuseValue(
  requestId: string,
  { words }: Pick<ApprovalReply, "words">,
  desk: {
    readonly store: Pick<Store, "readEvents">;
    openRuns(): Promise<readonly RunRecord[]>;
    append(sessionId: string, drafts: readonly EventDraft[]): Promise<unknown>;
  },
): Promise<boolean> {
  for (const sessionId of new Set((await desk.openRuns()).map((run) => run.sessionId))) {
    if (!(await isAsked(sessionId, requestId, desk.store))) continue;
    const body = { approval_id: requestId, answer: "deny" as const, answered_by: "command", ...(words === undefined ? {} : { words }) };
    await desk.append(sessionId, [{ type: "permission_result", body }]);
    return true;
  }
  return false;
}

async function isAsked(sessionId: string, requestId: string, store: Pick<Store, "readEvents">): Promise<boolean> {
  let asked = false;
  for (let after = 0; ; ) {
    const page = await store.readEvents(sessionId, after, pageSize);
    for (const event of page) {
      after = event.seq;
      if (event.type === "value_request" && event.body.request_id === requestId) asked = event.body.status === "asked";
    }
    if (page.length < pageSize) return asked;
  }
}
