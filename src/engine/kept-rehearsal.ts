/**
 * A rehearsal that waits for a person: how its call ends if it counts, and what the session then remembers. Kept beside its change
 * set without values in clear, so that another process can commit it days later; and as it was while this process lives.
 * Refuses to run anything: what is committed is what was shown.
 */
import {
  type Call,
  changedEnv,
  type Ending,
  type Json,
  type JsonObject,
  type Note,
  notesIn,
  type RehearsedBody,
  type RunContext,
  ToolFailure,
  type ToolOutput,
  withNotes,
} from "../contract/index.ts";
import { asJson } from "./canonical.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { keptPatch, openedEnv } from "./kept-env.ts";
import type { Performance } from "./perform.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";

/** What the command left behind in its shell, against what it was given: the session may have moved on meanwhile. */
interface LeftBehind {
  readonly cwd?: string;
  /** `null` where it was unset. */
  readonly env: Readonly<Record<string, string | null>>;
}

interface Kept {
  readonly ending: Ending;
  readonly left: LeftBehind;
}

export class KeptRehearsals {
  readonly #dependencies: Pick<EngineDependencies, "masker">;
  readonly #here = new Map<string, Kept>();

  constructor(dependencies: Pick<EngineDependencies, "masker">) {
    this.#dependencies = dependencies;
  }

  async keep(session: Session, memory: CallMemory, ending: Ending, id: string): Promise<void> {
    const { masker } = this.#dependencies;
    const left = leftBehind(memory);
    this.#here.set(id, { ending, left });
    const { env = {} } = await keptPatch({ env: left.env }, masker, session.values);
    const held = { ending: masker.maskJson(wireEnding(ending)), left: asJson({ ...left, env }) };
    session.changeSets.hold(id, held);
  }

  /** A set that is gone already needs no dropping. */
  drop(session: Session, id: string): void {
    this.#here.delete(id);
    try {
      session.changeSets.discard(id);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
    }
  }

  /** Commits exactly this set in the place of a run. */
  committing(session: Session, call: Call, id: string): NonNullable<Performance["instead"]> {
    return async (context) => {
      const { ending, left } = await this.#take(session, id);
      try {
        await session.changeSets.commit(id, call.id);
      } catch (error) {
        // What could not be given back yet is taken up from there at the next start.
        if (error instanceof ToolFailure && error.unchanged) this.drop(session, id);
        throw withPrinted(error, ending);
      }
      this.#here.delete(id);
      remember(context, left);
      if (ending.kind === "failure") throw ending.failure;
      return ending.output;
    };
  }

  async #take(session: Session, id: string): Promise<Kept> {
    const here = this.#here.get(id);
    if (here) return here;
    const held = session.changeSets.held(id) as { readonly ending: WireEnding; readonly left: LeftBehind } | undefined;
    if (held === undefined) {
      throw new ToolFailure("tool_conflict", `What belongs to the change set ${id} is gone, so it was not committed.`, {
        hint: "Make the call again.",
        details: { reason: "no_change_set", id },
        unchanged: true,
      });
    }
    const { env, ...left } = held.left;
    const unset = Object.entries(env).filter(([, value]) => value === null);
    const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== null);
    const opened = await openedEnv(Object.fromEntries(set), session.values);
    return { ending: endingOf(held.ending), left: { ...left, env: { ...Object.fromEntries(unset), ...opened } } };
  }
}

/** The same ending with the report and the notes in its data, and the notes below its text. */
export function withReport(ending: Ending, report: RehearsedBody, notes: readonly Note[]): Ending {
  if (ending.kind === "output") {
    const { output, data } = ending.output;
    return { kind: "output", output: { ...ending.output, output: withNotes(output, notes), data: reported(data, report, notes) } };
  }
  const { failure } = ending;
  const output = withNotes(failure.output ?? "", notes);
  return { kind: "failure", failure: failureWith(failure, { output, data: reported(failure.data, report, notes) }) };
}

function reported(data: Json | undefined, report: RehearsedBody, notes: readonly Note[]): JsonObject {
  const all = [...notesIn(data), ...notes];
  return { ...(data as JsonObject | undefined), ...(all.length === 0 ? {} : { notes: asJson(all) }), rehearsed: asJson(report) };
}

/** The command did run: what it printed is told, though nothing of it counts. */
function withPrinted(error: unknown, ending: Ending): unknown {
  if (!(error instanceof ToolFailure)) return error;
  const told = ending.kind === "output" ? ending.output : ending.failure;
  return failureWith(error, { ...(told.output === undefined ? {} : { output: told.output }), data: rehearsedOf(told.data) });
}

function rehearsedOf(data: Json | undefined): JsonObject {
  const { rehearsed } = (data ?? {}) as JsonObject;
  return rehearsed === undefined ? {} : { rehearsed };
}

function failureWith(failure: ToolFailure, changes: { readonly output?: string; readonly data: JsonObject }): ToolFailure {
  const { code, message, hint, details, output, data, truncated, unchanged } = failure;
  return new ToolFailure(code, message, {
    unchanged,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
    ...(output === undefined ? {} : { output }),
    ...(data === undefined ? {} : { data }),
    ...(truncated === undefined ? {} : { truncated }),
    ...changes,
    cause: failure,
  });
}

function leftBehind(memory: CallMemory): LeftBehind {
  const { state, env = {} } = memory.patch() ?? {};
  return { ...(state?.cwd === undefined ? {} : { cwd: state.cwd }), env };
}

function remember({ session }: RunContext, { cwd, env }: LeftBehind): void {
  if (cwd !== undefined) session.setCwd(cwd);
  if (Object.keys(env).length > 0) session.setEnv(changedEnv(session.env, env));
}

type WireEnding =
  | { readonly kind: "output"; readonly output: ToolOutput }
  | {
      readonly kind: "failure";
      readonly failure: Pick<ToolFailure, "code" | "message" | "hint" | "details" | "output" | "data" | "truncated">;
    };

function wireEnding(ending: Ending): Json {
  if (ending.kind === "output") return asJson(ending);
  const { code, message, hint, details, output, data, truncated } = ending.failure;
  return asJson({ kind: "failure", failure: { code, message, hint, details, output, data, truncated } });
}

function endingOf(wire: WireEnding): Ending {
  if (wire.kind === "output") return wire;
  const { code, message, ...options } = wire.failure;
  return { kind: "failure", failure: new ToolFailure(code, message, options as ConstructorParameters<typeof ToolFailure>[2]) };
}
