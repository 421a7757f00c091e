/** What the gateway is given by whoever wires it; it opens no file, socket or database itself. */
import type {
  EventHead,
  JsonObject,
  KaryiEngine,
  KaryiEvent,
  Mode,
  MountedHandler,
  PathFacts,
  SessionHandle,
  SessionRecord,
} from "../contract/index.ts";
import type { BrowserSessionFiles } from "./auth/browser-sessions.ts";
import type { TokenEntry } from "./auth/scopes.ts";
import type { TokenFiles } from "./auth/token-book.ts";
import type { ValueDesk } from "./values.ts";
import type { WebhookFiles } from "./webhooks.ts";

/** What a list of sessions shows of each. */
export interface SessionFacts {
  readonly title: string;
  readonly isRunning: boolean;
  /** Its last run ended badly, or could not go on. */
  readonly hasFailed: boolean;
  readonly updatedAt: number;
  readonly agent?: string;
  readonly model?: string;
}

/** The first part of a text file. */
interface TextHead {
  readonly text: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
  readonly truncated: boolean;
  /** Writing the text again gives the same bytes. */
  readonly exact: boolean;
}

/** A live terminal that somebody watches. */
export interface WatchedTerminal {
  /** At the moment of joining. */
  readonly size?: { readonly rows: number; readonly columns: number };
  type(bytes: Uint8Array): void;
  resize(rows: number, columns: number): void;
  end(): void;
}

export interface RuleEntry {
  readonly id: string;
  readonly rule: string;
  readonly list: "allow" | "ask" | "deny";
  readonly origin: "home" | "project" | "always" | "environment" | "flags";
  /** It was chosen where the network was off: what it allows gets none. */
  readonly offline?: boolean;
  /** False for those of an untrusted project that do not hold. */
  readonly inForce: boolean;
}

interface ReplayedCall {
  readonly callId: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly summary: string;
  readonly before: string;
  readonly after: string;
  /** What a person said to it. */
  readonly answer?: string;
}

export interface RuleDesk {
  list(): Promise<readonly RuleEntry[]>;
  /** Throws a ToolFailure if the rule is not understood. */
  add(rule: string, list: RuleEntry["list"], origin: "home" | "always"): Promise<RuleEntry>;
  /** False if there is none. */
  remove(id: string): Promise<boolean>;
  /** How the latest calls of these sessions would be decided with one more rule. */
  replay(rule: string, list: RuleEntry["list"], sessions: readonly SessionRecord[], limit: number): Promise<readonly ReplayedCall[]>;
}

