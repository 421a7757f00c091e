/** Names and ids that every provider takes: letters, digits, `_` and `-`. */
import type { ToolSpec } from "../../contract/index.ts";

const maxName = 64;

/** The name of a tool on the wire. `PLUGIN:tool` becomes `PLUGIN_tool`. */
export function wireName(name: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxName);
  return plain === "" ? "unknown" : plain;
}

/** Karyi's name of a tool that a model wrote as it knows it. */
export function nameBehind(written: string, tools: readonly ToolSpec[]): string {
  if (tools.some(({ name }) => name === written)) return written;
  return tools.find(({ name }) => wireName(name) === written)?.name ?? written;
}

/** Ids of calls as they go back: the provider's own, but never one twice in a conversation. */
export class WireIds {
  readonly #used = new Set<string>();

  next(providerId: string): string {
    const plain = wireName(providerId);
    let id = plain;
    for (let count = 2; this.#used.has(id); count++) id = `${plain.slice(0, maxName - 8)}_${count}`;
    this.#used.add(id);
    return id;
  }
}
