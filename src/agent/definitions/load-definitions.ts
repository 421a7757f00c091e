/** All agents there are: built-ins below the files of each place, the last of a name winning. A bad file is named and left out. */
import { builtinDefinitions } from "./builtin-definitions.ts";
import type { AgentDefinition, DefinitionProblem, FilePlace } from "./definition.ts";
import { type CheckRule, readDefinition } from "./read-definition.ts";
import { toolNameOf } from "./tool-list.ts";

export interface Definitions {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly DefinitionProblem[];
}

export function loadDefinitions(places: readonly FilePlace[], checkRule: CheckRule): Definitions {
  const byName = new Map(builtinDefinitions.map((agent) => [agent.name, agent]));
  const problems: DefinitionProblem[] = [];
  for (const { files, trusted } of places) {
    for (const file of files) {
      const reading = readDefinition(file, checkRule);
      if (!reading.ok) problems.push(reading.problem);
      else byName.set(reading.agent.name, trusted ? reading.agent : untrusted(reading.agent, byName.get(reading.agent.name)));
    }
  }
  return { agents: [...byName.values()], problems };
}

/** A project that nobody trusted chooses no model, and an agent that it puts in another's place has no wider tools. */
function untrusted({ model: _, ...agent }: AgentDefinition, replaced: AgentDefinition | undefined): AgentDefinition {
  if (replaced?.tools === undefined) return withDenied(agent, replaced);
  const bounds = replaced.tools;
  const tools = agent.tools === undefined ? bounds : agent.tools.filter((entry) => isWithin(entry, bounds));
  return withDenied({ ...agent, tools }, replaced);
}

function withDenied(agent: AgentDefinition, replaced: AgentDefinition | undefined): AgentDefinition {
  const without = [...(replaced?.withoutTools ?? []), ...(agent.withoutTools ?? [])];
  return without.length === 0 ? agent : { ...agent, withoutTools: without };
}

/** An entry is within a list that has the same entry, or the whole tool. */
function isWithin(entry: string, bounds: readonly string[]): boolean {
  return bounds.some((bound) => bound === entry || bound === toolNameOf(entry));
}
