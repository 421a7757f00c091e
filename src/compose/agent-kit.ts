/** From an agent's definition to the tools that its session has. */
import type { AgentDefinition } from "../agent/index.ts";
import type { AgentKit } from "../contract/index.ts";

const nameOf = (entry: string) => entry.split("(", 1)[0]?.trim() ?? entry;

/** `undefined` if the definition leaves everything as it is. */
export function kitOf({ name, tools, withoutTools, delegates }: AgentDefinition): AgentKit | undefined {
  if (tools === undefined && withoutTools === undefined) return undefined;
  // A tool that is also named bare is there for every call.
  const bare = new Set((tools ?? []).filter((entry) => !entry.includes("(")));
  const only = (tools ?? []).filter((entry) => entry.includes("(") && !bare.has(nameOf(entry)));
  return {
    agent: name,
    ...(tools === undefined ? {} : { tools: [...new Set(tools.map(nameOf))] }),
    ...(withoutTools === undefined ? {} : { without: withoutTools.map(nameOf) }),
    ...(only.length === 0 ? {} : { only }),
    ...(delegates ? { delegates } : {}),
  };
}
