/**
 * The tools there are, by name and alias, in the order they were registered. Clashes are refused and nothing is replaced;
 * registering answers a disposer that removes the tool again. A view taken for a turn is frozen and stays true.
 * Knows nothing of sessions or permissions.
 */
import { distance } from "fastest-levenshtein";
import { type Result, schemaKindOf, type Tool, type ToolCard, type ToolRegistration } from "../contract/index.ts";
import { normalName } from "./input/input-problems.ts";
import { type Hit, ToolSearchIndex } from "./search/tool-search-index.ts";
import { RegistryToolkit } from "./toolkit.ts";

/** What fits into rules (`Name(…)`), dialects and function-calling APIs alike: no spaces, brackets, commas or quotes. */
const nameSyntax = /^[A-Za-z_][A-Za-z0-9_.:/-]{0,127}$/;
const near = 0.55;

export class ToolRegistry {
  readonly #tools: Tool[] = [];
  /** By name and alias. */
  readonly #byName = new Map<string, Tool>();
  /** By name and alias in lower case; `null` where two tools differ only in case. */
  readonly #byLowerCase = new Map<string, Tool | null>();
  readonly #toolkits = new Map<string, RegistryToolkit>();
  readonly #frozen: boolean;
  /** Set by the engine that owns the registry; toolkits execute through it. */
  execute?: (agent: string, name: string, params: unknown) => Promise<Result>;
  #search: GrowingIndex;
  #view: ToolRegistry | undefined;
  #cards: readonly ToolCard[] | undefined;
  #version = 0;

  constructor(tools: Iterable<Tool> = []) {
    const source = tools instanceof Snapshot ? tools : undefined;
    this.#search = source?.search ?? new GrowingIndex();
    for (const tool of source?.tools ?? tools) this.#insert(tool);
    this.#frozen = source !== undefined;
  }

  get size(): number {
    return this.#tools.length;
  }

  /** Moves with every tool that is added or removed. */
  get version(): number {
    return this.#version;
  }

