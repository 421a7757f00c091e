/**
 * Which tags begin something, for each dialect. A dialect hears only its own; `auto` hears all of them.
 * Thoughts and results of tools are known everywhere, so that what stands in them is never taken for a call.
 */
import { tagPrefixes } from "../read/tag.ts";
import { toolsXmlTags } from "../read/tools-xml-tags.ts";
import type { TextDialect } from "../types.ts";

type Opener = "call" | "tools" | "invoke" | "function" | "thought" | "result";

export interface Hearing {
  readonly openers: ReadonlyMap<string, Opener>;
  /** All names of openers, the frequent ones first. */
  readonly names: readonly string[];
  /** Closing tags that are dropped after a call. */
  readonly closers: ReadonlySet<string>;
  readonly json: "calls" | "reply" | "none";
  /** Beginnings of every opener and closer, so that only these are held back. */
  readonly prefixes: ReadonlySet<string>;
}

const call: readonly [string, Opener][] = [
  ["tool_call", "call"],
  ["tool_calls", "call"],
  ["function_call", "call"],
];
const invoke: readonly [string, Opener][] = [
  ["invoke", "invoke"],
  ["function_calls", "call"],
];
/** MiniMax, Seed, LongCat, Nemotron and some clients wrap their calls in tags of their own. */
const ownTags: readonly [string, Opener][] = [
  ["minimax:tool_call", "call"],
  ["seed:tool_call", "call"],
  ["longcat_tool_call", "call"],
  ["toolcall", "call"],
  ["tool_use", "call"],
];
const functions: readonly [string, Opener][] = [["function", "function"]];
const tools: readonly [string, Opener][] = [["tools", "tools"]];

const opaque: readonly [string, Opener][] = [
  ["think", "thought"],
  ["thinking", "thought"],
  ["thought", "thought"],
  ["seed:think", "thought"],
  ["longcat_think", "thought"],
  ["tool_result", "result"],
  ["tool_results", "result"],
  ["tool_response", "result"],
  ["function_results", "result"],
  ["function_result", "result"],
];

const own: Readonly<Record<TextDialect, readonly (readonly [string, Opener])[]>> = {
  toolsxml: tools,
  tool_call: call,
  hermes: call,
  glm: call,
  qwen: [...call, ...functions],
  anthropic_xml: invoke,
  json: [],
  auto: [...call, ...functions, ...invoke, ...tools, ...ownTags],
};

function hearing(dialect: TextDialect): Hearing {
  const openers = new Map<string, Opener>([...own[dialect], ...opaque]);
  const closers = new Set(own[dialect].filter(([, kind]) => kind === "call" || kind === "tools").map(([name]) => name));
  const prefixes = new Set<string>([""]);
  const loose = dialect === "toolsxml" ? toolsXmlTags : [];
  for (const name of [...openers.keys(), ...closers, ...loose]) {
    for (const written of [name, ...tagPrefixes.map((prefix) => prefix + name)])
      for (let length = 1; length <= written.length; length += 1) prefixes.add(written.slice(0, length));
  }
  return {
    openers,
    names: [...openers.keys()],
    closers,
    json: dialect === "auto" || dialect === "json" ? "calls" : dialect === "toolsxml" ? "reply" : "none",
    prefixes,
  };
}

const cache = new Map<TextDialect, Hearing>();

export function hearingOf(dialect: TextDialect): Hearing {
  let found = cache.get(dialect);
  if (found === undefined) {
    found = hearing(dialect);
    cache.set(dialect, found);
  }
  return found;
}
