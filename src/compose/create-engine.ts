/** The one place where everything is wired: what library users, the command and the servers call. */
import { randomUUID } from "node:crypto";
import { join, relative } from "node:path";
import type {
  ApprovalRecord,
  ApprovalReply,
  ApprovalStatus,
  Approve,
  CallRecord,
  Decision,
  GcReport,
  Hook,
  KaryiEvent,
  Mode,
  PolicyInForce,
  PolicyWorld,
  Result,
  SessionRecord,
  Store,
  TerminalState,
  Tool,
  ToolCard,
  ToolSpec,
  Traits,
} from "../contract/index.ts";
import { ToolFailure, traitsOf } from "../contract/index.ts";
import { type CallOptions, defaultLimits, Engine, type EngineDependencies, type Toolkit } from "../engine/index.ts";
import {
  canonical,
  commandHook,
  createBlobs,
  createFiles,
  createImages,
  createSandbox,
  defaultHome,
  endTerminal,
  isAlive,
  isDirectory,
  lookAtTerminal,
  type Places,
  ProcessRoom,
  resolvePlaces,
  type Sandbox,
  thisOwner,
} from "../host/index.ts";
import { explain } from "../policy/index.ts";
import { ToolRegistry, toolSpec } from "../registry/index.ts";
import { openStore } from "../store/index.ts";
import { mayBeSecret } from "../tools/shell/index.ts";
import { type AskValue, createMasker, type Vault, type VaultMasker } from "../vault/index.ts";
import { builtinTools } from "./builtin-tools.ts";
import type { Config } from "./config.ts";
import { type LoadedConfig, loadConfig, rememberRules } from "./config-layers.ts";
import { hidingPaths } from "./hidden-paths.ts";
import { makeDiff } from "./make-diff.ts";
import { openVault } from "./open-vault.ts";
import { refusalOf } from "./refuse-changes.ts";
import { SessionHandle } from "./session-handle.ts";
import { SessionPortsRoom, terminalSocket } from "./session-ports.ts";
import { unreadablePaths } from "./unreadable-paths.ts";

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
  /** Asks a person in this process. Without it an ask is a denial, unless `approvals` is `record`. */
  readonly approve?: Approve;
  /** `record`: an ask waits for an answer from anywhere, and the call is `suspended` meanwhile. */
  readonly approvals?: "record" | "nobody";
  /** Asks a person for a value with hidden input. Without it nobody can be asked for one. */
  readonly askValue?: AskValue;
  /**
   * Where the terminal of a session lives that no other process serves yet. `own` (the default): here, and it ends with
   * the engine. `kept`: in a small process of its own that stays, for an engine that ends after a call.
   */
  readonly terminal?: "own" | "kept";
  readonly hooks?: readonly Hook[];
  /** Settings above every file. */
  readonly config?: Config;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Defects and warnings. Default: nowhere. */
  readonly log?: (message: string, cause?: unknown) => void;
}

export interface LiveTerminal extends Partial<Pick<TerminalState, "state" | "waiting" | "program" | "cwd">> {
  readonly session: SessionRecord;
  /** Of the process that serves it. */
  readonly pid: number;
  /** By a process of its own. */
  readonly kept: boolean;
}

export interface OpenSessionOptions {
  /** The same id opens the same session again. Default: one per workspace. */
  readonly id?: string;
  readonly cwd?: string;
  readonly owner?: string;
  readonly channel?: string;
  readonly toolkit?: Toolkit;
}

/** How long an answer waits for the process that asked before the call goes on elsewhere. */
const handOverMs = 400;

