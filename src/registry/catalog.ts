/**
 * Deferred loading: of many tools a model is shown the core and what it activated; the rest is found by searching.
 * Decides what is shown, never what is allowed. Activated tools follow the core in the order of their activation, so
 * that the beginning of the list, and a provider's cache of it, stays the same.
 */
import type { Catalog, Tool, ToolCard, ToolSpec } from "../contract/index.ts";
import { toolSpec } from "./input/input-schema.ts";
import type { ToolRegistry } from "./tool-registry.ts";

const defaultThreshold = 15;
const coreTools: readonly string[] = ["Bash", "Read", "Edit", "Write", "Glob", "Grep", "Agent", "ToolSearch"];
const defaultFound = 8;

export interface CatalogOptions {
  /** Up to so many tools everything is shown. */
  readonly threshold?: number;
  /** Always shown. */
  readonly core?: readonly string[];
  /** Names that the session has activated by now, in their order. */
  activated?(): readonly string[];
  /** All activated names, after each change. */
  onActivate?(activated: readonly string[]): void;
}

/** `current` answers the tools as they are now: they may come and go. */
export function createCatalog(current: () => ToolRegistry, options: CatalogOptions = {}): Catalog {
  const threshold = options.threshold ?? defaultThreshold;
  const core = new Set(options.core ?? coreTools);
  let own: readonly string[] = [];
  const activated = () => options.activated?.() ?? own;
  const defers = () => current().size > threshold;
  const shownAnyway = ({ name }: Tool) => core.has(name);
  const deferred = (tool: Tool) => defers() && !shownAnyway(tool) && !activated().includes(tool.name);
  const activate = (names: readonly string[]) => {
    own = names;
    options.onActivate?.(names);
  };
  return {
    get defers() {
      return defers();
    },
    activeTools(): readonly ToolSpec[] {
      const tools = current();
      if (!defers()) return tools.tools().map(toolSpec);
      const later = activated()
        .flatMap((name) => tools.get(name) ?? [])
        .filter((tool) => !shownAnyway(tool));
      return [...tools.tools().filter(shownAnyway), ...new Set(later)].map(toolSpec);
    },
    searchTools(query: string, limit = defaultFound): readonly ToolCard[] {
      return current()
        .search(query, limit)
        .map(({ name, description }) => ({ name, description }));
    },
    activateTool(name: string): boolean {
      const tool = current().get(name);
      if (tool === undefined) return false;
      if (deferred(tool)) activate([...activated(), tool.name]);
      return true;
    },
    isDeferred(name: string): boolean {
      const tool = current().get(name);
      return tool !== undefined && deferred(tool);
    },
    activatedNames: activated,
    resetActivations(): void {
      if (activated().length > 0) activate([]);
    },
  };
}
