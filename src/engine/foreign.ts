/**
 * Calls that another agent makes with its own tools: `begin` judges them and keeps images of what they are about to change,
 * `settle` looks at what became of it and writes both down, so that undo works on them. Runs nothing itself.
 */
import {
  type ApprovalRecord,
  type Call,
  type Decision,
  defaultTraits,
  type Effect,
  type ErrorCode,
  type ForeignAnswer,
  type ForeignBeginning,
  type ForeignCall,
  type ForeignOptions,
  type ForeignOutcome,
  type JournalEntry,
  type Plan,
  type Result,
  ToolFailure,
} from "../contract/index.ts";
import { captureAfter, captureBefore, changedSince } from "./before-images.ts";
import { judge } from "./decide.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Gate } from "./gate.ts";
import { findTool, PlanFailed, type Planned, prepare } from "./prepare.ts";
import { callStart, toolResult } from "./records.ts";
import type { Session } from "./session.ts";
import { CallMemory } from "./session-state.ts";
import { touchedEffects } from "./touched-effects.ts";

const maxOutput = 64 * 1024;
/** Failures of a plan that are a refusal. Every other one only means that the tool here would do the call in another way. */
const refusals: ReadonlySet<ErrorCode> = new Set(["permission_denied", "tool_forbidden_path", "tool_disabled", "cancelled"]);

export class Foreign {
  readonly #dependencies: EngineDependencies;
  readonly #feed: EventFeed;
  readonly #gate: Gate;

  constructor(dependencies: EngineDependencies, feed: EventFeed, gate: Gate) {
    this.#dependencies = dependencies;
    this.#feed = feed;
    this.#gate = gate;
  }

  /** Throws a ToolFailure only if it refuses the call. A call that cannot be planned is judged by what its input touches. */
  async begin(
    session: Session,
    foreign: ForeignCall,
    { record = false, captured = false }: ForeignOptions = {},
  ): Promise<ForeignBeginning> {
    const memory = new CallMemory(session.open);
    const found = await this.#prepared(session, foreign, memory);
    const prepared = captured ? found : { ...found, plan: asItRuns(found.plan) };
    const decision = judge(session, foreign, prepared, this.#dependencies);
    const isQuestion = decision.verdict === "ask" || decision.verdict === "rehearse";
    const asked = record && isQuestion ? await this.#asked(session, foreign, prepared, decision) : undefined;
    const isRefused = decision.verdict === "deny" || (asked !== undefined && asked.kind !== "granted");
    const { entries, onDisk } = await captureBefore(
      isRefused ? { ...prepared.plan, effects: [] } : prepared.plan,
      this.#dependencies.images,
      memory,
    );
    await onDisk;
    const summary = this.#dependencies.masker.mask(prepared.plan.summary);
    return { decision, summary, journal: entries, ...(asked === undefined ? {} : { asked }) };
  }

  /** An answer counts for exactly this call, by whatever id it is made again, and once. */
  async #asked(session: Session, foreign: ForeignCall, prepared: Planned, decision: Decision): Promise<ForeignAnswer> {
    const call: Call = { ...foreign, foreign: true };
    const { signal } = new AbortController();
    const record = await this.#gate.askAgain({ session, call, prepared, decision, wait: false, signal });
    const { id: approvalId, status, words } = record;
    if (status === "granted" && (await this.#usedUp(session, { ...call, id: record.callId }, prepared, approvalId))) {
      return { kind: "granted", approvalId };
    }
    if (status === "refused") return { kind: "refused", approvalId, ...(words === undefined ? {} : { words }) };
    return { kind: "waiting", approvalId };
  }

  /** False if somebody else was faster. */
  async #usedUp(session: Session, call: Call, prepared: Planned, approvalId: string): Promise<boolean> {
    const { store, durable } = this.#dependencies;
    const start = callStart(session, call, prepared, this.#dependencies);
    const started = await store.startCall({ ...start, events: [], approvalId, durable });
    if (started.kind !== "started") return false;
    const result = resultOf(call.id, prepared.tool.name, true, "Granted, and passed on to the agent that makes the call.");
    const events = [toolResult(call, result)];
    const settlement = { callId: call.id, sessionId: session.record.id, status: "success", result, events, durable } as const;
    this.#feed.publish(await store.settleCall(settlement));
    return true;
  }

  async settle(session: Session, foreign: ForeignCall, journal: readonly JournalEntry[], outcome: ForeignOutcome): Promise<Result> {
    const { store, images, masker, durable } = this.#dependencies;
    const call: Call = foreign;
    const name = session.nameOf(call.name);
    // What it would do now says nothing any more: it is done.
    const told: Planned = {
      tool: { name },
      traits: defaultTraits,
      input: foreign.input,
      plan: { summary: `${name} by ${foreign.agent ?? "another agent"}`, effects: [] },
    };
    const start = callStart(session, call, told, this.#dependencies, journal);
    const started = await store.startCall({ ...start, durable: durable && journal.length > 0 });
    if (started.kind === "known" && started.call.result) return started.call.result;
    if (started.kind === "started") this.#feed.publish(started.events);
    const after = await captureAfter(journal, images);
    const undoable = changedSince(journal, after);
    const output = masker.mask(outcome.output.slice(0, maxOutput));
    const result = { ...resultOf(foreign.id, name, outcome.ok, output), undoable };
    this.#feed.publish(
      await store.settleCall({
        callId: foreign.id,
        sessionId: session.record.id,
        status: outcome.ok ? "success" : "failed",
        result,
        events: [toolResult(call, result)],
        after,
        durable: durable && journal.length > 0,
      }),
    );
    return result;
  }

  async #prepared(session: Session, foreign: ForeignCall, memory: CallMemory): Promise<Planned> {
    try {
      const planned = await prepare(session, foreign, findTool(session, foreign), memory, new AbortController().signal);
      return { ...planned, plan: await withTouched(planned.plan, session, foreign) };
    } catch (error) {
      const failure = error instanceof PlanFailed ? error.failure : error;
      if (!(failure instanceof ToolFailure) || refusals.has(failure.code)) throw failure;
      const looked = error instanceof PlanFailed ? error.looked.plan.effects : [];
      const touched = await touchedEffects(session.files, foreign.touches ?? []);
      const effects = [...looked, ...touched];
      const unnamed = { kind: "unknown", reason: "what it would do cannot be told from its input" } as const;
      return {
        tool: { name: session.nameOf(foreign.name) },
        traits: session.traitsOf(foreign.name),
        input: foreign.input,
        plan: {
          summary: `${foreign.name} by ${foreign.agent ?? "another agent"}`,
          effects: touched.length > 0 ? effects : [...effects, unnamed],
        },
      };
    }
  }
}

