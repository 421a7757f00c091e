/**
 * Fourth stage: locks, before-images and the intent row, then the tool itself, then the settlement.
 * Read-only calls take the short way: no lock, no journal, no waiting for the disk.
 */
import {
  type Call,
  type Fingerprint,
  isSuspended,
  type JournalEntry,
  type KaryiEvent,
  type Plan,
  type Result,
  type RunContext,
  type Tool,
  ToolFailure,
  type ToolOutput,
} from "../contract/index.ts";
import { type AfterImage, type BeforeImages, captureAfter, captureBefore, changedSince } from "./before-images.ts";
import { withDeadline } from "./deadline.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import { type GuardedFiles, guardFiles } from "./guarded-files.ts";
import type { PathLocks } from "./path-locks.ts";
import type { Prepared } from "./prepare.ts";
import { Progress } from "./progress.ts";
import { callStart, isSameCall } from "./records.ts";
import { failureResult, type ResultContext, resultOf } from "./result.ts";
import { runContext } from "./run-context.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";
import { settle } from "./settle.ts";

export interface Performance {
  readonly session: Session;
  readonly call: Call;
  /** Its id was made here, so no other process can know it. */
  readonly isNew: boolean;
  /** It began before and is in the stream already. */
  readonly isAgain: boolean;
  /** What the records show: placeholders stay placeholders. */
  readonly shown: Prepared;
  /** What runs: the same with the values filled in. */
  readonly real: Prepared;
  readonly memory: CallMemory;
  readonly approvalId?: string;
  readonly additions: readonly string[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (text: string) => void;
  readonly result: ResultContext;
  /** Plans again, under the lock, when somebody else was faster; absent when a person approved exactly this plan. */
  readonly replan?: () => Promise<Prepared>;
  /** Done in the place of the tool's `run`: it locks and journals what it changes itself. */
  readonly instead?: (context: RunContext) => Promise<ToolOutput>;
  /** Less than the config gives. */
  readonly network?: "none";
  /** The rule that decided. */
  readonly rule?: string;
}

/** When a step is recorded: before it is waited for, or soon after. */
interface Commit {
  readonly durable: boolean;
  readonly soon?: boolean;
}

/** How often a plan may be made anew because somebody else was faster. */
const maxReplans = 3;

export class Performer {
  readonly #dependencies: EngineDependencies;
  readonly #locks: PathLocks;
  readonly #feed: EventFeed;

  constructor(dependencies: EngineDependencies, locks: PathLocks, feed: EventFeed) {
    this.#dependencies = dependencies;
    this.#locks = locks;
    this.#feed = feed;
  }

  async perform(performance: Performance): Promise<Result> {
    const { instead } = performance;
    const paths = instead ? [] : writtenPaths(performance.real.plan);
    const signal = performance.signal ?? never;
    if (paths.length === 0) {
      // What the tool finds out that it changes is locked on its way.
      return this.#start(performance, performance.real, nothing).finally(() => this.#locks.release(performance.call.id));
    }
    const release = await this.#locks.acquire(performance.call.id, paths, signal);
    try {
      const before = await captureBefore(performance.real.plan, this.#dependencies.images, performance.memory);
      return await this.#start(performance, performance.real, before);
    } catch (error) {
      await this.#dependencies.store.releaseLocks(performance.call.id);
      throw error;
    } finally {
      release();
    }
  }

  async #start(performance: Performance, real: Prepared, { entries: journal, onDisk }: BeforeImages): Promise<Result> {
    const { session, call, shown, approvalId, isAgain } = performance;
    const { store } = this.#dependencies;
    const durable = this.#dependencies.durable && needsDisk(real.plan);
    if (this.#mayStartLater(performance, real)) {
      const known = { record: session.record, cwd: session.cwd };
      const startedAt = this.#dependencies.now();
      this.#later(store.startCallSoon(call.id, () => callStart(known, call, shown, { ...this.#dependencies, now: () => startedAt })));
      // Whoever listens hears the end at once, and the beginning is committed together with it.
      return this.#run(performance, real, journal, { durable: false, soon: !this.#feed.isHeard });
    }
    const start = callStart(session, call, shown, this.#dependencies, journal);
    // A call that was asked about is in the stream already.
    const started = await store.startCall({
      ...start,
      durable,
      ...(isAgain ? { events: [] } : {}),
      ...(approvalId === undefined ? {} : { approvalId, events: [] }),
    });
    if (started.kind === "known") {
      const same = isSameCall(started.call, session, call, this.#dependencies);
      return alreadyKnown(same ? started.call.result : undefined, call);
    }
    if (started.kind === "approval_void") {
      throw new ToolFailure("permission_denied", `The approval cannot be used: it is ${started.status}.`, {
        details: { reason: `approval_${started.status}` },
      });
    }
    this.#feed.publish(started.events);
    // They went to the disk side by side with the intent.
    await onDisk;
    return this.#run(performance, real, journal, { durable });
  }

  async #run(performance: Performance, real: Prepared, journal: JournalEntry[], when: Commit): Promise<Result> {
    const { session, call, memory, result: context } = performance;
    const { store, images } = this.#dependencies;
    let result: Result;
    let failed: unknown;
    let produced: ToolOutput | undefined;
    const written = new Map<string, Fingerprint>();
    try {
      produced = await this.#runFollowingTheWorld(performance, real, written);
    } catch (error) {
      failed = error;
      if (real.tool.resumable && isSuspended(performance.signal) && (await store.leaveWaiting(call.id)))
        return failureResult(error, false, context);
    }
    // What the tool itself journaled (a captured command) counts as well as what the plan named.
    const parts = real.tool.rehearse ? store.journalParts(call.id) : [journal];
    const untouched = failed instanceof ToolFailure && failed.unchanged;
    const after: AfterImage[] = [];
    let changed = false;
    for await (const entries of parts) {
      const found = untouched
        ? entries.map(({ path, before }): AfterImage => ({ path, after: before }))
        : await captureAfter(entries.filter(isOpen), images, written);
      after.push(...found);
      changed ||= changedSince(entries, found);
    }
    if (produced) {
      result = await resultOf(produced, changed, context).catch((error) => failureResult(error, changed, context));
    } else {
      if (!(failed instanceof ToolFailure)) this.#dependencies.log(`${real.tool.name} failed unexpectedly`, failed);
      result = await failureResult(failed, changed, context);
    }
    const { rule } = performance;
    const settling = { session, call, memory, result, ...(after.length === 0 ? {} : { after }), ...(rule && { rule }), ...when };
    const { committed } = await settle(settling, this.#dependencies);
    if (when.soon) this.#later(committed);
    else this.#feed.publish(await committed);
    return result;
  }

  /**
   * A call that changes nothing and that nobody was asked about need not wait for its records: they are a few
   * milliseconds behind at most, and in order.
   */
  #mayStartLater({ approvalId, isNew }: Performance, { plan }: Prepared): boolean {
    return isNew && approvalId === undefined && !needsDisk(plan);
  }

  #later(events: Promise<readonly KaryiEvent[]>): void {
    events.then(
      (recorded) => this.#feed.publish(recorded),
      (error: unknown) => this.#dependencies.log("A call could not be recorded", error),
    );
  }

