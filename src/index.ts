/** The public API of the package. */
export { createEngine, type EngineOptions, KaryiEngine, type OpenSessionOptions } from "./compose/create-engine.ts";
export type { SessionHandle } from "./compose/session-handle.ts";
export * from "./contract/index.ts";
export { ToolRegistry } from "./registry/index.ts";
