/** Fills secure variables in, last of all: after the card was shown, right before the call runs (V3). */
import { type Json, parsedUrl } from "../contract/index.ts";
import type { Prepared } from "./prepare.ts";
import type { Session } from "./session.ts";

/** The input with its values; the same object where it has no placeholder. */
export async function substituted({ tool, input, plan }: Prepared, { values }: Pick<Session, "values">): Promise<unknown> {
  if (values.placeholders(input).length === 0 && !holdsLiteral(input)) return input;
  const hosts = plan.effects.flatMap((effect) => (effect.kind === "connect" ? [hostOf(effect.url)] : []));
  return values.substitute(input as Json, { tool: tool.name, hosts }, tool.ownsPlaceholders ?? []);
}

function hostOf(url: string): string {
  return parsedUrl(url)?.hostname ?? url;
}

/** `$$KARYI{NAME}` stands for the text itself, also where no value is filled in. Inputs are as deep as JSON was parsed. */
function holdsLiteral(value: unknown): boolean {
  if (typeof value === "string") return value.includes("$$KARYI{");
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  return Object.values(value).some(holdsLiteral);
}