export async function createEngine(options: EngineOptions = {}): Promise<KaryiEngine> {
  const env = options.env ?? process.env;
  const now = Date.now;
  const log = options.log ?? (() => {});
  const places = await resolvePlaces(options.workspace ?? process.cwd(), options.home ?? defaultHome(env));
  if (!(await isDirectory(places.workspace))) {
    throw new ToolFailure("invalid_tool_input", `The workspace ${places.workspace} is not a directory.`, {
      hint: "Create it first, or name another one.",
      details: { reason: "workspace_missing" },
    });
  }
  const flags: Config = { ...options.config, ...(options.mode === undefined ? {} : { mode: options.mode }) };
  const configPlaces = { home: places.home, workspace: places.workspace, env, flags };
  const config = await loadConfig(configPlaces, now);
  for (const warning of config.warnings) log(warning);

  const store = await openStore({ directory: places.home, owner: thisOwner(), isAlive, now, onDamage: log });
  try {
    const wiring = new Wiring(options, places, config, store, log);
    const engine = new Engine(wiring.dependencies());
    await wiring.start();
    await engine.recover();
    return new KaryiEngine(engine, store, places, wiring);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Keeps what can change while the engine lives: the rules that "always" adds. */
class Wiring {
  readonly registry: ToolRegistry;
  readonly blobs: ReturnType<typeof createBlobs>;
  readonly config: LoadedConfig;
  readonly #options: EngineOptions;
  readonly #places: Places;
  readonly #store: Store;
  readonly #log: (message: string, cause?: unknown) => void;
  readonly #always: string[] = [];
  readonly vault: Vault;
  readonly #masker: VaultMasker;
  readonly #sessions: SessionPortsRoom;
  readonly #processes: ProcessRoom;
  readonly #images: ReturnType<typeof createImages>;
  readonly #sandbox: Sandbox;
  #sandboxed = false;
  #world: PolicyWorld | undefined;

  constructor(options: EngineOptions, places: Places, config: LoadedConfig, store: Store, log: (message: string, cause?: unknown) => void) {
    this.#options = options;
    this.#places = places;
    this.config = config;
    const env = options.env ?? process.env;
    this.vault = openVault(places.home, env);
    this.#masker = createMasker(this.vault.secrets);
    this.#store = hidingPaths(store, this.#masker.valuesOnly, this.vault.secrets);
    this.#log = log;
    this.blobs = createBlobs(join(places.home, "blobs"), { fsync: config.effective.durable });
    this.#images = createImages(this.blobs, {
      fsync: config.effective.durable,
      sealing: {
        isNeeded: () => this.vault.secrets().length > 0,
        holdsSecret: (text) => this.#masker.valuesOnly.mask(text) !== text,
        keyFile: join(places.home, "images.key"),
      },
    });
    this.#sandbox = createSandbox({
      home: places.home,
      userHome: places.userHome,
      images: this.#images,
      journal: (callId, entries) => this.#store.appendJournal(callId, entries),
      // What is in a secret file is nothing to show to whoever hears of its change.
      makeDiff: (path, ...texts) => (mayBeSecret(relative(places.workspace, path)) ? undefined : makeDiff(path, ...texts)),
    });
    this.#processes = new ProcessRoom(env, {
      sandbox: this.#sandbox,
      capture: config.effective.capture,
      // Nobody is asked in auto, so what a command might send somewhere is not sent.
      network: config.effective.network ?? (config.effective.mode === "auto" ? "none" : "on"),
      demandNetwork: config.effective.network !== undefined && config.effective.network !== "on",
      // What it turns out to change is judged again: nobody can see through every program beforehand.
      refuse: (changes) => refusalOf(changes, this.#policy()),
      captureBackground: config.effective.mode === "auto",
      hides: (purpose) => unreadablePaths(this.#policy(), purpose),
      ...(config.effective.requiredTier === undefined ? {} : { require: config.effective.requiredTier }),
    });
    this.#sessions = new SessionPortsRoom({
      store,
      vault: this.vault,
      masker: this.#masker,
      sandbox: this.#sandbox,
      processes: this.#processes,
      home: places.home,
      env,
      foregroundBudgetMs: config.effective.foregroundBudgetMs,
      missingValue: config.effective.missingValue,
      terminal: options.terminal ?? "own",
      roots: (workspace) => this.world(workspace).roots,
      log,
      ...(options.askValue === undefined ? {} : { askValue: options.askValue }),
    });
    this.registry = new ToolRegistry();
    if (options.builtins !== false) for (const tool of builtinTools) this.registry.register(tool);
    for (const tool of options.tools ?? []) this.registry.register(tool);
  }

  dependencies(): EngineDependencies {
    const { effective } = this.config;
    const { userHome, home, workspace } = this.#places;

    const hooks = effective.hooks.map(({ event, match, command, timeoutMs }) =>
      commandHook({ event, command, timeoutMs: timeoutMs ?? 30_000, cwd: workspace, ...(match === undefined ? {} : { match }) }),
    );
    return {
      store: this.#store,
      registry: this.registry,
      deferThreshold: effective.deferThreshold,
      userHome,
      policy: (session) => ({ mode: effective.mode, rules: this.#rules(), world: this.world(session.workspace) }),
      rememberRules: async (target, rules) => {
        this.#always.push(...rules);
        await rememberRules(home, target, rules, Date.now);
      },
      files: (cwd) => createFiles({ cwd, fsync: effective.durable, userHome }),
      images: this.#images,
      sessionPorts: ({ record }) => this.#sessions.of(record),
      masker: this.#masker,
      valueMasker: this.#masker.valuesOnly,
      hooks: [...hooks, ...(this.#options.hooks ?? [])],
      ...(this.#options.approve === undefined ? {} : { approve: this.#options.approve }),
      asking: this.#options.approvals ?? "nobody",
      limits: {
        ...defaultLimits,
        callTimeoutMs: effective.callTimeoutMs,
        maxOutputBytes: effective.maxOutputBytes,
        approvalTtlMs: effective.approvalTtlMs,
      },
      durable: effective.durable,
      now: Date.now,
      newId: randomUUID,
      log: this.#log,
    };
  }

  /** Finishes or takes back what a killed process left half applied, and finds out what `auto` may rely on. */
  async start(): Promise<void> {
    await this.#sandbox.recoverChangeSets();
    // Values must be known before anything can leave; a vault that cannot be opened gives none out either.
    await this.vault.refresh().catch((error) => this.#log("No secure variables", error));
    const { mode, capture } = this.config.effective;
    if (mode === "auto" && capture !== "off") this.#sandboxed = ["E1", "E2", "E2u"].includes(await this.#sandbox.tier());
  }

  /** Background commands die with the engine. */
  async close(): Promise<void> {
    await this.#sessions.close();
    this.#processes.close();
  }

  forgetChangeSets(before: number, dryRun: boolean): number {
    return this.#sandbox.forget(before, dryRun);
  }

  #policy(): PolicyInForce {
    return { mode: this.config.effective.mode, rules: this.#rules(), world: this.world(this.#places.workspace) };
  }

  #rules() {
    const { rules } = this.config.effective;
    return this.#always.length === 0 ? rules : { ...rules, allow: [...rules.allow, ...this.#always] };
  }

  world(workspace: string): PolicyWorld {
    const { effective } = this.config;
    this.#world ??= {
      workspace,
      roots: [workspace, ...this.config.extraRoots],
      temporary: [],
      userHome: this.#places.userHome,
      karyiHome: this.#places.home,
      readableSystemPaths: effective.readableSystemPaths,
      allowedDomains: effective.allowedDomains,
      platform: process.platform === "win32" ? "win32" : "posix",
      caseInsensitive: process.platform === "win32" || process.platform === "darwin",
      sandboxed: this.#sandboxed,
    };
    return this.#world.workspace === workspace ? this.#world : { ...this.#world, workspace, roots: [workspace, ...this.config.extraRoots] };
  }
}

export interface GarbageReport extends GcReport {
  /** Kept dry runs. */
  readonly changeSets: number;
}

/** A running engine. */
export class KaryiEngine {
  readonly places: Places;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #wiring: Wiring;

  constructor(engine: Engine, store: Store, places: Places, wiring: Wiring) {
    this.#engine = engine;
    this.#store = store;
    this.places = places;
    this.#wiring = wiring;
  }

  get registry(): ToolRegistry {
    return this.#wiring.registry;
  }

  get config(): LoadedConfig {
    return this.#wiring.config;
  }

  async openSession(options: OpenSessionOptions = {}): Promise<SessionHandle> {
    const { workspace } = this.places;
    const cwd = options.cwd === undefined ? undefined : await canonical(options.cwd);
    const session = await this.#engine.openSession({
      key: { owner: options.owner ?? "local", channel: options.channel ?? "local", externalId: options.id ?? `workspace:${workspace}` },
      workspace,
      cwd: cwd ?? workspace,
      ...(options.toolkit === undefined ? {} : { toolkit: options.toolkit }),
    });
    if (cwd !== undefined && cwd !== session.cwd) {
      session.open.apply({ state: { cwd } });
      await this.#store.patchSession(session.record.id, { state: { cwd } });
    }
    return new SessionHandle(this.#engine, session);
  }

  listSessions(): Promise<readonly SessionRecord[]> {
    return this.#store.listSessions();
  }

  tools(): readonly ToolCard[] {
    return this.registry.list();
  }

  approvals(status?: ApprovalStatus): Promise<readonly ApprovalRecord[]> {
    return this.#store.listApprovals(status === undefined ? {} : { status });
  }

  /** First answer wins; `undefined` when it is not pending any more. */
  answer(approvalId: string, reply: ApprovalReply, answeredBy = "library"): Promise<ApprovalRecord | undefined> {
    return this.#engine.answer(approvalId, reply, answeredBy);
  }

  /** Continues a suspended call after its approval was answered. */
  resume(approvalId: string, options?: CallOptions): Promise<Result> {
    return this.#engine.resume(approvalId, options);
  }

  /** After an answer: a process that waited for it goes on; where none did, the call goes on here. */
  async finishAnswered(approval: ApprovalRecord): Promise<Result> {
    return (await this.#finishedElsewhere(approval.callId)) ?? this.resume(approval.id);
  }

  async #finishedElsewhere(callId: string): Promise<Result | undefined> {
    const deadline = AbortSignal.timeout(handOverMs);
    for (;;) {
      const changed = this.#store.changed(deadline);
      const record = await this.#store.call(callId);
      if (record?.result) return record.result;
      if (record?.ownerId === this.#store.owner.id || (deadline.aborted && record?.phase !== "running")) return undefined;
      await changed;
    }
  }

  /** A tool as it is advertised, with its traits and what of it can be previewed and undone. */
  describe(tool: Tool): ToolSpec & { readonly traits: Traits; readonly safetyLevel: 0 | 1 | 2 } {
    const traits = traitsOf(tool);
    return { ...toolSpec(tool), traits, safetyLevel: tool.plan ? 2 : 0 };
  }

  explainDecision(decision: Decision): string {
    return explain(decision);
  }

  call(id: string): Promise<CallRecord | undefined> {
    return this.#store.call(id);
  }

  /** Live events of this process. */
  onEvent(listener: (event: KaryiEvent) => void): () => void {
    return this.#engine.listen(listener);
  }

  /** Removes what is older than the configured retention, kept dry runs included. */
  async collectGarbage(request: { readonly olderThanDays?: number; readonly dryRun?: boolean } = {}): Promise<GarbageReport> {
    const { retentionDays, retentionOutputBytes } = this.config.effective;
    const days = request.olderThanDays ?? retentionDays;
    const dryRun = request.dryRun ?? false;
    const olderThan = Date.now() - days * 86_400_000;
    const changeSets = this.#wiring.forgetChangeSets(olderThan, dryRun);
    const report = await this.#store.gc({ olderThan, maxOutputBytes: retentionOutputBytes, dryRun });
    if (dryRun) return { ...report, changeSets };
    const freed = await this.#wiring.blobs.sweep(await this.#store.usedBlobs());
    return { ...report, changeSets, bytesFreed: report.bytesFreed + freed };
  }

  /** Secure variables: set, listed and removed by a person, used by name. */
  get vault(): Vault {
    return this.#wiring.vault;
  }

  /** Where the live terminal of a session can be attached to. */
  terminalSocket(sessionId: string): string {
    return terminalSocket(this.places.home, sessionId);
  }

  /** The live terminals of this home, whichever process serves them. */
  async terminals(): Promise<readonly LiveTerminal[]> {
    const found = await Promise.all(
      (await this.listSessions()).map(async (session) => ({ session, live: await lookAtTerminal(this.terminalSocket(session.id)) })),
    );
    return found.flatMap(({ session, live }) => (live ? [{ session, pid: live.pid, kept: live.kept, ...live.state }] : []));
  }

  /** Ends a session's terminal and everything in it; false where none was live. */
  endTerminal(sessionId: string): Promise<boolean> {
    return endTerminal(this.terminalSocket(sessionId));
  }

  verifyAudit(): ReturnType<Store["verifyAudit"]> {
    return this.#store.verifyAudit();
  }

  readAudit(after: number, limit: number): ReturnType<Store["readAudit"]> {
    return this.#store.readAudit(after, limit);
  }

  async close(): Promise<void> {
    this.#engine.close();
    await this.#wiring.close();
    await this.#store.close();
  }
}