  /**
   * Adds a tool; a name or alias that is taken is refused.
   *
   * @example
   * const remove = registry.register(weather);
   * remove();
   */
  register(tool: Tool): ToolRegistration {
    if (this.#frozen) throw new Error(`Tool '${tool.name}' cannot be registered in a view: the view is frozen.`);
    this.#insert(tool);
    this.#moved();
    return () => this.#remove(tool);
  }

  /** A named subset for an agent; names that do not exist are ignored. A second one of the same agent replaces the first. */
  createToolkit(agent: string, names: Iterable<string>): RegistryToolkit {
    const toolkit = new RegistryToolkit(agent, this);
    toolkit.addNames(names);
    this.#toolkits.set(agent, toolkit);
    return toolkit;
  }

  /** `undefined` if the agent has none. */
  getToolkit(agent: string): RegistryToolkit | undefined {
    return this.#toolkits.get(agent);
  }

  /** By exact name or alias, else by the only one that differs in case. */
  get(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.#byLowerCase.get(name.toLowerCase()) ?? undefined;
  }

  names(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  /** The same object until a tool is added or removed. */
  list(): readonly ToolCard[] {
    this.#cards ??= this.#tools.map(({ name, description }) => ({ name, description }));
    return this.#cards;
  }

  tools(): readonly Tool[] {
    return [...this.#tools];
  }

  /** A registry of its own with the named tools; names that do not exist are ignored. */
  filter(names: Iterable<string>): ToolRegistry {
    const wanted = new Set<Tool>();
    for (const name of names) {
      const tool = this.get(name);
      if (tool !== undefined) wanted.add(tool);
    }
    return new ToolRegistry(this.#tools.filter((tool) => wanted.has(tool)));
  }

  /** What is registered now, frozen; the same object until something is added. */
  view(): ToolRegistry {
    if (this.#frozen) return this;
    this.#view ??= new ToolRegistry(new Snapshot([...this.#tools], this.#search));
    return this.#view;
  }

  /** Best first; a tool's exact name comes before everything. `select:A,B` asks for tools by name. */
  search(query: string, limit: number): readonly Tool[] {
    const named = query
      .replace(/^\s*select:/i, "")
      .split(/[\s,]+/)
      .slice(0, 20)
      .flatMap((word) => this.#byName.get(word) ?? []);
    if (/^\s*select:/i.test(query) && named.length > 0) return [...new Set(named)].slice(0, limit);
    const exact = this.#byName.get(query.trim());
    const found = this.#hits(query, limit).map(({ tool }) => tool);
    return [...new Set([...(exact === undefined ? [] : [exact]), ...found])].slice(0, limit);
  }

  /** Names that were probably meant: written alike, or about the same thing (`run_terminal_cmd` is about the shell). */
  closest(name: string, count: number): readonly string[] {
    const asked = normalName(name.slice(0, 128));
    const scores = new Map<Tool, number>();
    for (const tool of this.#tools) {
      const alike = Math.max(...[tool.name, ...(tool.aliases ?? [])].map((other) => likeness(asked, normalName(other))));
      if (alike >= near) scores.set(tool, alike);
    }
    const hits = this.#hits(name, count + 5);
    const best = hits[0]?.score ?? 1;
    for (const { tool, score } of hits) {
      const alike = scores.get(tool) ?? 0;
      const meant = (0.85 * score) / best;
      scores.set(tool, Math.max(alike, meant) + 0.2 * Math.min(alike, meant));
    }
    return [...scores]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([tool]) => tool.name);
  }

  #moved(): void {
    this.#view = undefined;
    this.#cards = undefined;
    this.#version += 1;
  }

  #remove(tool: Tool): void {
    const place = this.#tools.indexOf(tool);
    if (place < 0) return;
    this.#tools.splice(place, 1);
    for (const [name, owner] of this.#byName) if (owner === tool) this.#byName.delete(name);
    this.#byLowerCase.clear();
    for (const [name, owner] of this.#byName) this.#noteLowerCase(name, owner);
    // Views of earlier turns keep the index that knows the tool.
    this.#search = new GrowingIndex();
    this.#moved();
  }

  #noteLowerCase(name: string, tool: Tool): void {
    const lower = name.toLowerCase();
    const other = this.#byLowerCase.get(lower);
    this.#byLowerCase.set(lower, other === undefined || other === tool ? tool : null);
  }

  #hits(query: string, limit: number): readonly Hit[] {
    return this.#search.upTo(this.#tools).search(query, limit, this.#tools.length);
  }

  #insert(tool: Tool): void {
    schemaKindOf(tool.input, `Tool '${tool.name}'`);
    const names = [tool.name, ...(tool.aliases ?? [])];
    for (const name of names) {
      if (!nameSyntax.test(name))
        throw new Error(`Tool name '${name}' is not valid: letters, digits and _ . : / - only, at most 128, a letter first.`);
      const owner = this.#byName.get(name);
      if (owner !== undefined)
        throw new Error(`Tool '${tool.name}' cannot be registered: the name '${name}' already belongs to the tool '${owner.name}'.`);
    }
    if (new Set(names).size < names.length) throw new Error(`Tool '${tool.name}' cannot be registered: it has the same name twice.`);
    for (const name of names) {
      this.#byName.set(name, tool);
      this.#noteLowerCase(name, tool);
    }
    this.#tools.push(tool);
  }
}

class Snapshot {
  readonly tools: readonly Tool[];
  readonly search: GrowingIndex;

  constructor(tools: readonly Tool[], search: GrowingIndex) {
    this.tools = tools;
    this.search = search;
  }

  [Symbol.iterator](): Iterator<Tool> {
    return this.tools[Symbol.iterator]();
  }
}

/** One index for a registry and all its views: views are beginnings of its list, so it only ever grows. */
class GrowingIndex {
  #index: ToolSearchIndex | undefined;

  upTo(tools: readonly Tool[]): ToolSearchIndex {
    this.#index ??= new ToolSearchIndex();
    for (const tool of tools.slice(this.#index.size)) this.#index.add(tool);
    return this.#index;
  }
}

function likeness(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 0;
  const whole = 1 - distance(a, b) / longer;
  const shorter = Math.min(a.length, b.length);
  const contained = shorter >= 4 && (a.includes(b) || b.includes(a));
  return contained ? Math.max(whole, 0.6 + (0.3 * shorter) / longer) : whole;
}