/** What the store and the config know beside the engine's own interface. */
export interface GatewayDesk {
  eventHeads(sessionIds: readonly string[]): Promise<ReadonlyMap<string, EventHead>>;
  readEvents(sessionId: string, after: number, limit: number): Promise<readonly KaryiEvent[]>;
  /** The page that ends before `before`, oldest first. */
  readEventsBefore(sessionId: string, before: number, limit: number): Promise<readonly KaryiEvent[]>;
  /** Sessions of one user, newest first. */
  sessionsOf(owner: string): Promise<readonly SessionRecord[]>;
  /** `undefined` if there is none. */
  sessionByKey(key: SessionRecord["key"]): Promise<SessionRecord | undefined>;
  session(id: string): Promise<SessionRecord | undefined>;
  /** Opens the session if it is not open yet. */
  handle(record: SessionRecord): Promise<SessionHandle>;
  modeOf(record: SessionRecord): Mode;
  /** Of sessions that name none. */
  readonly defaultMode: Mode;
  sessionFacts(sessionIds: readonly string[]): Promise<ReadonlyMap<string, SessionFacts>>;
  /** Agent and model of runs that name none. */
  setDefaults(
    session: SessionHandle,
    defaults: { readonly model?: string | undefined; readonly agent?: string | undefined },
  ): Promise<void>;
  /** Agent and model of the session's runs that name none. */
  defaultsOf(record: SessionRecord): Promise<{ readonly model?: string; readonly agent?: string }>;
  /** A workspace for one tour alone, the model that plays it, and the prompt that begins it. */
  demoTour(language: "en" | "zh"): Promise<{ readonly model: string; readonly workspace: string; readonly prompt: string }>;
  forkSession(source: SessionRecord, key: SessionRecord["key"]): Promise<SessionRecord>;
  /** With its terminal and everything it holds; refuses while a call is under way. */
  removeSession(record: SessionRecord): Promise<void>;
  /** What the session changed, by file. */
  changesOf(record: SessionRecord): Promise<readonly JsonObject[]>;
  /** What taking these calls back would do, by file. */
  undoPreview(record: SessionRecord, callIds: readonly string[]): Promise<readonly JsonObject[]>;
  /** Unified. */
  diff(name: string, before: string, after: string): string;
  readonly rules: RuleDesk;
  doctor(): Promise<readonly JsonObject[]>;
  audit(sessionId: string, kind: string, body: JsonObject): Promise<void>;
  /** How many rows the audit chain has. */
  auditRows(): Promise<number>;
  /** `undefined`: no terminal of the session is live. Output is masked. */
  watchTerminal(record: SessionRecord, on: { output(bytes: Uint8Array): void; closed(): void }): Promise<WatchedTerminal | undefined>;
  /** While a person drives, calls of the agent wait; `undefined`: given back. */
  setTerminalDriver(record: SessionRecord, person: string | undefined): void;
  /** Makes sure that `auto` is explained as it would be decided. */
  lookAtSandbox(): Promise<void>;
  /** Where a path leads, links followed; relative ones count from the workspace. */
  look(record: SessionRecord, path: string): Promise<PathFacts & { readonly isInside: boolean }>;
  /** The beginning of a text file that `look` found, never half a character. `undefined` if it is no text. */
  readText(facts: PathFacts, maxBytes: number): Promise<TextHead | undefined>;
  /** Text as it may leave: values of secure variables and shapes of tokens are hidden. */
  mask(text: string): string;
  /** The next command of the session begins there. */
  setCwd(record: SessionRecord, cwd: string): Promise<void>;
}

/** Files of the console, by path below its folder. */
export interface ConsoleFiles {
  read(path: string): Promise<{ readonly bytes: Uint8Array; readonly type: string; readonly immutable: boolean } | undefined>;
}

export interface GatewayLog {
  info(facts: JsonObject, message: string): void;
  warn(facts: JsonObject, message: string): void;
  error(facts: { readonly err: unknown; readonly request_id?: string; readonly path?: string }, message: string): void;
}

/** A request as a trace shows it; nothing of what was asked or answered. */
export interface RequestSpan {
  readonly name: string;
  readonly status: number;
  readonly seconds: number;
  readonly requestId: string;
}

interface GatewayLimits {
  readonly requestsPerMinute: number;
  readonly maxBodyBytes: number;
  /** A stream's reader that takes nothing for so long is dropped. */
  readonly stallMs: number;
}

export interface GatewayOptions {
  readonly engine: KaryiEngine;
  readonly desk: GatewayDesk;
  readonly host: string;
  /** Known when the server listens. */
  port(): number;
  /** Further names by which this server may be addressed. */
  readonly hostNames: readonly string[];
  readonly values: ValueDesk;
  readonly tokens: TokenFiles;
  readonly browserSessions: BrowserSessionFiles;
  /** Of this server alone. */
  readonly ownTokens: readonly TokenEntry[];
  readonly console: ConsoleFiles;
  /** Answers below `/mcp`; absent: not found. */
  readonly mcp?: MountedHandler;
  readonly limits: GatewayLimits;
  readonly enableShell: boolean;
  readonly version: string;
  readonly log: GatewayLog;
  readonly webhooks: {
    readonly files: WebhookFiles;
    /** Answers the status. */
    post(
      url: string,
      body: string,
      options: { readonly headers: Readonly<Record<string, string>>; readonly timeoutMs: number },
    ): Promise<number>;
    /** How long to wait before each further try. */
    readonly retriesMs: readonly number[];
  };
  /** Memory of this process. */
  residentBytes(): number;
  /** Told of every request that was answered, for traces. */
  onSpan?(span: RequestSpan): void;
  now(): number;
  newId(): string;
}
