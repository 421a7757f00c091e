/**
 * Rehearse, then ask (B9): runs a call where nothing counts, before anybody is asked, and says what becomes of it. A call that
 * changed nothing is done; what changed something waits for a person with the result in hand, or is dropped and told.
 * Refuses to commit anything itself, and to decide who is asked.
 */
import {
  type Call,
  type Decision,
  type JsonObject,
  type Note,
  noteOf,
  type RehearsedBody,
  type RehearsedCall,
  type Result,
  ToolFailure,
  type ToolOutput,
} from "../contract/index.ts";
import { asJson } from "./canonical.ts";
import { boundChanges, boundText } from "./card-bounds.ts";
import { withDeadline } from "./deadline.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import type { CardRehearsal } from "./gate.ts";
import { guardFiles } from "./guarded-files.ts";
import { type KeptRehearsals, withReport } from "./kept-rehearsal.ts";
import { alreadyKnown, timeoutOf } from "./perform.ts";
import type { Prepared } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { callStart, isSameCall, rehearsingRequest } from "./records.ts";
import { failureResult, type ResultContext, resultOf } from "./result.ts";
import { runContext } from "./run-context.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";
import { settle } from "./settle.ts";

export interface RehearsalRun {
  readonly session: Session;
  readonly call: Call;
  readonly prepared: Prepared;
  readonly memory: CallMemory;
  readonly decision: Decision;
  readonly context: ResultContext;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

export type RehearsalOutcome =
  | { readonly kind: "settled"; readonly result: Result }
  /** A person decides about it. */
  | { readonly kind: "open"; readonly rehearsal: CardRehearsal }
  /** There is no overlay for these roots after all: it is asked about as if nothing had been tried. */
  | { readonly kind: "untried" };

export class Rehearsals {
  readonly #dependencies: EngineDependencies;
  readonly #feed: EventFeed;
  readonly #kept: KeptRehearsals;

  constructor(dependencies: EngineDependencies, feed: EventFeed, kept: KeptRehearsals) {
    this.#dependencies = dependencies;
    this.#feed = feed;
    this.#kept = kept;
  }

  async run(run: RehearsalRun): Promise<RehearsalOutcome> {
    const known = await this.#start(run);
    if (known) return { kind: "settled", result: known };
    const rehearsed = await this.#rehearse(run).catch((error: unknown) => {
      if (error instanceof ToolFailure && error.details?.reason === "no_overlay") return undefined;
      throw error;
    });
    if (rehearsed) return this.#conclude(run, rehearsed);
    if (this.#isPlanning(run)) throw nothingCanBeTried(run.decision);
    return { kind: "untried" };
  }

