/** The names of dialects for flags; the dialects themselves are loaded when a command needs them. */
import type { Dialect } from "../dialect/index.ts";

export const dialects = [
  "toolsxml",
  "tool_call",
  "anthropic_xml",
  "hermes",
  "qwen",
  "glm",
  "json",
  "anthropic",
  "openai",
  "auto",
] as const satisfies readonly Dialect[];
