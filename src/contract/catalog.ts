/** The catalogue as a model sees it: what is active, and how the rest is found (C7). */
import type { JsonSchema } from "./json.ts";

export interface ToolCard {
  readonly name: string;
  readonly description: string;
}

/** A tool as it is advertised to a model. */
export interface ToolSpec extends ToolCard {
  readonly aliases: readonly string[];
  readonly inputSchema: JsonSchema;
  readonly example?: unknown;
}

export interface Catalog {
  activeTools(): readonly ToolSpec[];
  /** Best first; activates nothing. */
  searchTools(query: string, limit?: number): readonly ToolCard[];
  /** False when there is no such tool. */
  activateTool(name: string): boolean;
  isDeferred(name: string): boolean;
  resetActivations(): void;
  /** Names of what was activated beside the core, in that order. */
  activatedNames(): readonly string[];
  /** False when everything registered is shown anyway. */
  readonly defers: boolean;
}
