/** Names, aliases, deferred loading, tool search, and inputs that fit their schemas. */
export { createCatalog } from "./catalog.ts";
export { dataSchemaOf, inputSchemaOf, toolSpec } from "./input/input-schema.ts";
export { schemaProblem } from "./input/json-schema-check.ts";
export { parseInput, uncheckedParts } from "./input/parse-input.ts";
export { ToolRegistry } from "./tool-registry.ts";
