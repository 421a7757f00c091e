/** Everything that is masked because of how it looks, whoever it belongs to. */
import type { Findings, Window } from "../mask/findings.ts";
import { findAssignments } from "./assignments.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { findTokens } from "./tokens.ts";

export function findShapes(window: Window, findings: Findings): void {
  findTokens(window, findings);
  findAssignments(window, findings);
  findPrivateKeys(window, findings);
}
