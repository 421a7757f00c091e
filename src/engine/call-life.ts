/**
 * The life of a call, stage after stage: prepare, decide, gate, perform. Idempotent by call id.
 * Whatever goes wrong on the way is a Result with its reason; nothing is thrown at the caller.
 */
import { type ApprovalRecord, type Call, type CallRecord, type Result, ToolFailure } from "../contract/index.ts";
import { breathe } from "./breathe.ts";
import { judge, judgeWithHooks } from "./decide.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { dryRun } from "./dry-run.ts";
import type { EventFeed } from "./event-feed.ts";
import { denial, type Gate } from "./gate.ts";
import { runHooks } from "./hooks.ts";
import type { PathLocks } from "./path-locks.ts";
import { Performer } from "./perform.ts";
import { findTool, PlanFailed, type Prepared, planCall, prepare } from "./prepare.ts";
import { callStart, digestOf, isSameCall, plainInput, toolResult } from "./records.ts";
import { failureResult, type ResultContext } from "./result.ts";
import type { Session } from "./session.ts";
import { CallMemory } from "./session-state.ts";
import { substituted } from "./substitute.ts";

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly dryRun?: boolean;
  /** With `dryRun` of a command: keep what it would change, to be committed later. */
  readonly keep?: boolean;
  readonly onProgress?: (text: string) => void;
  /** Wait for an approval instead of returning `suspended`. */
  readonly wait?: boolean;
}

interface LifeOptions extends CallOptions {
  /** The id was made for this call, so it is known nowhere. */
  readonly isNew?: boolean;
}

const never = new AbortController().signal;

export class CallLife {
  readonly #dependencies: EngineDependencies;
  readonly #gate: Gate;
  readonly #performer: Performer;
  readonly #feed: EventFeed;
  readonly #underWay = new Map<string, { readonly digest: string; readonly life: Promise<Result> }>();

  constructor(dependencies: EngineDependencies, locks: PathLocks, feed: EventFeed, gate: Gate) {
    this.#dependencies = dependencies;
    this.#gate = gate;
    this.#feed = feed;
    this.#performer = new Performer(dependencies, locks, feed);
  }

  /** A call id that is known already is answered from its record, also after a restart. */
  async begin(session: Session, call: Call, options: CallOptions, isNew: boolean): Promise<Result> {
    await breathe();
    if (isNew) return this.#live(session, call, { ...options, isNew });
    const already = this.#underWay.get(call.id);
    const digest = digestOf(session, call);
    if (already) return already.digest === digest ? already.life : this.#idTaken(session, call);
    const life = this.#beginKnown(session, call, options);
    this.#underWay.set(call.id, { digest, life });
    try {
      return await life;
    } finally {
      this.#underWay.delete(call.id);
    }
  }

  async #beginKnown(session: Session, call: Call, options: CallOptions): Promise<Result> {
    const record = await this.#dependencies.store.call(call.id);
    if (!record) return this.#live(session, call, options);
    // Models count their ids from one again: an answer or an approval must never pass from one call to another.
    if (!isSameCall(record, session, call, this.#dependencies)) return this.#idTaken(session, call);
    if (record.result) return record.result;
    if (record.phase === "asked") {
      const approval = await this.#latestApproval(record);
      return this.#live(session, callOf(record), options, approval);
    }
    const context = this.#context(session, call.id, record.tool);
    return failureResult(
      new ToolFailure("tool_conflict", `The call ${call.id} is already under way in another process.`, {
        details: { reason: "call_under_way" },
      }),
      false,
      context,
    );
  }

  #idTaken(session: Session, call: Call): Promise<Result> {
    const taken = new ToolFailure("tool_conflict", `The call id ${call.id} was used for another call before.`, {
      hint: "Give every call an id of its own.",
      details: { reason: "call_id_taken" },
    });
    return failureResult(taken, false, this.#context(session, call.id, call.name));
  }

  async #latestApproval(record: CallRecord): Promise<ApprovalRecord | undefined> {
    const approvals = await this.#dependencies.store.listApprovals({ sessionId: record.sessionId });
    return approvals.filter(({ callId }) => callId === record.id).sort((a, b) => b.createdAt - a.createdAt)[0];
  }

