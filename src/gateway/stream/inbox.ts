/** All that waits for a person, and the figures for badges: looked up when something changed, told to whoever watches. */
import { setTimeout } from "node:timers/promises";
import type { ApprovalRecord, KaryiEngine, KaryiEvent, SessionRecord } from "../../contract/index.ts";
import { byId, topOf } from "../family.ts";
import type { PendingValue, ValueDesk } from "../values.ts";
import { wireSessionId } from "../wire/convert.ts";
import { type TerminalQuestion, TerminalQuestions } from "./terminal-questions.ts";

interface InboxItem {
  readonly kind: "approval" | "value" | "input";
  readonly id: string;
  readonly session_id: string;
  /** The session that a person began; the same unless a sub-agent asks. */
  readonly root_session_id: string;
  readonly tool?: string;
  readonly key?: string;
  /** Of a terminal's program that waits: what for, which one, and in which call. */
  readonly input?: string;
  readonly program?: string;
  readonly call_id?: string;
  readonly summary: string;
  readonly created_at: number;
}

export interface InboxView {
  readonly items: readonly InboxItem[];
  readonly counts: { readonly approvals: number; readonly values: number; readonly inputs: number; readonly waiting: number };
}

const telling = new Set<KaryiEvent["type"]>([
  "permission_request",
  "permission_result",
  "value_request",
  "input_required",
  "tool_call",
  "tool_result",
  "run_end",
]);
/** Snapshots of one user are made at most this often. */
const pauseMs = 100;

export interface InboxSource {
  readonly engine: Pick<KaryiEngine, "approvals" | "changed" | "onEvent">;
  readonly values: ValueDesk;
  sessionsOf(owner: string): Promise<readonly SessionRecord[]>;
  /** An agent is at work in the session: it answers the programs of its terminal itself. */
  isRunning(sessionId: string): Promise<boolean>;
  log(error: unknown): void;
}

export class Inbox {
  readonly #source: InboxSource;
  readonly #questions = new TerminalQuestions();
  readonly #watchers = new Map<string, Set<(view: InboxView) => void>>();
  readonly #stops: (() => void)[];
  readonly #closed = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #following = false;

  constructor(source: InboxSource) {
    this.#source = source;
    this.#stops = [
      source.engine.onEvent((event) => {
        this.#questions.hear(event);
        if (telling.has(event.type)) this.noteChange();
      }),
      source.values.onChange(() => this.noteChange()),
    ];
  }

  async viewOf(owner: string): Promise<InboxView> {
    const [sessions, pending, questions] = await Promise.all([
      this.#source.sessionsOf(owner),
      this.#source.engine.approvals("pending"),
      this.questions(),
    ]);
    const known = byId(sessions);
    const approvals = pending.flatMap((record) => approvalItem(record, placeOf(record.sessionId, known)));
    const values = this.#source.values.list(owner).flatMap((one) => valueItem(one, placeOf(one.sessionId, known)));
    const inputs = questions.flatMap((one) => inputItem(one, placeOf(one.sessionId, known)));
    const items = [...approvals, ...values, ...inputs];
    return {
      items,
      counts: { approvals: approvals.length, values: values.length, inputs: inputs.length, waiting: items.length },
    };
  }

  /** Programs in terminals that wait for a person, because no agent is there to answer them. */
  async questions(): Promise<readonly TerminalQuestion[]> {
    const all = this.#questions.list();
    const isTheAgents = await Promise.all(all.map(({ sessionId }) => this.#source.isRunning(sessionId)));
    return all.filter((_, index) => isTheAgents[index] === false);
  }

  /** Somebody went on in a session's terminal, or it ended. */
  terminalGoesOn(sessionId: string): void {
    if (this.#questions.goOn(sessionId)) this.noteChange();
  }

  watch(owner: string, onView: (view: InboxView) => void): () => void {
    const all = this.#watchers.get(owner) ?? new Set();
    all.add(onView);
    this.#watchers.set(owner, all);
    void this.#follow();
    return () => {
      all.delete(onView);
      if (all.size === 0) this.#watchers.delete(owner);
    };
  }

  /** As long as anybody watches: what another process asks or answers is heard of only by its commit. */
  async #follow(): Promise<void> {
    if (this.#following) return;
    this.#following = true;
    const { signal } = this.#closed;
    while (this.#watchers.size > 0 && !signal.aborted) {
      await this.#source.engine.changed(signal);
      this.noteChange();
      await setTimeout(pauseMs, undefined, { ref: false });
    }
    this.#following = false;
  }

  noteChange(): void {
    if (this.#watchers.size === 0 || this.#timer !== undefined) return;
    this.#timer = globalThis.setTimeout(() => {
      this.#timer = undefined;
      void this.#tellAll();
    }, pauseMs);
    this.#timer.unref();
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop();
    this.#watchers.clear();
  }

  async #tellAll(): Promise<void> {
    for (const [owner, watchers] of this.#watchers) {
      try {
        const view = await this.viewOf(owner);
        for (const watcher of watchers) watcher(view);
      } catch (error) {
        this.#source.log(error);
      }
    }
  }
}

type Place = Pick<InboxItem, "session_id" | "root_session_id">;

function placeOf(sessionId: string, known: ReadonlyMap<string, SessionRecord>): Place | undefined {
  const record = known.get(sessionId);
  const top = topOf(sessionId, known);
  return record && top && { session_id: wireSessionId(record), root_session_id: wireSessionId(top) };
}

function approvalItem({ id, card, createdAt }: ApprovalRecord, place: Place | undefined): InboxItem[] {
  if (place === undefined) return [];
  return [{ kind: "approval", id, ...place, tool: card.tool, summary: card.summary, created_at: createdAt }];
}

function valueItem({ id, request, createdAt }: PendingValue, place: Place | undefined): InboxItem[] {
  if (place === undefined) return [];
  return [{ kind: "value", id, ...place, key: request.key, summary: request.reason, created_at: createdAt }];
}

function inputItem({ id, callId, input, program, question, createdAt }: TerminalQuestion, place: Place | undefined): InboxItem[] {
  if (place === undefined) return [];
  const call = callId === undefined ? {} : { call_id: callId };
  return [{ kind: "input", id, ...place, ...call, input, program, summary: question, created_at: createdAt }];
}
