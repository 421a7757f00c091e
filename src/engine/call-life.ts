/**
 * The life of a call, stage after stage: prepare, decide, gate, perform. Idempotent by call id.
 * Whatever goes wrong on the way is a Result with its reason; nothing is thrown at the caller.
 */
import {
  type ApprovalRecord,
  type Call,
  type CallOptions,
  type CallRecord,
  type Decision,
  isSuspended,
  type RehearsedBody,
  type Result,
  ToolFailure,
} from "../contract/index.ts";
import { breathe } from "./breathe.ts";
import { asJson } from "./canonical.ts";
import { judge, judgeWithHooks } from "./decide.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { dryRun } from "./dry-run.ts";
import type { EventFeed } from "./event-feed.ts";
import { denial, type Gate, type GateOutcome, type GateRequest } from "./gate.ts";
import { runHooks } from "./hooks.ts";
import { KeptRehearsals } from "./kept-rehearsal.ts";
import type { PathLocks } from "./path-locks.ts";
import { Performer } from "./perform.ts";
import { findTool, PlanFailed, type Prepared, planCall, prepare } from "./prepare.ts";
import { callStart, digestOf, isSameCall, plainInput, toolResult } from "./records.ts";
import { Rehearsals } from "./rehearsal.ts";
import { failureResult, type ResultContext } from "./result.ts";
import type { Session } from "./session.ts";
import { CallMemory } from "./session-state.ts";
import { substituted } from "./substitute.ts";

interface LifeOptions extends CallOptions {
  /** The id was made for this call, so it is known nowhere. */
  readonly isNew?: boolean;
  /** It began before, was cut off and waits for its run: it is in the stream already. */
  readonly isAgain?: boolean;
}

/** Reasons of a failure that only says that another process, or another caller here, has the call. */
const elsewhere: ReadonlySet<unknown> = new Set(["call_under_way", "approval_used"]);
/** Reason of a failure that only says that a call was not begun, because it is not allowed without a question. */
const notBegun = "not_begun";

function isNotBegun({ error }: Result): boolean {
  return error?.details?.reason === notBegun;
}

function unlessAllowed(): ToolFailure {
  return new ToolFailure("permission_denied", "The call is not allowed without a question.", { details: { reason: notBegun } });
}

const never = new AbortController().signal;

export class CallLife {
  readonly #dependencies: EngineDependencies;
  readonly #gate: Gate;
  readonly #performer: Performer;
  readonly #feed: EventFeed;
  readonly #kept: KeptRehearsals;
  readonly #rehearsals: Rehearsals;
  readonly #underWay = new Map<string, { readonly digest: () => string; readonly life: Promise<Result> }>();

  constructor(dependencies: EngineDependencies, locks: PathLocks, feed: EventFeed, gate: Gate) {
    this.#dependencies = dependencies;
    this.#gate = gate;
    this.#feed = feed;
    this.#performer = new Performer(dependencies, locks, feed);
    this.#kept = new KeptRehearsals(dependencies);
    this.#rehearsals = new Rehearsals(dependencies, feed, this.#kept);
  }