  async #live(session: Session, call: Call, options: LifeOptions, approval?: ApprovalRecord): Promise<Result> {
    const context = this.#context(session, call.id, call.name);
    let prepared: Prepared | undefined;
    const asked = { answered: false };
    try {
      const tool = findTool(session, call);
      const memory = new CallMemory(session.open);
      const signal = options.signal ?? never;
      if (signal.aborted) throw new ToolFailure("cancelled", "The call was cancelled before it began.");
      const named = { ...context, tool: tool.name };
      try {
        prepared = await prepare(session, call, tool, memory, signal);
      } catch (error) {
        if (!(error instanceof PlanFailed)) throw error;
        prepared = error.looked;
        const gate = await this.#permit(session, call, prepared, options, asked, approval);
        if (gate.kind === "suspended") return suspendedResult(named, gate.approvalId, gate.summary);
        throw error.failure;
      }
      if (options.dryRun) {
        const gate = await this.#permitReading(session, call, prepared, options, asked, approval);
        if (gate?.kind === "suspended") return suspendedResult(named, gate.approvalId, gate.summary);
        const result = await dryRun({ session, call, prepared, memory, context: named, signal, options }, this.#dependencies);
        if (asked.answered) await this.#settleAsked(session, call, result);
        return result;
      }
      return await this.#decideAndPerform(session, call, prepared, memory, options, named, approval);
    } catch (error) {
      const named = prepared ? { ...context, tool: prepared.tool.name } : context;
      const result = await failureResult(error, false, named);
      if (!options.dryRun || asked.answered) await this.#recordFailure(session, call, prepared, result, approval !== undefined);
      return result;
    }
  }

