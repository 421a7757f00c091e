/** What the engine is given by whoever wires it; the engine itself touches neither disk nor network. */
import type {
  AgentKit,
  Approve,
  FileReader,
  FileWriter,
  Hook,
  Images,
  Masker,
  PolicyInForce,
  RunPorts,
  SessionRecord,
  StandingAnswer,
  Store,
  ToolFailure,
} from "../contract/index.ts";
import type { ToolRegistry } from "../registry/index.ts";
import type { PathLocks } from "./path-locks.ts";

export interface EngineLimits {
  /** Time limit of a call whose tool names none. */
  readonly callTimeoutMs: number;
  /** How much of an output a model reads. */
  readonly maxOutputBytes: number;
  /** Calls of one batch that run at once. */
  readonly maxConcurrent: number;
  /** How long a pending approval can be answered. */
  readonly approvalTtlMs: number;
}

export const defaultLimits: EngineLimits = {
  callTimeoutMs: 600_000,
  maxOutputBytes: 256 * 1024,
  maxConcurrent: 10,
  approvalTtlMs: 7 * 24 * 3600 * 1000,
};

/** What the session needs besides the ports that are the same for everybody. */
interface SessionFacts {
  readonly record: SessionRecord;
}

/** Ports that belong to one session; the catalogue and the file ports are the engine's own. */
export type SessionPorts = Omit<RunPorts, "files" | "catalog" | "outputs">;

/** Who can be asked on behalf of a session. */
export interface Asker {
  /** Asks a person in this process. */
  readonly approve?: Approve;
  /** Answer of `approve` to everything: with `once` nothing is rehearsed, with `deny` nothing is asked about a rehearsal. */
  readonly standingAnswer?: StandingAnswer;
  /** Without `approve`: whether an ask waits as a record for an answer from elsewhere, or is a denial. */
  readonly asking: "record" | "nobody";
}

export interface EngineDependencies {
  readonly store: Store;
  /** Shared with whoever else writes files for this engine. */
  readonly locks: PathLocks;
  readonly registry: ToolRegistry;
  readonly deferThreshold: number;
  readonly userHome: string;
  edits(session: SessionRecord): "exact" | "whitespace";
  /** Makes a session's policy ready for `policy`, its parents' included. */
  holdPolicy(session: SessionRecord): Promise<void>;
  policy(session: SessionRecord): PolicyInForce;
  /** Toolkits that bound the session: its own first, then its parents'. */
  toolkits(session: SessionRecord): readonly AgentKit[];
  /** Why a tool of this name is not known, where somebody else was to name it; nothing if there is no such reason. */
  whyMissing?(tool: string): ToolFailure | undefined;
  /** Keeps the rules a person chose with "always", for this workspace. `offline`: what they allow gets no network. */
  rememberRules(workspace: string, rules: readonly string[], offline: boolean): Promise<void>;
  files(cwd: () => string, session: SessionRecord): FileWriter & FileReader;
  images: Images;
  /** The same ports for the same session, however often it is opened. */
  sessionPorts(facts: SessionFacts): Promise<Partial<SessionPorts>>;
  readonly masker: Masker;
  /** The same without shapes of tokens: for what must be run again as it is. */
  readonly valueMasker: Masker;
  readonly hooks: readonly Hook[];
  asker(session: SessionRecord): Asker;
  readonly limits: EngineLimits;
  /** False trades power-cut safety for speed; a kill of the process still loses nothing. */
  readonly durable: boolean;
  now(): number;
  newId(): string;
  log(message: string, cause?: unknown): void;
}
