/** Fills secure variables in, last of all: after the card was shown, right before the call runs (V3). */
import type { Json } from "../contract/index.ts";
import type { Prepared } from "./prepare.ts";
import type { Session } from "./session.ts";

/** The input with its values; the same object where it has no placeholder. */
export async function substituted({ tool, input, plan }: Prepared, { values }: Pick<Session, "values">): Promise<unknown> {
  if (values.placeholders(input).length === 0) return input;
  const hosts = plan.effects.flatMap((effect) => (effect.kind === "connect" ? [hostOf(effect.url)] : []));
  return values.substitute(input as Json, { tool: tool.name, hosts }, tool.ownsPlaceholders ?? []);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url;
}
