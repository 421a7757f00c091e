/** Wires the rooms of one engine together: store, vault, sandbox, processes, registry, policies. Owns what lives as long as the engine. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createAgentTool, createSkillTool, type SpawnRequest, type SubagentRoom } from "../agent/index.ts";
import {
  type EventDraft,
  hasLayer,
  type Images,
  isSecretPath,
  type KaryiEvent,
  type Masker,
  type SessionRecord,
  type Store,
  type Tool,
  ToolFailure,
  type ToolOutput,
} from "../contract/index.ts";
import { defaultLimits, type EngineDependencies, PathLocks } from "../engine/index.ts";
import {
  commandHook,
  createBlobs,
  createFiles,
  createImages,
  createSandbox,
  type Places,
  ProcessRoom,
  type Recovery,
  type Sandbox,
} from "../host/index.ts";
import type { McpClients } from "../mcp/client/index.ts";
import type { PluginShelf } from "../plugin/index.ts";
import { ToolRegistry } from "../registry/index.ts";
import { createMasker, type Vault, type VaultMasker } from "../vault/index.ts";
import { AgentFiles } from "./agent-files.ts";
import { builtinTools } from "./builtin-tools.ts";
import { changedWords, type LoadedConfig, loadConfig, rememberRules } from "./config-layers.ts";
import type { Config } from "./config-schema.ts";
import type { EngineOptions } from "./engine-options.ts";
import { proposeTool } from "./evolution.ts";
import { hidingPaths } from "./hidden-paths.ts";
import { changedScripts } from "./hook-scripts.ts";
import { makeDiff } from "./make-diff.ts";
import { configuredServers, wireServers } from "./mcp-servers.ts";
import { openVault } from "./open-vault.ts";
import { refusalOf } from "./refuse-changes.ts";
import { type RuleRefusal, refuseConfigRules, refuseSessionRules } from "./refuse-rules.ts";
import { imagesWithArtifacts } from "./session-artifacts.ts";
import { SessionPolicies } from "./session-policies.ts";
import { SessionPortsRoom } from "./session-ports.ts";
import { agentTasks } from "./subagents.ts";
import type { TerminalDrivers } from "./terminal-drivers.ts";
import { readablePaths, unreadablePaths } from "./unreadable-paths.ts";
import { askedBoth, waitForValue } from "./wait-for-value.ts";
import { WebRoom } from "./web-room.ts";

export interface WiringOptions {
  readonly options: EngineOptions;
  readonly places: Places;
  /** Of the engine's own workspace. */
  readonly config: LoadedConfig;
  readonly flags: Config;
  readonly store: Store;
  readonly plugins: PluginShelf;
  log(message: string, cause?: unknown): void;
}

/** Writes and publishes events; the engine's, known only after it is made. */
export interface EventWriter {
  append(sessionId: string, drafts: readonly EventDraft[]): Promise<readonly KaryiEvent[]>;
  publish(events: readonly KaryiEvent[]): void;
}

export class Wiring {
  readonly registry = new ToolRegistry();
  readonly blobs: ReturnType<typeof createBlobs>;
  readonly config: LoadedConfig;
  readonly vault: Vault;
  readonly policies: SessionPolicies;
  readonly store: Store;
  readonly agentFiles: AgentFiles;
  readonly #given: WiringOptions;
  readonly #masker: VaultMasker;
  readonly #sessions: SessionPortsRoom;
  readonly #processes: ProcessRoom;
  readonly #images: Images;
  readonly #sandbox: Sandbox;
  readonly #locks: PathLocks;
  readonly #configs = new Map<string, Promise<LoadedConfig>>();
  readonly #evolved = new Set<string>();
  #subagents: SubagentRoom | undefined;
  #writer: EventWriter | undefined;
  #clients: McpClients | undefined;
  /** Why servers could not be asked for their tools the last time. */
  readonly #unlearned = new Map<string, ToolFailure>();

