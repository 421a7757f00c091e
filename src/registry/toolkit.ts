/** A toolkit of C4: the tools an agent may use. Owns the list of names; refuses to run anything without an engine. */
import type { Result, Tool, ToolCard } from "../contract/index.ts";

/** The part of a registry that a toolkit needs. */
interface Tools {
  get(name: string): Tool | undefined;
  register(tool: Tool): () => void;
  list(): readonly ToolCard[];
  execute?(agent: string, name: string, params: unknown): Promise<Result>;
}

/**
 * A named subset of a registry's tools.
 *
 * @example
 * const kit = engine.registry.createToolkit("reader", ["Read", "Grep"]);
 * const session = await engine.openSession({ toolkit: kit });
 */
export class RegistryToolkit {
  readonly agent: string;
  readonly #registry: Tools;
  readonly #names = new Set<string>();

  constructor(agent: string, registry: Tools) {
    this.agent = agent;
    this.#registry = registry;
  }

  /** Canonical names, in the order they were added. */
  get tools(): readonly string[] {
    return [...this.#names];
  }

  /** Unknown names are ignored. */
  addNames(names: Iterable<string>): void {
    for (const name of names) {
      const tool = this.#registry.get(name);
      if (tool !== undefined) this.#names.add(tool.name);
    }
  }

  /** Adds a tool, and registers it if the registry does not have it yet. */
  add(tool: Tool): void {
    if (this.#registry.get(tool.name) !== tool) this.#registry.register(tool);
    this.#names.add(tool.name);
  }

  addAll(tools: Iterable<Tool>): void {
    for (const tool of tools) this.add(tool);
  }

  /** `undefined` if the toolkit does not have it. */
  get(name: string): Tool | undefined {
    const tool = this.#registry.get(name);
    return tool !== undefined && this.#names.has(tool.name) ? tool : undefined;
  }

  list(): readonly ToolCard[] {
    return this.#registry.list().filter(({ name }) => this.#names.has(name));
  }

  /** Calls a tool as the toolkit's agent; the engine decides, asks and records as for every call. */
  async execute(name: string, params: unknown): Promise<Result> {
    if (this.#registry.execute === undefined) throw new Error("This registry belongs to no engine: nothing can be executed.");
    return this.#registry.execute(this.agent, name, params);
  }
}
