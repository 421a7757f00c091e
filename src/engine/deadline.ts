/** Time limits and cancellation, handled once for every tool. */
import { setMaxListeners } from "node:events";
import { ToolFailure } from "../contract/index.ts";

/** How long a tool may take to end in order after it was told to stop. */
const defaultGraceMs = 250;

export interface DeadlineOptions {
  readonly timeoutMs: number;
  readonly graceMs?: number;
  /** The caller's own signal. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` with a signal that aborts at the limit or when the caller cancels. A tool that does not
 * listen is left behind after its grace: the call ends, and its writer refuses whatever it still tries.
 */
export function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { timeoutMs, graceMs = defaultGraceMs, signal: outer } = options;
  // One signal may end as many calls as its owner likes.
  if (outer !== undefined) setMaxListeners(0, outer);
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    const stop = (failure: ToolFailure) => {
      if (controller.signal.aborted) return;
      grace = setTimeout(() => end(() => reject(failure)), graceMs);
      controller.abort(failure);
    };
    const cancel = () => stop(new ToolFailure("cancelled", "The call was cancelled.", { cause: outer?.reason }));
    const timer = setTimeout(() => stop(timeoutFailure(timeoutMs)), timeoutMs);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      clearTimeout(grace);
      outer?.removeEventListener("abort", cancel);
      settle();
    };
    if (outer?.aborted) cancel();
    else outer?.addEventListener("abort", cancel, { once: true });
    work(controller.signal).then(
      (value) => end(() => resolve(value)),
      (error: unknown) => {
        // A tool that stops by throwing the signal's reason, or anything else because of it, ended for that reason.
        const { aborted, reason } = controller.signal;
        end(() => reject(aborted && !(error instanceof ToolFailure) ? reason : error));
      },
    );
  });
}

function timeoutFailure(timeoutMs: number): ToolFailure {
  return new ToolFailure("timeout", `The call did not finish within ${timeoutMs} ms and was stopped.`, {
    hint: "Do less in one call, or allow it more time.",
    details: { reason: "timeout", timeout_ms: timeoutMs },
  });
}
