/** A session as its users hold it: the library, the command, the gateway, MCP and agents. The engine implements it. */

import type { Approve, StandingAnswer } from "./approval.ts";
import type { Artifacts } from "./artifacts.ts";
import type { Call } from "./call.ts";
import type { Catalog } from "./catalog.ts";
import type { EventDraft, KaryiEvent } from "./event.ts";
import type { ForeignBeginning, ForeignCall, ForeignOptions, ForeignOutcome } from "./foreign.ts";
import type { Json, JsonSchema } from "./json.ts";
import type { Plan } from "./plan.ts";
import type { Decision, Mode, Rules } from "./policy.ts";
import type { Result } from "./result.ts";
import type { RunOutcome, RunRequest, Subagents } from "./run.ts";
import type { NetworkAccess } from "./sandbox.ts";
import type { SessionRecord } from "./session.ts";
import type { CallRecord } from "./store.ts";
import type { Tasks } from "./tasks.ts";
import type { AskValue } from "./values.ts";

/** A named subset of the tools, bound to an agent. */
export interface Toolkit {
  readonly agent: string;
  readonly tools: readonly string[];
}

/**
 * How a session is opened. Everything but the key is the policy of this session; a child's rights are the
 * intersection with its parent's.
 *
 * @example
 * const session = await engine.openSession({ id: "review", mode: "plan" });
 */
export interface OpenSessionOptions {
  /** The same id opens the same session again. Default: one per workspace. */
  readonly id?: string;
  readonly cwd?: string;
  readonly owner?: string;
  readonly channel?: string;
  /** Default: the engine's. */
  readonly workspace?: string;
  readonly mode?: Mode;
  /** Added to the rules of the config. */
  readonly rules?: Partial<Rules>;
  /** Further directories that count as the workspace. */
  readonly roots?: readonly string[];
  readonly network?: NetworkAccess;
  /** A toolkit, or the name of an agent that has one in the registry. */
  readonly toolkit?: Toolkit | string;
  /** Asks a person of this session. Default: the engine's. */
  readonly approve?: Approve | StandingAnswer;
  /** If nobody can be asked here: `record` suspends the call until somebody answers, `nobody` denies it. */
  readonly approvals?: "record" | "nobody";
  readonly askValue?: AskValue;
  /** The session whose rights bound this one's. */
  readonly parent?: SessionHandle;
  /** True if `workspace` is a worktree that the engine made: the parent's policy is judged as if it were the parent's workspace. */
  readonly worktree?: true;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly dryRun?: boolean;
  /** With `dryRun` of a command: keep what it would change, to be committed later. */
  readonly keep?: boolean;
  readonly onProgress?: (text: string) => void;
  /** Wait for an approval instead of returning `suspended`. */
  readonly wait?: boolean;
  /** Runs only what is allowed without a question. Anything else is not begun, and leaves no trace; it can be begun again. */
  readonly ifAllowed?: boolean;
  /** The call's id was made a moment ago: nobody else can know it, so nobody is asked whether it ran. */
  readonly fresh?: boolean;
}

/** Names of a call: `callId` makes it idempotent; `providerId` only goes back in its result. */
export interface CallIds {
  readonly callId?: string;
  readonly providerId?: string;
}

/** A call without an id gets one; with an id it is idempotent. */
export type CallRequest = Omit<Call, "id"> & { readonly id?: string };

export type UndoTarget =
  | { readonly callId: string }
  | { readonly callIds: readonly string[] }
  | { readonly last: number }
  | { readonly messageId: string };

export interface UndoOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** Ends an undo that waits or looks. One that has begun to restore is finished: half an undo helps nobody. */
  readonly signal?: AbortSignal;
}

/** A tool in the neutral form for other libraries (M4). */
export interface SessionTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** True if the policy would ask about this call, before it or after a rehearsal. */
  needsApproval(input: Json): Promise<boolean>;
  call(input: Json, options?: CallOptions & CallIds): Promise<Result>;
}

