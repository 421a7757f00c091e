/** Tool names as models write them: which texts can be one, and which habits of prefixing are undone. */
import type { Repairs, SchemaLookup } from "./types.ts";

const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const namePattern = /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u;
const habits = ["functions.", "function.", "default_api.", "tools.", "tool."];

export function isToolName(name: string): boolean {
  return plainName.test(name) || namePattern.test(name);
}

/** `functions.Read` is Read where only Read exists. */
export function toolName(written: string, tools: SchemaLookup, repairs: Repairs): string {
  const name = written.trim();
  if (!name.includes(".")) return name;
  const habit = habits.find((prefix) => name.startsWith(prefix));
  if (habit === undefined || tools(name) !== undefined) return name;
  const bare = name.slice(habit.length);
  if (tools(bare) === undefined) return name;
  repairs.add("tool name");
  return bare;
}
