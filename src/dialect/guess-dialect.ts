/** Which dialect a text is written in, so that it can be answered in the same one. Decoding itself does not need this. */
import type { Dialect } from "./types.ts";

/** The first sign in the text counts; a text without any is answered as `tool_call`. */
const signs: readonly (readonly [RegExp, Exclude<Dialect, "auto">])[] = [
  [/<tools[\s>]/, "toolsxml"],
  [/<(?:\w+:)?(?:invoke\s|function_calls>)/, "anthropic_xml"],
  [/<function=/, "qwen"],
  [/<tool_call>\s*\{/, "hermes"],
  [/<tool_call>\s*[\w.:-]+\s*<arg_key>/, "glm"],
  [/<tool_call[\s>]/, "tool_call"],
  [/"type"\s*:\s*"(?:tool_use|content_block_start)"/, "anthropic"],
  [/"tool_calls"\s*:|"type"\s*:\s*"function_call"/, "openai"],
  [/"(?:name|tool)"\s*:/, "json"],
];

export function guessDialect(text: string): Exclude<Dialect, "auto"> {
  let best: { readonly at: number; readonly dialect: Exclude<Dialect, "auto"> } | undefined;
  for (const [pattern, dialect] of signs) {
    const at = text.search(pattern);
    if (at >= 0 && (best === undefined || at < best.at)) best = { at, dialect };
  }
  return best?.dialect ?? "tool_call";
}