/**
 * An open session. Every handle of one id sees the same directory, environment, files read and order.
 *
 * @example
 * const result = await session.call("Read", { file_path: "README.md" });
 * if (result.status === "ok") console.log(result.output);
 */
export interface SessionHandle {
  readonly id: string;
  readonly record: SessionRecord;
  readonly workspace: string;
  readonly cwd: string;
  readonly mode: Mode;
  /** Catalogue of the tools that a model sees now, and how the rest is found. */
  readonly catalog: Catalog;
  readonly tasks: Tasks;
  readonly agents: Subagents;
  /** Texts of the session with their versions; they are changed by calls. */
  readonly artifacts: Pick<Artifacts, "list" | "read" | "versions">;
  /**
   * Calls a tool. A failure is a `Result` with `error`, never an exception; the same `callId` again answers what the first call did.
   *
   * @example
   * const result = await session.call("Bash", { command: "npm test" }, { onProgress: (text) => process.stdout.write(text) });
   * console.log(result.status, result.data);
   */
  call(name: string, input: unknown, options?: CallOptions & CallIds): Promise<Result>;
  /** A call as a decoder hands it over. */
  begin(call: CallRequest, options?: CallOptions): Promise<Result>;
  /** Results in call order, whatever finished first. */
  callAll(calls: readonly CallRequest[], options?: CallOptions): Promise<Result[]>;
  /**
   * Takes back one call, the last n, or all calls of a message. Without a target: the last call that changed something.
   * Refuses if a file changed since, unless `force` is set. An undo is itself a call that can be undone.
   *
   * @example
   * await session.undo();
   * await session.undo({ last: 3 }, { dryRun: true });
   */
  undo(target?: string | UndoTarget, options?: UndoOptions): Promise<Result>;
  /** Newest first. */
  history(limit?: number): Promise<readonly CallRecord[]>;
  /** What would happen to a call and why, in the session's mode or another one; runs nothing. */
  explain(name: string, input: unknown, mode?: Mode): Promise<{ readonly tool: string; readonly decision: Decision; readonly plan: Plan }>;
  /**
   * Events after `after`, then as they come, from any process, until the signal aborts.
   *
   * @example
   * for await (const event of session.events(0, AbortSignal.timeout(60_000))) {
   *   if (event.type === "permission_request") console.log(event.body.tool, event.body.reason);
   * }
   */
  events(after?: number, signal?: AbortSignal): AsyncGenerator<KaryiEvent>;
  /** Events that are there already, at most `limit`. */
  readEvents(after: number, limit: number): Promise<readonly KaryiEvent[]>;
  /** Appends to the stream; for agents and fronts. The one writer masks, numbers and publishes. */
  append(drafts: readonly EventDraft[]): Promise<readonly KaryiEvent[]>;
  /** Holds from the next call on; a child never gets more than its parent has. */
  setMode(mode: Mode): Promise<void>;
  /** Judges a call that another agent is about to make with a tool of its own, and keeps images of what it changes (M4). */
  beginForeign(call: ForeignCall, options?: ForeignOptions): Promise<ForeignBeginning>;
  /** Writes down what became of it; from then on it can be undone. */
  settleForeign(call: ForeignCall, journal: ForeignBeginning["journal"], outcome: ForeignOutcome): Promise<Result>;
  /** Keeps a text under a reference, to be read in pages with ReadOutput. */
  keepOutput(text: string): Promise<string>;
  /**
   * Every tool of the session in a neutral form, for libraries that have no adapter here.
   *
   * @example
   * const described = session.tools().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
   */
  tools(): readonly SessionTool[];
  /**
   * Runs an agent on the session's conversation. Yields the events of the run; the generator's return value is how it ended.
   *
   * @example
   * for await (const event of session.run("Fix the failing test", { model: "anthropic/claude-sonnet-4-5", maxRounds: 20 })) {
   *   if (event.type === "text_delta") process.stdout.write(event.body.text);
   * }
   */
  run(prompt: string | RunRequest, options?: Omit<RunRequest, "prompt">): AsyncGenerator<KaryiEvent, RunOutcome>;
}