  /** The call is in the stream from now on, so that whoever watches sees what it prints. Answers the result of a call that was made before. */
  async #start({ session, call, prepared }: RehearsalRun): Promise<Result | undefined> {
    const { store } = this.#dependencies;
    const start = callStart(session, call, prepared, this.#dependencies);
    const request = rehearsingRequest(start.call.request);
    const started = await store.startCall({ ...start, call: { ...start.call, request }, durable: false });
    if (started.kind === "known") {
      const same = isSameCall(started.call, session, call, this.#dependencies);
      return alreadyKnown(same ? started.call.result : undefined, call);
    }
    if (started.kind === "started") this.#feed.publish(started.events);
    return undefined;
  }

  async #rehearse({ session, call, prepared, memory, signal: caller, onProgress }: RehearsalRun): Promise<RehearsedCall> {
    const { tool, input, plan } = prepared;
    const { limits, masker } = this.#dependencies;
    const progress = new Progress(call, session.record.id, this.#feed, masker, onProgress);
    const limit = {
      timeoutMs: timeoutOf(tool, input, limits.callTimeoutMs),
      signal: caller,
      ...(tool.graceMs === undefined ? {} : { graceMs: tool.graceMs }),
    };
    try {
      return await withDeadline(limit, async (signal) => {
        const files = guardFiles(session.files, { ...plan, effects: [] }, signal, new Map()).files;
        const onText = (text: string) => progress.push(text);
        const onMasked = (text: string) => progress.accept(text);
        const context = runContext({ session, tool, call, memory, plan, signal, files, onText, onMasked }, this.#dependencies);
        if (!tool.rehearse)
          throw new ToolFailure("tool_disabled", `${tool.name} cannot be rehearsed.`, { details: { reason: "no_overlay" } });
        return tool.rehearse(input, context, { network: "none", keep: "if_changed" });
      });
    } finally {
      await progress.close();
    }
  }

  async #conclude(run: RehearsalRun, rehearsed: RehearsedCall): Promise<RehearsalOutcome> {
    const { ending, changeSet, caches, networkAttempts, withheld } = rehearsed;
    const counted = changeSet.changes.length + (changeSet.touched?.length ?? 0);
    const changed = counted > 0 && caches === undefined;
    const report: RehearsedBody = {
      exit_code: rehearsed.exitCode,
      change_set: null,
      changes_total: changed ? counted : 0,
      network_attempts: networkAttempts,
      withheld: withheldFrom(rehearsed),
      dropped: caches ?? [],
    };
    const failure = ending.kind === "failure" ? ending.failure : undefined;
    const lacking = failure !== undefined && failure.code !== "timeout" && (networkAttempts > 0 || withheld.length > 0);
    const keeps = changed && !lacking && failure?.code !== "timeout" && !this.#isPlanning(run) && this.#canAsk(run);
    if (counted > 0 && !keeps) this.#kept.drop(run.session, changeSet.id);

    if (failure?.code === "timeout") return this.#settled(run, withReport(ending, report, timeoutNotes(changed)));
    if (this.#isPlanning(run) && changed) return this.#planned(run, rehearsed, report);
    if (lacking && !this.#isPlanning(run)) {
      if (!this.#canAsk(run)) throw lacked(run.decision, rehearsed, report);
      return { kind: "open", rehearsal: { report, output: this.#shown(failure.output ?? "") } };
    }
    if (!changed) return this.#settled(run, withReport(ending, report, notesOf(rehearsed)));
    if (!this.#canAsk(run)) throw this.#notAsked(run, rehearsed, report);
    const kept: RehearsedBody = { ...report, change_set: changeSet.id };
    await this.#kept.keep(run.session, run.memory, withReport(ending, kept, notesOf(rehearsed)), changeSet.id);
    const printed = ending.kind === "output" ? ending.output.output : (ending.failure.output ?? "");
    return { kind: "open", rehearsal: { report: kept, output: this.#shown(printed), changes: boundChanges(changeSet.changes) } };
  }

  async #settled({ session, call, memory, context }: RehearsalRun, ending: RehearsedCall["ending"]): Promise<RehearsalOutcome> {
    const result =
      ending.kind === "output" ? await resultOf(ending.output, false, context) : await failureResult(ending.failure, false, context);
    return this.#settle({ session, call, memory, result });
  }

  /** Told and dropped; the session stays where it was. */
  async #planned({ session, call, context }: RehearsalRun, { told }: RehearsedCall, report: RehearsedBody): Promise<RehearsalOutcome> {
    const output: ToolOutput = {
      ...told,
      output: `${told.output}\nNothing was changed: in plan mode what a command changes is dropped.`,
      data: { ...(told.data as JsonObject), rehearsed: asJson(report) },
    };
    return this.#settle({ session, call, result: await resultOf(output, false, context, "planned") });
  }

  async #settle(settling: Omit<Parameters<typeof settle>[0], "durable">): Promise<RehearsalOutcome> {
    const { committed } = await settle({ ...settling, durable: false }, this.#dependencies);
    this.#feed.publish(await committed);
    return { kind: "settled", result: settling.result };
  }

  #shown(text: string): string {
    return boundText(this.#dependencies.masker.mask(text));
  }

  #isPlanning({ session }: RehearsalRun): boolean {
    return this.#dependencies.policy(session.record).mode === "plan";
  }

  #canAsk({ session }: RehearsalRun): boolean {
    const { approve, asking, standingAnswer } = this.#dependencies.asker(session.record);
    return standingAnswer !== "deny" && (approve !== undefined || asking !== "nobody");
  }

  /** Nobody says yes to it: what it would have changed is told, what it printed is not. */
  #notAsked({ decision, session }: RehearsalRun, { summary, changeSet }: RehearsedCall, report: RehearsedBody): ToolFailure {
    const refused = this.#dependencies.asker(session.record).standingAnswer === "deny";
    const why = refused ? "every question is answered with no here" : "nobody can be asked here";
    return new ToolFailure("permission_denied", `This needs a person's approval, and ${why}. What it would change was dropped.`, {
      hint: "Run it on a terminal, or with --approve yes, or add an allow rule to the config.",
      details: { reason: refused ? "refused" : "nobody_to_ask", rule: decision.rule },
      output: summary,
      data: { rehearsed: asJson(report), changes: boundChanges(changeSet.changes).map(({ path, change }) => ({ path, change })) },
      unchanged: true,
    });
  }
}

function withheldFrom({ networkAttempts, withheld }: RehearsedCall): RehearsedBody["withheld"] {
  return [...(networkAttempts > 0 ? [{ kind: "network" as const }] : []), ...withheld];
}

function namesOf(withheld: RehearsedCall["withheld"]): readonly string[] {
  return withheld.slice(0, 5).map(({ name }) => name);
}

/** What whoever reads the result must know beside what was printed. */
function notesOf({ networkAttempts, withheld, caches, changeSet }: RehearsedCall): readonly Note[] {
  const { temporary } = changeSet;
  return [
    ...(networkAttempts === 0 ? [] : [noteOf("network_withheld", { count: networkAttempts })]),
    ...(withheld.length === 0 ? [] : [noteOf("not_shown", { names: withheld.map(({ name }) => name) })]),
    ...(caches === undefined ? [] : [noteOf("caches_dropped", { names: caches })]),
    ...(temporary === undefined ? [] : [noteOf("temporary_dropped", { names: temporary.first })]),
  ];
}

function timeoutNotes(changed: boolean): readonly Note[] {
  return changed ? [noteOf("dropped_at_timeout")] : [];
}

/** It failed for want of something, so this is not its result; and nobody can say that it may have it. */
function lacked(decision: Decision, { ending, withheld, networkAttempts }: RehearsedCall, report: RehearsedBody): ToolFailure {
  const wanted = [...(networkAttempts > 0 ? ["the network"] : []), ...namesOf(withheld)].join(", ");
  const printed = ending.kind === "failure" ? ending.failure.output : undefined;
  return new ToolFailure("permission_denied", `The command failed without ${wanted}, and nobody can be asked whether it may have that.`, {
    hint: "Run it on a terminal, or with --approve yes, or add an allow rule to the config.",
    details: { reason: "nobody_to_ask", rule: decision.rule },
    ...(printed === undefined ? {} : { output: printed }),
    data: { rehearsed: asJson(report) },
    unchanged: true,
  });
}

function nothingCanBeTried(decision: Decision): ToolFailure {
  return new ToolFailure(
    "permission_denied",
    `Not allowed: ${decision.reason}; in plan mode a command runs only where nothing of it counts.`,
    {
      details: { reason: "denied_by_policy", rule: decision.rule },
    },
  );
}
