/** Names, aliases, deferred loading, tool search, and inputs that fit their schemas. */
export { createCatalog } from "./catalog.ts";
export { inputSchemaOf, toolSpec } from "./input-schema.ts";
export { parseInput } from "./parse-input.ts";
export { ToolRegistry } from "./tool-registry.ts";
