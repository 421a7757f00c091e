/** A session inside the engine: its state, its ports, and which tools it may use this turn. */
import {
  type Catalog,
  type FileReader,
  type FileWriter,
  type Outputs,
  type PathFacts,
  type ReadPorts,
  type RunPorts,
  type SessionRecord,
  type SessionView,
  type Tool,
  ToolFailure,
  type Values,
} from "../contract/index.ts";
import { createCatalog, type ToolRegistry } from "../registry/index.ts";
import type { EngineDependencies, SessionPorts } from "./dependencies.ts";
import type { OpenSessionState } from "./session-state.ts";

const noValues: Pick<Values, "placeholders" | "substitute"> = { placeholders: () => [], substitute: async (input) => input };

export interface Toolkit {
  readonly agent: string;
  readonly tools: readonly string[];
}

export class Session {
  readonly open: OpenSessionState;
  readonly catalog: Catalog;
  readonly files: FileWriter;
  readonly #dependencies: EngineDependencies;
  readonly #toolkit: Toolkit | undefined;
  readonly #tools: ToolRegistry;
  readonly #ports: Omit<RunPorts, "files">;
  readonly #readPorts: ReadPorts;

  constructor(open: OpenSessionState, ports: Partial<SessionPorts>, dependencies: EngineDependencies, toolkit?: Toolkit) {
    this.open = open;
    this.#dependencies = dependencies;
    this.#toolkit = toolkit;
    this.#tools = toolkit ? dependencies.registry.filter(toolkit.tools) : dependencies.registry;
    this.files = dependencies.files(() => this.cwd);
    this.catalog = createCatalog(this.#tools, {
      threshold: dependencies.deferThreshold,
      activated: open.state.activated,
      onActivate: (activated) => {
        open.apply({ state: { activated } });
        void dependencies.store.patchSession(this.record.id, { state: { activated } });
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
    return { id: this.record.id, cwd, env, workspace: this.record.workspace, roots: this.roots, userHome: this.#dependencies.userHome };
  }

  /** The tool by name or alias; calling a deferred one by its exact name activates it. */
  lookUp(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool) {
      if (this.catalog.isDeferred(tool.name)) this.catalog.activateTool(tool.name);
      return tool;
    }
    if (this.#toolkit && this.#dependencies.registry.get(name)) {
      throw new ToolFailure("tool_not_found", `Tool '${name}' not available in ${this.#toolkit.agent}'s toolkit`, {
        hint: `Available: ${this.#tools.names().join(", ")}.`,
        details: { reason: "outside_toolkit" },
      });
    }
    const closest = this.#tools.closest(name, 3);
    throw new ToolFailure("tool_not_found", `There is no tool '${name}'.${closest.length > 0 ? ` Closest: ${closest.join(", ")}.` : ""}`, {
      hint: "Use ToolSearch to find tools by what they do.",
      details: { reason: "unknown_tool", closest },
    });
  }

  /** Secure variables as this session sees them. Where there is no vault nothing is a placeholder. */
  get values(): Pick<Values, "placeholders" | "substitute"> {
    return this.#ports.values ?? noValues;
  }

  /** What happened in the background and nobody was told yet. */
  notices(): readonly string[] {
    return this.#ports.tasks?.takeNotices() ?? [];
  }

  /** `onLook` hears of every path a plan asks about. */
  readPorts(onLook: (facts: PathFacts) => void): ReadPorts {
    const { files } = this.#readPorts;
    const resolve: FileReader["resolve"] = async (path) => {
      const facts = await files.resolve(path);
      onLook(facts);
      return facts;
    };
    return { ...this.#readPorts, files: { ...files, resolve } };
  }

  runPorts(files: FileWriter): RunPorts {
    return { ...this.#ports, files };
  }
}

/** Stored outputs of one session. */
function sessionOutputs(sessionId: string, { store }: EngineDependencies): Outputs {
  return { read: (ref, offset, limit) => store.readOutput(sessionId, ref, offset, limit) };
}

/** The same ports without anything that changes the world: a plan cannot write even if it tries. */
function readOnly(ports: Omit<RunPorts, "files">, files: FileWriter): ReadPorts {
  const { tasks, processes, changeSets, terminals, values, valueRequests, ...harmless } = ports;
  return {
    ...harmless,
    files: {
      resolve: (path) => files.resolve(path),
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
  };
}