  constructor(given: WiringOptions) {
    const { options, places, config, store, log } = given;
    this.#given = given;
    this.config = config;
    this.#configs.set(places.workspace, Promise.resolve(config));
    const env = options.env ?? process.env;
    this.vault = openVault(places.home, env);
    this.#masker = createMasker(this.vault.secrets);
    this.store = hidingPaths(store, this.#masker.valuesOnly, this.vault.secrets);
    this.blobs = createBlobs(join(places.home, "blobs"), { fsync: config.effective.durable });
    const fileImages = createImages(this.blobs, {
      fsync: config.effective.durable,
      sealing: {
        isNeeded: () => this.vault.secrets().length > 0,
        holdsSecret: (text) => this.#masker.valuesOnly.mask(text) !== text,
        keyFile: join(places.home, "images.key"),
      },
    });
    const publish = (events: readonly KaryiEvent[]) => this.#writer?.publish(events);
    this.#images = imagesWithArtifacts(fileImages, store, publish);
    this.#locks = new PathLocks(this.store, {
      timeoutMs: config.effective.lockTimeoutMs,
      onWait: options.onLockWait ?? (({ holder }) => log(`Waiting for ${holder.path}, which process ${holder.pid} holds`)),
      ...(options.onLockSteal === undefined ? {} : { onSteal: options.onLockSteal }),
    });
    this.#sandbox = createSandbox({
      locks: this.#locks,
      durable: config.effective.durable,
      home: places.home,
      userHome: places.userHome,
      images: this.#images,
      journal: (callId, entries) => this.store.appendJournal(callId, entries),
      // The content of a secret file is not shown to whoever hears of its change.
      makeDiff: (path, ...texts) => (isSecretPath(path) ? undefined : makeDiff(path, ...texts)),
    });
    this.policies = new SessionPolicies({
      store,
      userHome: places.userHome,
      karyiHome: places.home,
      forcedMode: given.flags.mode,
      people: options,
      config: (workspace) => this.configOf(workspace),
      refuseRules: (rules) => refuseSessionRules(rules, this.#ruleRefusal()),
      withholds: async () => config.effective.capture !== "off" && (await this.#sandbox.tier()) === "E0",
      sandboxed: async () => config.effective.capture !== "off" && hasLayer(await this.#sandbox.tier()),
    });
    this.#processes = new ProcessRoom(env, {
      sandbox: this.#sandbox,
      capture: config.effective.capture,
      ...(config.effective.maxLayerBytes === undefined ? {} : { maxLayerBytes: config.effective.maxLayerBytes }),
      ...(config.effective.requiredTier === undefined ? {} : { require: config.effective.requiredTier }),
    });
    const web = new WebRoom({
      home: places.home,
      env,
      config: (session) => this.policies.config(session).effective.web,
      policy: (session) => this.policies.inForce(session),
      masker: this.#masker.valuesOnly,
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    });
    this.#sessions = new SessionPortsRoom({
      store,
      vault: this.vault,
      masker: this.#masker,
      valueMasker: this.#masker.valuesOnly,
      append: async (sessionId, drafts) => {
        await this.#writer?.append(sessionId, drafts);
      },
      publish,
      web: (session, values) => web.of(session, values),
      sandbox: this.#sandbox,
      processes: (session) => this.#processesOf(session),
      home: places.home,
      env,
      terminal: options.terminal ?? "own",
      config: (session) => this.policies.config(session).effective,
      roots: (session) => this.policies.roots(session),
      unattended: (session) => this.policies.mode(session) === "auto",
      readable: (session) => readablePaths(this.policies.inForce(session)),
      askValue: (session) => {
        const here = this.policies.askValue(session);
        if (here) return askedBoth(here, waitForValue(session, store, this.vault, true));
        return options.waitForValues ? waitForValue(session, store, this.vault) : undefined;
      },
      log,
    });
    this.agentFiles = new AgentFiles({
      home: places.home,
      isTrusted: async (workspace) => (await this.configOf(workspace)).trustedByPerson,
      pluginFolders: (kind) => given.plugins.folders(kind),
    });
    if (options.builtins !== false) for (const tool of [...builtinTools, ...this.#agentTools()]) this.registry.register(tool);
    for (const tool of options.tools ?? []) this.registry.register(tool);
  }

  /** Tools of others: a name that is taken leaves out that one tool. */
  registerImported(tools: readonly Tool[]): void {
    for (const tool of tools) {
      try {
        this.registry.register(tool);
      } catch (error) {
        this.#given.log((error as Error).message);
      }
    }
  }

  /** The MCP servers of the workspace: their known tools are registered, none is started. */
  async registerServers(): Promise<void> {
    const { options, places, plugins, log } = this.#given;
    const servers = await configuredServers(places.workspace, this.config, await plugins.servers());
    const { home, workspace } = places;
    this.#clients = await wireServers(servers, {
      home,
      workspace,
      env: options.env ?? process.env,
      vault: this.vault,
      registry: this.registry,
      sandbox: this.#sandbox,
      log,
    });
  }

  get clients(): McpClients | undefined {
    return this.#clients;
  }

  /** A tool of a server that was never asked for its tools: the server is asked now. Searching asks all such servers. */
  async learnTools(name: string): Promise<void> {
    const clients = this.#clients;
    if (clients === undefined || this.registry.get(name)?.importedFrom !== undefined) return;
    const server = clients.serverOf(name);
    const isSearch = this.registry.get(name)?.name === "ToolSearch";
    const asked = isSearch ? clients.unknown() : server === undefined ? [] : [server];
    await Promise.all(asked.map((each) => this.#learn(clients, each)));
  }

  /** A server that cannot be asked fails the call of a tool of its own, and no other. */
  async #learn(clients: McpClients, server: string): Promise<void> {
    this.#unlearned.delete(server);
    try {
      await clients.learn(server);
    } catch (error) {
      this.#given.log((error as Error).message);
      if (error instanceof ToolFailure) this.#unlearned.set(server, error);
    }
  }

  #whyMissing(tool: string): ToolFailure | undefined {
    return this.#unlearned.get(this.#clients?.serverOf(tool) ?? "");
  }

  /** Tools that need more of the engine than ports. */
  #agentTools(): readonly Tool[] {
    const { places, options } = this.#given;
    return [
      createAgentTool((request) => this.#spawn(request)),
      createSkillTool({
        skills: async (workspace) => (await this.agentFiles.skills(workspace)).skills,
        fork: (call) => this.#spawn({ ...call, agent: "general", mode: "sync" }),
      }),
      proposeTool({
        home: places.home,
        env: options.env ?? process.env,
        isTaken: (name) => this.registry.get(name) !== undefined && !this.#evolved.has(name),
        holdsSecret: (text) => this.#masker.mask(text) !== text,
        topSession: async (id) => this.#topSession(id),
      }),
    ];
  }

  /** Sub-agents are made after everything that they need. */
  meetSubagents(room: SubagentRoom): void {
    this.#subagents = room;
    this.#sessions.meetAgents(agentTasks(room));
  }

  #spawn(request: SpawnRequest): Promise<ToolOutput> {
    if (this.#subagents) return this.#subagents.spawn(request);
    throw new ToolFailure("tool_disabled", "This engine runs no agents.", { details: { reason: "no_agents" } });
  }

  /** Approved proposals: a new version of one may have its name. */
  registerEvolved(tools: readonly Tool[]): void {
    for (const { name } of tools) if (this.registry.get(name) === undefined) this.#evolved.add(name);
    this.registerImported(tools);
  }

  async #topSession(id: string): Promise<string> {
    const parent = (await this.store.session(id))?.state.rights?.parent;
    return parent === undefined ? id : this.#topSession(parent);
  }

  get env(): Readonly<Record<string, string | undefined>> {
    return this.#given.options.env ?? process.env;
  }

  /** Defects and warnings. */
  get log(): (message: string, cause?: unknown) => void {
    return this.#given.log;
  }

  /** Hides what must not leave. */
  get masker(): Masker {
    return this.#masker;
  }

  /** What is kept of files; for whoever shows it. */
  get images(): Images {
    return this.#images;
  }

  /** Reads the config files again; sessions obey them from their next call on. */
  async reloadConfig(): Promise<LoadedConfig> {
    this.#configs.clear();
    await this.policies.reload();
    return this.configOf(this.#given.places.workspace);
  }

  /** A rule that does nothing would be believed in: it stops the engine, with the nearest right form. */
  refuseConfigRules(config: LoadedConfig): void {
    refuseConfigRules(config, this.#ruleRefusal());
  }

  #ruleRefusal(): RuleRefusal {
    const { options, log } = this.#given;
    return { tools: this.registry.tools().flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]), options, log };
  }

  /** The config of a workspace, read once while the engine lives. */
  configOf(workspace: string): Promise<LoadedConfig> {
    const { places, options, flags, log } = this.#given;
    const known = this.#configs.get(workspace);
    if (known) return known;
    const loading = loadConfig({ home: places.home, workspace, env: options.env ?? process.env, flags }, Date.now).then((config) => {
      for (const warning of config.warnings) log(warning);
      this.refuseConfigRules(config);
      return config;
    });
    this.#configs.set(workspace, loading);
    loading.catch(() => this.#configs.delete(workspace));
    return loading;
  }

  /** Processes under the policy of one session, as it is at each command. */
  #processesOf(session: SessionRecord): ProcessRoom {
    const { policies } = this;
    return this.#processes.under({
      session: session.id,
      get network() {
        return policies.network(session);
      },
      get demandNetwork() {
        return policies.demandsNetwork(session);
      },
      get captureBackground() {
        return policies.mode(session) === "auto";
      },
      get unasked() {
        return policies.mode(session) === "auto";
      },
      get visible() {
        return policies.config(session).effective.visible;
      },
      // The changes of a command are judged again, because nobody can see through every program beforehand.
      refuse: (changes) => refusalOf(changes, policies.inForce(session)),
      hides: (purpose) => unreadablePaths(policies.inForce(session), purpose),
    });
  }

  dependencies(): EngineDependencies {
    const { effective } = this.config;
    const { options, places, log } = this.#given;
    const { userHome, home, workspace } = places;
    const { layers, trustedScripts } = this.config;
    const ofProject = new Set(layers.project.hooks);
    const hooks = effective.hooks.map((hook) => {
      const { event, match, command, timeoutMs = 30_000 } = hook;
      const refusal = async () => {
        const changed = await changedScripts(workspace, command, trustedScripts);
        return changed.length === 0 ? undefined : changedWords(changed);
      };
      return commandHook({
        event,
        command,
        timeoutMs,
        cwd: workspace,
        ...(match === undefined ? {} : { match }),
        ...(ofProject.has(hook) ? { refusal } : {}),
      });
    });
    return {
      store: this.store,
      locks: this.#locks,
      registry: this.registry,
      deferThreshold: effective.deferThreshold,
      userHome,
      edits: (session) => this.policies.config(session).effective.edits,
      holdPolicy: (session) => this.policies.hold(session),
      policy: (session) => this.policies.inForce(session),
      toolkits: (session) => this.policies.toolkits(session),
      whyMissing: (tool) => this.#whyMissing(tool),
      asker: (session) => this.policies.asker(session),
      rememberRules: async (target, rules, offline) => {
        this.policies.addAlways(target, rules, offline);
        await rememberRules(home, target, rules, offline, Date.now);
      },
      files: (cwd, session) =>
        createFiles({
          cwd,
          fsync: effective.durable,
          userHome,
          own: this.#sandbox.temporaryOf(session.id, () => this.policies.roots(session)),
        }),
      images: this.#images,
      sessionPorts: ({ record }) => this.#sessions.of(record),
      masker: this.#masker,
      valueMasker: this.#masker.valuesOnly,
      hooks: [...hooks, ...(options.hooks ?? [])],
      limits: {
        ...defaultLimits,
        callTimeoutMs: effective.callTimeoutMs,
        maxOutputBytes: effective.maxOutputBytes,
        approvalTtlMs: effective.approvalTtlMs,
      },
      durable: effective.durable,
      now: Date.now,
      newId: randomUUID,
      log,
    };
  }

  /** Takes back what a killed process left half applied in the workspace and its further roots, or anywhere. */
  recover(everywhere: boolean): Promise<Recovery> {
    const { places } = this.#given;
    return this.#sandbox.recoverChangeSets(everywhere ? undefined : [places.workspace, ...this.config.extraRoots]);
  }

  /** Events go through `writer` from now on. */
  async start(writer: EventWriter): Promise<void> {
    this.#writer = writer;
    // Values must be known before anything can leave; a vault that cannot be opened gives none out either.
    await this.vault.refresh().catch((error) => this.#given.log("No secure variables", error));
  }

  /** Background commands die with the engine. */
  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#clients?.close()]);
    this.#processes.close();
  }

  /** Removes what one session left on this machine. */
  removeSession(session: string): void {
    this.#sandbox.removeSession(session);
  }

  /** What sessions left on this machine that are no more. */
  sweepSessions(sessions: readonly string[], dryRun: boolean): number {
    return this.#sandbox.sweepSessions(sessions, dryRun);
  }

  forgetChangeSets(before: number, dryRun: boolean, awaited: ReadonlySet<string>): number {
    return this.#sandbox.forget(before, dryRun, awaited);
  }

  tasks(session: SessionRecord): ReturnType<SessionPortsRoom["tasks"]> {
    return this.#sessions.tasks(session);
  }

  /** Who drives the terminals of this engine's sessions. */
  get drivers(): TerminalDrivers {
    return this.#sessions.drivers;
  }
}
