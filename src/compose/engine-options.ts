/** What `createEngine` takes. */
import type { Approve, AskValue, Hook, LockHolder, LockWait, Mode, StandingAnswer, Tool } from "../contract/index.ts";
import type { Lookup } from "../host/index.ts";
import type { Config } from "./config-schema.ts";

/**
 * Options of an engine; all of them have defaults.
 *
 * @example
 * const engine = await createEngine({ workspace: ".", approve: async (card) => (card.tool === "Write" ? "once" : "deny") });
 */
export interface EngineOptions {
  /** The directory that tools work in. Default: the current one. */
  readonly workspace?: string;
  /** Where Karyi keeps its state. Default: `~/.karyi`. */
  readonly home?: string;
  /** Further tools, beside the built-in ones. */
  readonly tools?: readonly Tool[];
  /** False: only `tools`. */
  readonly builtins?: boolean;
  readonly mode?: Mode;
  /** Asks a person in this process, or answers everything the same. Without it an ask is a denial, unless `approvals` is `record`. */
  readonly approve?: Approve | StandingAnswer;
  /** `record`: an ask waits for an answer from anywhere, and the call is `suspended` meanwhile. */
  readonly approvals?: "record" | "nobody";
  /** Asks a person for a value with hidden input. Without it nobody can be asked for one. */
  readonly askValue?: AskValue;
  /** A value that nobody here can be asked for is waited for: `karyi var set NAME` in any process gives it. */
  readonly waitForValues?: boolean;
  /**
   * Home of a session's terminal that no other process serves yet. `own` (the default): here, and it ends with
   * the engine. `kept`: in a small process of its own that stays, for an engine that ends after a call.
   */
  readonly terminal?: "own" | "kept";
  readonly hooks?: readonly Hook[];
  /** Resolves host names for the web tools. Default: the system. */
  readonly lookup?: Lookup;
  /** Settings above every file. */
  readonly config?: Config;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A rule about a tool that does not exist: `error` (the default) refuses to start, `warn` says so. The command warns. */
  readonly unknownTools?: "error" | "warn";
  /** Told of a call that waits for a file which another call is writing. Default: `log`. */
  readonly onLockWait?: (wait: LockWait) => void;
  /** Given: the locks of a stopped process are taken from it, and this is told whose. */
  readonly onLockSteal?: (from: LockHolder) => void;
  /** Defects and warnings. Default: nowhere. */
  readonly log?: (message: string, cause?: unknown) => void;
}