  /** The lock keeps other calls out, but the plan was made before it was held: where it no longer fits, it is made again. */
  async #runFollowingTheWorld(performance: Performance, real: Prepared, written: Map<string, Fingerprint>): Promise<ToolOutput> {
    let current = real;
    for (let round = 0; ; round++) {
      try {
        return await this.#invoke(performance, current, written);
      } catch (error) {
        if (!performance.replan || round >= maxReplans || !isStale(error) || written.size > 0) throw error;
        const again = await performance.replan();
        const locked = new Set(writtenPaths(real.plan));
        if (!writtenPaths(again.plan).every((path) => locked.has(path))) throw error;
        current = again;
      }
    }
  }

  async #invoke(performance: Performance, real: Prepared, written: Map<string, Fingerprint>): Promise<ToolOutput> {
    const { session, call, memory, network, onProgress, instead } = performance;
    const { tool, input, plan } = real;
    const { limits, masker } = this.#dependencies;
    let guarded: GuardedFiles | undefined;
    const progress = new Progress(call, session.record.id, this.#feed, masker, onProgress);
    try {
      return await withDeadline(
        {
          timeoutMs: timeoutOf(tool, input, limits.callTimeoutMs),
          ...(tool.graceMs === undefined ? {} : { graceMs: tool.graceMs }),
          ...(performance.signal === undefined ? {} : { signal: performance.signal }),
        },
        async (signal) => {
          guarded = guardFiles(session.files, plan, signal, written);
          const context = runContext(
            {
              session,
              tool,
              call,
              memory,
              plan,
              signal,
              files: guarded.files,
              ...(network === undefined ? {} : { network }),
              onText: (text) => progress.push(text),
              onMasked: (masked) => progress.accept(masked),
            },
            this.#dependencies,
          );
          return instead ? instead(context) : tool.run(input, context);
        },
      );
    } finally {
      guarded?.revoke();
      await progress.close();
    }
  }
}

/** A captured command's commit has said already what it left. */
function isOpen({ after }: JournalEntry): boolean {
  return after === undefined;
}

const never = new AbortController().signal;
const nothing: BeforeImages = { entries: [], onDisk: Promise.resolve() };

export function timeoutOf(tool: Tool, input: unknown, fallback: number): number {
  if (typeof tool.timeoutMs === "function") return tool.timeoutMs(input);
  return tool.timeoutMs ?? fallback;
}

function writtenPaths(plan: Plan): string[] {
  return plan.effects.flatMap((effect) => {
    if (effect.kind === "write") return [effect.path.real];
    return effect.kind === "state" && effect.record !== undefined ? [effect.record] : [];
  });
}

/** Reads and Karyi's own records need not wait for the disk, unless they can be undone; whatever changes the world does. */
function needsDisk(plan: Plan): boolean {
  return plan.effects.some((effect) => {
    if (effect.kind === "state") return effect.record !== undefined;
    return effect.kind !== "read" && !(effect.kind === "run" && effect.understood);
  });
}

function isStale(error: unknown): boolean {
  return error instanceof ToolFailure && (error.details?.reason === "stale_file" || error.details?.reason === "version_conflict");
}

export function alreadyKnown(result: Result | undefined, call: Call): Result {
  if (result) return result;
  throw new ToolFailure("tool_conflict", `The call ${call.id} is already under way.`, { details: { reason: "call_under_way" } });
}
