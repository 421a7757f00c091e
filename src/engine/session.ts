/** A session inside the engine: its state, its ports, and which tools it may use this turn. */
import {
  type AgentKit,
  type Catalog,
  type ChangeSets,
  defaultTraits,
  type Effect,
  type FileReader,
  type FileWriter,
  type Outputs,
  type PathFacts,
  type Plan,
  type PortName,
  type ReadPorts,
  type RunPorts,
  type SessionRecord,
  type SessionView,
  type Tool,
  ToolFailure,
  type Traits,
  traitsOf,
  type Values,
} from "../contract/index.ts";
import { createCatalog, type ToolRegistry } from "../registry/index.ts";
import type { EngineDependencies, SessionPorts } from "./dependencies.ts";
import type { OpenSessionState } from "./session-state.ts";

export const noValues: Pick<Values, "placeholders" | "substitute"> = { placeholders: () => [], substitute: async (input) => input };

export class Session {
  readonly open: OpenSessionState;
  readonly catalog: Catalog;
  readonly files: FileWriter;
  readonly #dependencies: EngineDependencies;
  readonly #tools: () => ToolRegistry;
  readonly #ports: Omit<RunPorts, "files">;
  readonly #readPorts: ReadPorts;

  constructor(open: OpenSessionState, ports: Partial<SessionPorts>, dependencies: EngineDependencies) {
    this.open = open;
    this.#dependencies = dependencies;
    this.#tools = toolsOf(dependencies, open.record);
    this.files = dependencies.files(() => this.cwd, open.record);
    this.catalog = createCatalog(this.#tools, {
      threshold: dependencies.deferThreshold,
      activated: () => open.state.activated,
      onActivate: (activated) => {
        open.apply({ state: { activated } });
        dependencies.store
          .patchSession(this.record.id, { state: { activated } })
          .catch((error: unknown) => dependencies.log("A tool is found for this process alone", error));
      },
    });
    const outputs = sessionOutputs(this.record.id, dependencies);
    this.#ports = {
      ...(ports as SessionPorts),
      catalog: this.catalog,
      outputs,
    };
    this.#readPorts = readOnly(this.#ports, this.files);
  }

  get record(): SessionRecord {
    return this.open.record;
  }

  get cwd(): string {
    return this.open.state.cwd;
  }

  get roots(): readonly string[] {
    return this.#dependencies.policy(this.record).world.roots;
  }

  view(): SessionView {
    const { cwd, env } = this.open.state;
    const { record, roots } = this;
    const { userHome } = this.#dependencies;
    return { id: record.id, cwd, env, workspace: record.workspace, roots, edits: this.#dependencies.edits(record), userHome };
  }

  /** The tool by name or alias; calling a deferred one by its exact name activates it. */
  lookUp(name: string): Tool {
    const tools = this.#tools();
    const tool = tools.get(name);
    if (tool) {
      if (this.catalog.isDeferred(tool.name)) this.catalog.activateTool(tool.name);
      return tool;
    }
    const there = this.#dependencies.registry.get(name);
    const kits = this.#dependencies.toolkits(this.record);
    const toolkit = there && (kits.find((kit) => kitTools(this.#dependencies.registry, kit).get(name) === undefined) ?? kits[0]);
    if (toolkit) {
      throw new ToolFailure("tool_not_found", `Tool '${name}' not available in ${toolkit.agent}'s toolkit`, {
        hint: `Available: ${tools.names().join(", ")}.`,
        details: { reason: "outside_toolkit" },
      });
    }
    const why = this.#dependencies.whyMissing?.(name);
    if (why !== undefined) throw why;
    const closest = tools.closest(name, 3);
    throw new ToolFailure("tool_not_found", `There is no tool '${name}'.${closest.length > 0 ? ` Closest: ${closest.join(", ")}.` : ""}`, {
      hint: "Use ToolSearch to find tools by what they do.",
      details: { reason: "unknown_tool", closest },
    });
  }

  /** How the tool is called in records, also if this session has no such tool. */
  nameOf(name: string): string {
    return this.#tools().get(name)?.name ?? name;
  }

  traitsOf(name: string): Traits {
    const tool = this.#tools().get(name);
    return tool === undefined ? defaultTraits : traitsOf(tool);
  }

  /** Secure variables as this session sees them. Where there is no vault nothing is a placeholder. */
  get values(): Pick<Values, "placeholders" | "substitute"> {
    return this.#ports.values ?? noValues;
  }

  /** Kept change sets. Only a call that was rehearsed has one, so where nothing can be rehearsed nobody asks. */
  get changeSets(): ChangeSets {
    return this.#ports.changeSets;
  }

  /** What happened in the background and nobody was told yet. */
  notices(): readonly string[] {
    const { notices = [] } = this.open.state;
    if (notices.length > 0) {
      this.open.apply({ state: { notices: [] } });
      void this.#dependencies.store.patchSession(this.record.id, { state: { notices: [] } });
    }
    return [...notices, ...(this.#ports.tasks?.takeNotices() ?? [])];
  }

  /** Ports that `tool` names in `needs`. `onLook` hears of every path a plan asks about. */
  readPorts(tool: Tool, onLook: (facts: PathFacts) => void): ReadPorts {
    const { files } = this.#readPorts;
    const resolve: FileReader["resolve"] = async (path) => {
      const facts = await files.resolve(path);
      onLook(facts);
      return facts;
    };
    return needed(tool, { ...this.#readPorts, files: { ...files, resolve } });
  }

  /**
   * Ports that `tool` names in `needs`. Commands and terminals are there only if the plan names what they run, values only
   * if the tool has a plan; `values` takes the tool from the running call and ignores the name that is passed.
   */
  runPorts(tool: Tool, plan: Plan, files: FileWriter): RunPorts {
    const { values } = this.#ports;
    const bound: Values = values && {
      ...values,
      substitute: (input, use, except) => values.substitute(input, { ...use, tool: tool.name }, except),
      reveal: (name, use) => values.reveal(name, { ...use, tool: tool.name }),
    };
    const withheld: readonly PortName[] = [
      ...(startsPrograms(plan) && tool.plan !== undefined ? [] : (["processes", "terminals"] as const)),
      ...(tool.plan === undefined ? (["values"] as const) : []),
    ];
    return needed(tool, { ...this.#ports, values: bound, files }, withheld);
  }
}

/** The tools of a session: those that its own toolkit and every parent's allow, made anew only if the registry moved. */
function toolsOf({ registry, toolkits }: EngineDependencies, record: SessionRecord): () => ToolRegistry {
  let made: { readonly version: number; readonly kits: readonly AgentKit[]; readonly tools: ToolRegistry } | undefined;
  return () => {
    const kits = toolkits(record);
    if (kits.length === 0) return registry;
    const isSame = made?.version === registry.version && made.kits.length === kits.length && made.kits.every((kit, at) => kit === kits[at]);
    if (made === undefined || !isSame) made = { version: registry.version, kits, tools: kits.reduce(kitTools, registry) };
    return made.tools;
  };
}

/** A name with `*` at its end stands for all that begin so. */
function kitTools(tools: ToolRegistry, { tools: named, without = [] }: AgentKit): ToolRegistry {
  if (named === undefined && without.length === 0) return tools;
  const all = tools.names();
  const expand = (names: readonly string[]) =>
    names.flatMap((name) => (name.endsWith("*") ? all.filter((one) => one.startsWith(name.slice(0, -1))) : [name]));
  const gone = new Set(expand(without).flatMap((name) => tools.get(name)?.name ?? []));
  return tools.filter(expand(named ?? all).filter((name) => !gone.has(tools.get(name)?.name ?? "")));
}

/** Only what `needs` names; a port that was not asked for is not there. */
function needed<Ports extends object>(tool: Tool, ports: Ports, withheld: readonly string[] = []): Ports {
  const names: readonly string[] = tool.needs ?? [];
  return Object.fromEntries(Object.entries(ports).filter(([name]) => names.includes(name) && !withheld.includes(name))) as Ports;
}

/** True if the plan shows a command, or names a program, code, or the terminal. */
function startsPrograms({ effects, preview }: Plan): boolean {
  const starts = (effect: Effect) =>
    effect.kind === "run" || effect.kind === "code" || (effect.kind === "state" && effect.area === "terminal");
  return preview?.type === "command" || effects.some(starts);
}

/** Stored outputs of one session. */
function sessionOutputs(sessionId: string, { store }: EngineDependencies): Outputs {
  return { read: (ref, offset, limit) => store.readOutput(sessionId, ref, offset, limit) };
}

/** The same ports without anything that changes the world: a plan cannot write even if it tries. */
function readOnly(ports: Omit<RunPorts, "files">, files: FileWriter): ReadPorts {
  const { tasks, processes, changeSets, terminals, values, valueRequests, artifacts, http: _http, webSearch, ...harmless } = ports;
  return {
    ...harmless,
    files: {
      resolve: (path, whose) => files.resolve(path, whose),
      stat: (path) => files.stat(path),
      open: (facts) => files.open(facts),
      readAll: (facts, maxBytes) => files.readAll(facts, maxBytes),
      list: (path) => files.list(path),
    },
    tasks: tasks && { list: () => tasks.list(), get: (id) => tasks.get(id) },
    processes: processes && { which: (program, env, cwd) => processes.which(program, env, cwd), tier: () => processes.tier() },
    changeSets: changeSets && { load: (id) => changeSets.load(id) },
    terminals: terminals && { peek: () => terminals.peek() },
    values: values && { list: () => values.list(), placeholders: (value) => values.placeholders(value) },
    valueRequests: valueRequests && { canAsk: () => valueRequests.canAsk() },
    http: {},
    webSearch: webSearch && { settings: () => webSearch.settings() },
    artifacts: artifacts && {
      list: () => artifacts.list(),
      read: (id, version) => artifacts.read(id, version),
      versions: (id) => artifacts.versions(id),
    },
  };
}
