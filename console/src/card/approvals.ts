/** The questions this page knows, and the way in which an answer goes out: never before it was confirmed, never twice. */
import { effect, signal } from "@preact/signals";
import { ApiError, api, pathOf } from "../api/client.ts";
import type { Approval, Result } from "../api/types.ts";
import { inbox, link } from "../live/sessions.ts";

export type Answer = "once" | "always" | "deny";

interface Sending {
  readonly answer: Answer;
  readonly since: number;
  readonly problem?: string;
}

export const approvals = signal<ReadonlyMap<string, Approval>>(new Map());
/** Questions whose call changed what it would do while its card stood here: the card is drawn anew and says so until it is answered. */
export const redrawn = signal<ReadonlySet<string>>(new Set());
export const sending = signal<ReadonlyMap<string, Sending>>(new Map());
/** Answered in this tab. */
export const answeredHere = signal<ReadonlySet<string>>(new Set());
/** Whether the list was read at least once. */
export const approvalsRead = signal(false);

const retryMs = 2000;

export function startApprovals(): void {
  let last = "";
  effect(() => {
    const ids = inbox.value.items.filter(({ kind }) => kind === "approval").map(({ id }) => id);
    const seen = ids.join(" ");
    const online = link.value.kind === "open";
    if (!online || (seen === last && approvalsRead.peek())) return;
    last = seen;
    void refreshApprovals();
  });
}

async function refreshApprovals(): Promise<void> {
  try {
    const { approvals: pending } = await api<{ readonly approvals: readonly Approval[] }>("GET", "/approvals?status=pending&limit=200");
    const known = new Map(approvals.value);
    const ids = new Set(pending.map(({ id }) => id));
    const gone = [...known.values()].filter(({ id, status }) => status === "pending" && !ids.has(id));
    for (const one of pending) {
      if (known.get(one.id)?.nonce === one.nonce) continue;
      noteRedrawn(known.get(one.id), one);
      known.set(one.id, one);
    }
    approvals.value = known;
    approvalsRead.value = true;
    await Promise.all(gone.map(({ id }) => refreshOne(id)));
  } catch {
    // The next change of the inbox, or the line's return, reads it again.
  }
}

export async function refreshOne(id: string): Promise<Approval | undefined> {
  try {
    const one = await api<Approval>("GET", pathOf("approvals", id));
    noteRedrawn(approvals.value.get(id), one);
    approvals.value = new Map(approvals.value).set(id, one);
    return one;
  } catch {
    return undefined;
  }
}

function noteRedrawn(before: Approval | undefined, now: Approval): void {
  const isOther = before?.nonce !== undefined && now.nonce !== undefined && before.nonce !== now.nonce;
  if (isOther && now.status === "pending") redrawn.value = new Set([...redrawn.value, now.id]);
}

/** Ends when the server said what came of it. Answers the call's result if it ended soon. */
export async function answer(approval: Approval, given: Answer, words?: string): Promise<Result | undefined> {
  if (sending.value.has(approval.id) || approval.nonce === undefined) return undefined;
  note(approval.id, { answer: given, since: Date.now() });
  try {
    for (;;) {
      try {
        const said = await api<{ readonly approval: Approval; readonly result?: Result }>(
          "POST",
          pathOf("approvals", approval.id, "answer"),
          {
            answer: given,
            nonce: approval.nonce,
            ...(words === undefined || words === "" ? {} : { words }),
          },
        );
        settle(approval.id, said.approval, true);
        return said.result;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const isLost = error.status === 0 || error.status >= 500 || error.status === 429;
        if (!isLost) {
          await takeRefusal(approval, given, error);
          return undefined;
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  } finally {
    const left = new Map(sending.value);
    if (left.get(approval.id)?.problem === undefined) left.delete(approval.id);
    sending.value = left;
  }
}

/** Says no to a question whatever its call would do by now, because its result was applied in another way. */
export async function withdraw(approval: Approval, words: string): Promise<void> {
  await answer(approval, "deny", words);
  const now = approvals.value.get(approval.id);
  if (now?.status === "pending" && now.nonce !== approval.nonce) await answer(now, "deny", words);
}

async function takeRefusal(approval: Approval, given: Answer, error: ApiError): Promise<void> {
  const now = await refreshOne(approval.id);
  // An answer whose confirmation was lost on the way counts as given.
  if (now !== undefined && now.status !== "pending") settle(approval.id, now, now.answer === given && error.details.reason === "answered");
  else if (error.code !== "stale" || now === undefined) {
    note(approval.id, { answer: given, since: Date.now(), problem: error.message });
    setTimeout(() => {
      const left = new Map(sending.value);
      left.delete(approval.id);
      sending.value = left;
    }, retryMs);
  }
}

function settle(id: string, approval: Approval, byMe: boolean): void {
  if (byMe) answeredHere.value = new Set([...answeredHere.value, id]);
  approvals.value = new Map(approvals.value).set(id, approval);
}

function note(id: string, one: Sending): void {
  sending.value = new Map(sending.value).set(id, one);
}

export function pendingApprovals(): readonly Approval[] {
  return [...approvals.value.values()].filter(({ status }) => status === "pending").sort((a, b) => a.created_at - b.created_at);
}

/** Same tool and same input: shown as one with a count. */
export function sameCall(a: Approval, b: Approval): boolean {
  return a.tool === b.tool && a.session_id === b.session_id && JSON.stringify(a.input) === JSON.stringify(b.input);
}