  /** Judges a call as it is prepared and asks where it must; throws the denial. */
  async #permit(
    session: Session,
    call: Call,
    prepared: Prepared,
    options: CallOptions,
    asked: { answered: boolean },
    approval?: ApprovalRecord,
  ) {
    const decision = judge(session, call, prepared, this.#dependencies);
    const signal = options.signal ?? never;
    const gate = await this.#gate.pass({ session, call, prepared, decision, wait: options.wait ?? false, signal }, approval);
    asked.answered = gate.kind === "open" && gate.approvalId !== undefined;
    return gate;
  }

  /** A dry run shows what a call would do without asking for it; what it would have to read first is asked about all the same. */
  async #permitReading(
    session: Session,
    call: Call,
    prepared: Prepared,
    options: CallOptions,
    asked: { answered: boolean },
    approval?: ApprovalRecord,
  ) {
    const effects = prepared.plan.effects.filter(({ kind }) => kind === "read");
    if (effects.length === 0) return undefined;
    const reading: Prepared = {
      ...prepared,
      traits: { ...prepared.traits, readOnly: true, permission: "auto" },
      plan: { summary: prepared.plan.summary, effects },
    };
    return this.#permit(session, call, reading, options, asked, approval);
  }

  async #settleAsked(session: Session, call: Call, result: Result): Promise<void> {
    const { store } = this.#dependencies;
    const settlement = {
      callId: call.id,
      sessionId: session.record.id,
      status: "success" as const,
      result,
      events: [toolResult(call, result)],
      durable: false,
    };
    this.#feed.publish(await store.settleCall(settlement));
  }

  async #decideAndPerform(
    session: Session,
    call: Call,
    shown: Prepared,
    memory: CallMemory,
    options: LifeOptions,
    context: ResultContext,
    approval: ApprovalRecord | undefined,
  ): Promise<Result> {
    const dependencies = this.#dependencies;
    const signal = options.signal ?? never;
    const { decision, additions } = await judgeWithHooks(session, call, shown, dependencies, signal);
    const gate = await this.#gate.pass({ session, call, prepared: shown, decision, wait: options.wait ?? false, signal }, approval);
    if (gate.kind === "suspended") return suspendedResult(context, gate.approvalId, gate.summary);

    const input = await substituted(shown, session);
    const replan = async (): Promise<Prepared> => {
      const plan = await planCall(session, call, shown.tool, input, memory, signal);
      const again: Prepared = { ...shown, input, plan };
      const { decision: second } = await judgeWithHooks(session, call, again, dependencies, signal);
      // The values are known now: what they decide is judged too. An ask was answered above.
      if (second.verdict === "deny") throw denial(second);
      if (second.verdict === "ask" && decision.verdict === "allow")
        throw denial({ ...second, reason: `${second.reason}, which was not asked about` });
      return again;
    };
    const filled = input !== shown.input;
    const real = filled ? await replan() : shown;
    const result = await this.#performer.perform({
      session,
      call,
      isNew: options.isNew ?? false,
      shown,
      real,
      memory,
      additions,
      result: { ...context, additions: [...additions, ...doubts(call), ...session.notices()] },
      ...(gate.approvalId === undefined ? { replan } : { approvalId: gate.approvalId }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    });
    return this.#afterHooks(session, call, shown, result, signal);
  }

  async #afterHooks(session: Session, call: Call, prepared: Prepared, result: Result, signal: AbortSignal): Promise<Result> {
    const { hooks, masker, log } = this.#dependencies;
    if (!hooks.some(({ event }) => event === "after")) return result;
    const replies = await runHooks(
      hooks,
      {
        event: "after",
        sessionId: session.record.id,
        callId: call.id,
        tool: prepared.tool.name,
        input: masker.maskJson(prepared.input as never),
        cwd: session.cwd,
        summary: masker.mask(prepared.plan.summary),
        effects: prepared.plan.effects,
        result,
      },
      signal,
      log,
    );
    const additions = replies.flatMap(({ add }) => (add === undefined ? [] : [masker.mask(add)]));
    return additions.length === 0 ? result : { ...result, output: [result.output, ...additions].join("\n") };
  }

  /** Denied, misspelt and cancelled calls are part of the story too. */
  async #recordFailure(session: Session, call: Call, prepared: Prepared | undefined, result: Result, wasAsked: boolean): Promise<void> {
    const { store, masker, now, log } = this.#dependencies;
    try {
      const known = wasAsked ? undefined : await store.call(call.id);
      if (!wasAsked && !known) {
        const start = prepared
          ? callStart(session, call, prepared, this.#dependencies)
          : {
              call: {
                id: call.id,
                sessionId: session.record.id,
                tool: call.name,
                input: masker.maskJson(plainInput(call.input)),
                cwd: session.cwd,
                summary: call.name,
                effects: [],
                ownerId: store.owner.id,
                startedAt: now(),
                request: null,
              },
              events: [
                {
                  type: "tool_call" as const,
                  callId: call.id,
                  body: { tool: call.name, input: masker.maskJson(plainInput(call.input)), summary: call.name },
                },
              ],
              journal: [],
            };
        this.#publishStart(await store.startCall({ ...start, durable: false }));
      } else if (known?.phase === "settled") return;
      this.#feed.publish(
        await store.settleCall({
          callId: call.id,
          sessionId: session.record.id,
          status: "failed",
          result,
          events: [toolResult(call, result)],
          durable: false,
        }),
      );
    } catch (error) {
      log("A failed call could not be recorded", error);
    }
  }

  #publishStart(outcome: Awaited<ReturnType<EngineDependencies["store"]["startCall"]>>): void {
    if (outcome.kind === "started") this.#feed.publish(outcome.events);
  }

  #context(session: Session, callId: string, tool: string): ResultContext {
    const { masker, limits, store } = this.#dependencies;
    return {
      callId,
      tool,
      sessionId: session.record.id,
      startedAt: performance.now(),
      masker,
      maxOutputBytes: limits.maxOutputBytes,
      store,
    };
  }
}

/** A call that came in pieces is done as far as it came; whoever reads the result must know. */
function doubts({ cutOff }: Call): readonly string[] {
  return cutOff === true
    ? ["Note: the call was cut off before its end, so what it was to do may be incomplete. Check it, or write it again."]
    : [];
}

/** The call as it was made, from its record. */
export function callOf(record: CallRecord): Call {
  return { ...(record.request as unknown as Omit<Call, "id">), id: record.id };
}

function suspendedResult(context: ResultContext, approvalId: string, summary: string): Result {
  return {
    callId: context.callId,
    tool: context.tool,
    status: "suspended",
    output: `Waiting for a person's approval (${approvalId}): ${summary}`,
    content: [],
    undoable: false,
    durationMs: Math.round(performance.now() - context.startedAt),
    approvalId,
  };
}
