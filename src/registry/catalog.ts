/**
 * Deferred loading: of many tools a model is shown the core and what it activated; the rest is found by searching.
 * Decides what is shown, never what is allowed. Activated tools follow the core in the order of their activation, so
 * that the beginning of the list, and a provider's cache of it, stays the same.
 */
import type { Catalog, Tool, ToolCard, ToolSpec } from "../contract/index.ts";
import { toolSpec } from "./input-schema.ts";
import type { ToolRegistry } from "./tool-registry.ts";

const defaultThreshold = 15;
const coreTools: readonly string[] = ["Bash", "Read", "Edit", "Write", "Glob", "Grep", "Agent", "ToolSearch"];
const defaultFound = 8;

export interface CatalogOptions {
  /** Up to so many tools everything is shown. */
  readonly threshold?: number;
  /** Always shown. */
  readonly core?: readonly string[];
  /** Names activated earlier in the session. */
  readonly activated?: Iterable<string>;
  /** All activated names, after each change. */
  onActivate?(activated: readonly string[]): void;
}

export function createCatalog(tools: ToolRegistry, options: CatalogOptions = {}): Catalog {
  const threshold = options.threshold ?? defaultThreshold;
  const core = new Set(options.core ?? coreTools);
  const activated = new Set(options.activated ?? []);
  const defers = () => tools.size > threshold;
  const shownAnyway = ({ name }: Tool) => core.has(name);
  const deferred = (tool: Tool) => defers() && !shownAnyway(tool) && !activated.has(tool.name);
  const changed = () => options.onActivate?.([...activated]);
  return {
    get defers() {
      return defers();
    },
    activeTools(): readonly ToolSpec[] {
      if (!defers()) return tools.tools().map(toolSpec);
      const later = [...activated].flatMap((name) => tools.get(name) ?? []).filter((tool) => !shownAnyway(tool));
      return [...tools.tools().filter(shownAnyway), ...new Set(later)].map(toolSpec);
    },
    searchTools(query: string, limit = defaultFound): readonly ToolCard[] {
      return tools.search(query, limit).map(({ name, description }) => ({ name, description }));
    },
    activateTool(name: string): boolean {
      const tool = tools.get(name);
      if (tool === undefined) return false;
      if (deferred(tool)) {
        activated.add(tool.name);
        changed();
      }
      return true;
    },
    isDeferred(name: string): boolean {
      const tool = tools.get(name);
      return tool !== undefined && deferred(tool);
    },
    resetActivations(): void {
      if (activated.size === 0) return;
      activated.clear();
      changed();
    },
  };
}
