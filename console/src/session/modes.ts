/** The modes of a session with their words, from strict to wide. */
import type { Mode } from "../api/types.ts";
import type { Key } from "../words/en.ts";

export const modeWords: Readonly<Record<Mode, { readonly name: Key; readonly meaning: Key }>> = {
  plan: { name: "modePlan", meaning: "modePlanIs" },
  default: { name: "modeDefault", meaning: "modeDefaultIs" },
  "accept-edits": { name: "modeEdits", meaning: "modeEditsIs" },
  auto: { name: "modeAuto", meaning: "modeAutoIs" },
};

export const modesInOrder: readonly Mode[] = ["plan", "default", "accept-edits", "auto"];
