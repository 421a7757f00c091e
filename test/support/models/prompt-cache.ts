/** The prompt cache of the Anthropic API: a request reads the longest marked beginning that an earlier one wrote. */
import type { Body } from "./server.ts";

export interface CachedTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

type Block = Record<string, unknown>;

export class PromptCache {
  readonly #known = new Set<string>();

  /** Tokens of a request, about four characters each; what it marks is written. */
  count(body: Body): CachedTokens {
    const blocks = blocksOf(body);
    const marks = blocks.flatMap((block, at) => (block.cache_control === undefined ? [] : [at]));
    const beginning = (at: number) => textOf(blocks.slice(0, at + 1));
    const hit = marks.findLast((at) => this.#known.has(beginning(at)));
    const last = marks.at(-1);
    const read = hit === undefined ? 0 : tokensOf(beginning(hit));
    const written = last === undefined ? 0 : tokensOf(beginning(last)) - read;
    for (const at of marks) this.#known.add(beginning(at));
    return { input: tokensOf(textOf(blocks)) - read - written, cacheRead: read, cacheWrite: written };
  }
}

/** Tokens of what is the same in every request of a conversation: tools and system prompt. */
export function fixedTokens({ tools, system }: Body): number {
  return tokensOf(textOf(blocksOf({ tools, system, messages: [] })));
}

function blocksOf({ tools = [], system, messages }: Body): Block[] {
  const content = (of: unknown): Block[] => (typeof of === "string" ? [{ type: "text", text: of }] : ((of ?? []) as Block[]));
  const said = (messages as { role: string; content: unknown }[]).flatMap((message) =>
    content(message.content).map((block) => ({ role: message.role, ...block })),
  );
  return [...tools, ...content(system), ...said];
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map(({ cache_control: _, ...block }) => JSON.stringify(block)).join("\n");
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
