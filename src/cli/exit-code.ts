/** Exit codes of the command: 0 done or planned, 1 failed, 2 wrong usage, 3 denied; with several calls the worst wins. */
import type { Result } from "../contract/index.ts";

export const exitCodes = { done: 0, failed: 1, usage: 2, denied: 3 } as const;

export function exitCodeOf(results: readonly Result[]): number {
  return Math.max(0, ...results.map(codeOf));
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