/** What an answer to a question about another agent's call comes to here: nothing is run. */
export function passedOn({ id, name }: Call, { status }: ApprovalRecord): Result {
  if (status === "granted" || status === "used") {
    return resultOf(id, name, true, "Granted. When the agent makes the same call again, it passes, once.");
  }
  return resultOf(id, name, false, `The approval is ${status}; the agent's call stays refused.`, "permission_denied");
}

function resultOf(callId: string, tool: string, ok: boolean, output: string, code: ErrorCode = "tool_error"): Result {
  return {
    callId,
    tool,
    status: ok ? "ok" : code === "permission_denied" ? "denied" : "error",
    output,
    content: [],
    ...(ok ? {} : { error: { code, message: output.split("\n", 1)[0] ?? "" } }),
    undoable: false,
    durationMs: 0,
  };
}

/** What the tool here would confine, the other agent does not. */
function asItRuns({ confined: _, ...plan }: Plan): Plan {
  return plan;
}

/** A file that the input names is judged and kept even if the plan does not name it. */
async function withTouched(plan: Plan, session: Session, { touches = [] }: ForeignCall): Promise<Plan> {
  const planned = new Set(plan.effects.map(keyOf));
  const single = touches.filter((touch) => touch.kind === "write" || touch.kind === "unknown" || (touch.kind === "read" && !touch.tree));
  const missing = (await touchedEffects(session.files, single)).filter((effect) => !planned.has(keyOf(effect)));
  return missing.length === 0 ? plan : { ...plan, effects: [...plan.effects, ...missing] };
}

function keyOf(effect: Effect): string {
  return effect.kind === "read" || effect.kind === "write" ? `${effect.kind} ${effect.path.real}` : effect.kind;
}