  /** A call id that is known already is answered from its record, also after a restart. */
  async begin(session: Session, call: Call, options: CallOptions, isNew: boolean): Promise<Result> {
    await breathe();
    const already = isNew ? undefined : this.#underWay.get(call.id);
    const digest = () => digestOf(session, call);
    if (already) {
      if (already.digest() !== digest()) return this.#idTaken(session, call);
      const result = await already.life;
      return isNotBegun(result) ? this.begin(session, call, options, isNew) : result;
    }
    const life = isNew ? this.#live(session, call, { ...options, isNew }) : this.#beginKnown(session, call, options);
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
      // A `resumable` call that began after its approval and was cut off waits again; the approval was for that beginning.
      const isSpent = approval?.status === "used" && (await this.#dependencies.store.call(call.id))?.phase === "asked";
      return this.#live(
        session,
        callOf(record),
        { ...options, isAgain: approval === undefined || isSpent },
        isSpent ? undefined : approval,
      );
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
    const approvals = await this.#dependencies.store.listApprovals({ sessionId: record.sessionId, callId: record.id });
    return approvals.toSorted((a, b) => b.createdAt - a.createdAt)[0];
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
        if (options.ifAllowed) throw unlessAllowed();
        if (!(error instanceof PlanFailed)) throw error;
        prepared = error.looked;
        const gate = await this.#permit(session, call, prepared, options, asked, approval);
        if (gate.kind === "suspended") return suspendedResult(named, gate);
        throw error.failure;
      }
      if (options.ifAllowed && judge(session, call, prepared, this.#dependencies).verdict !== "allow") throw unlessAllowed();
      if (options.dryRun) {
        const gate = await this.#permitReading(session, call, prepared, options, asked, approval);
        if (gate?.kind === "suspended") return suspendedResult(named, gate);
        const context = { ...named, class: prepared.plan.class };
        const result = await dryRun({ session, call, prepared, memory, context, signal, options }, this.#dependencies);
        if (asked.answered) await this.#settleAsked(session, call, result);
        return result;
      }
      return await this.#decideAndPerform(session, call, prepared, memory, options, named, approval);
    } catch (error) {
      const named = prepared ? { ...context, tool: prepared.tool.name } : context;
      const result = await failureResult(error, false, named);
      if (elsewhere.has(result.error?.details?.reason) || isNotBegun(result)) return result;
      // The process ends, not the run: what did not begin, and a question, stay open for whoever resumes it.
      if (isSuspended(options.signal)) return result;
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
    const told: ResultContext = { ...context, class: shown.plan.class, additions: [...additions, ...doubts(call), ...session.notices()] };
    const asking: GateRequest = { session, call, prepared: shown, decision, wait: options.wait ?? false, signal };
    const progress = options.onProgress === undefined ? {} : { onProgress: options.onProgress };
    const tried = this.#isToBeRehearsed(session, decision, approval)
      ? await this.#rehearsals.run({ session, call, prepared: shown, memory, decision, context: told, signal, ...progress })
      : undefined;
    if (tried?.kind === "settled") return this.#afterHooks(session, call, shown, tried.result, signal);
    const rehearsal = tried?.kind === "open" ? tried.rehearsal : undefined;
    const report = rehearsal?.report ?? approval?.card.rehearsal;
    const gate = await this.#passWith(report, { ...asking, ...(rehearsal ? { rehearsal } : {}), begun: tried !== undefined }, approval);
    if (gate.kind === "suspended") return suspendedResult(context, gate, report);

    const input = await substituted(shown, session);
    const replan = async (): Promise<Prepared> => {
      const plan = await planCall(session, call, shown.tool, input, memory, signal);
      const again: Prepared = { ...shown, input, plan };
      const { decision: second } = await judgeWithHooks(session, call, again, dependencies, signal);
      // The values are known now: what they decide is judged too. An ask was answered above.
      if (second.verdict === "deny") throw denial(second);
      if (second.verdict !== "allow" && decision.verdict === "allow")
        throw denial({ ...second, reason: `${second.reason}, which was not asked about` });
      return again;
    };
    const filled = input !== shown.input;
    const real = filled ? await replan() : shown;
    const set = report?.change_set ?? undefined;
    const result = await this.#performer.perform({
      session,
      call,
      isNew: options.isNew ?? false,
      isAgain: options.isAgain ?? false,
      shown,
      real,
      memory: tried === undefined ? memory : new CallMemory(session.open),
      additions,
      rule: decision.rule,
      result: told,
      ...(set === undefined ? {} : { instead: this.#kept.committing(session, call, set) }),
      ...(isOffline(decision, session, dependencies) ? { network: "none" as const } : {}),
      ...(gate.approvalId === undefined ? { replan } : { approvalId: gate.approvalId }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...progress,
    });
    return this.#afterHooks(session, call, shown, result, signal);
  }

  /** Where the answer is there already, or was given to a card, nothing is tried first. In `plan` no answer makes anything count. */
  #isToBeRehearsed({ record }: Session, { verdict }: Decision, approval: ApprovalRecord | undefined): boolean {
    const { policy, asker } = this.#dependencies;
    const { standingAnswer } = asker(record);
    return verdict === "rehearse" && (policy(record).mode === "plan" || (approval === undefined && standingAnswer !== "once"));
  }

  /** What was rehearsed waits for its own answer, whatever rules say by now; without a yes it is dropped. */
  async #passWith(report: RehearsedBody | undefined, request: GateRequest, approval: ApprovalRecord | undefined) {
    if (report === undefined) return this.#gate.pass(request, approval);
    const { decision, session } = request;
    const asked: Decision = decision.verdict === "deny" ? decision : { ...decision, verdict: "rehearse" };
    try {
      return await this.#gate.pass({ ...request, decision: asked }, approval);
    } catch (error) {
      if (report.change_set !== null) this.#kept.drop(session, report.change_set);
      throw error;
    }
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
          ...(call.by === undefined ? {} : { by: call.by }),
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

function suspendedResult(
  context: ResultContext,
  { approvalId, summary }: Extract<GateOutcome, { kind: "suspended" }>,
  rehearsed?: RehearsedBody,
): Result {
  return {
    callId: context.callId,
    tool: context.tool,
    status: "suspended",
    output: `Waiting for a person's approval (${approvalId}): ${summary}`,
    content: [],
    ...(rehearsed === undefined ? {} : { data: { rehearsed: asJson(rehearsed) } }),
    undoable: false,
    durationMs: Math.round(performance.now() - context.startedAt),
    approvalId,
  };
}

/** Allowed by a rule that a person chose with "always" when the command had shown that it needs no network. */
function isOffline({ verdict, effects }: Decision, session: Session, { policy }: EngineDependencies): boolean {
  const { offlineRules = [] } = policy(session.record);
  return verdict === "allow" && effects.some(({ rule }) => offlineRules.includes(rule));
}
