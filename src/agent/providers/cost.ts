/** What an answer costs at the configured price. An unknown price is absent, never 0. */
import type { UsageBody } from "../../contract/index.ts";
import type { Answer } from "../history/message.ts";
import type { Price } from "./model.ts";

const perMillion = 1_000_000;

export function priceOf(usage: UsageBody, price: Price | undefined): Pick<Answer, "costUsd" | "savedUsd"> {
  if (!price) return {};
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  const costUsd =
    (usage.input_tokens * input +
      usage.output_tokens * output +
      usage.cache_read_tokens * cacheRead +
      usage.cache_write_tokens * cacheWrite) /
    perMillion;
  return { costUsd, savedUsd: (usage.cache_read_tokens * (input - cacheRead)) / perMillion };
}
