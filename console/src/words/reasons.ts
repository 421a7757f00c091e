/** Why the policy decided so, in the reader's language: rendered from its code. What came without one is shown as it was said. */
import { type Because, isBecause, reasonText } from "../../../src/contract/reasons.ts";
import type { Language } from "./words.ts";

interface Told {
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
}

export function reasonWords({ rule, reason, because }: Told, language: Language): string {
  if (isBecause(because)) return reasonText(because, language);
  return reason === "" ? rule : reason;
}
