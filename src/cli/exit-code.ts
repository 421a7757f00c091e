/** Exit codes of the command: 0 done or planned, 1 failed, 2 wrong usage, 3 denied, 130 interrupted; with several calls the worst wins. */
import { constants } from "node:os";
import type { Result } from "../contract/index.ts";

export const exitCodes = { done: 0, failed: 1, usage: 2, denied: 3 } as const;

export function exitCodeOf(results: readonly Result[]): number {
  return Math.max(0, ...results.map(codeOf));
}

/** As a shell says it of a command that a signal ended. */
export function interruptedCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function codeOf({ status }: Result): number {
  switch (status) {
    case "ok":
    case "planned":
      return exitCodes.done;
    case "denied":
    case "suspended":
      return exitCodes.denied;
    default:
      return exitCodes.failed;
  }
}
