/** Time limits and cancellation, handled once for every tool. */
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
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { timeoutMs, graceMs = defaultGraceMs, signal: outer } = options;
  const controller = new AbortController();
  let stop: (failure: ToolFailure) => void = () => {};
  let grace: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = (failure) => {
      if (controller.signal.aborted) return;
      controller.abort(failure);
      grace = setTimeout(() => reject(failure), graceMs);
    };
  });
  const cancel = () => stop(new ToolFailure("cancelled", "The call was cancelled."));
  const timer = setTimeout(() => stop(timeoutFailure(timeoutMs)), timeoutMs);
  if (outer?.aborted) cancel();
  else outer?.addEventListener("abort", cancel, { once: true });
  try {
    const running = work(controller.signal);
    running.catch(() => {});
    return await Promise.race([running, ended]);
  } catch (error) {
    // A tool that stops by throwing the signal's reason, or anything else because of it, ended for that reason.
    const { reason } = controller.signal;
    if (controller.signal.aborted && !(error instanceof ToolFailure)) throw reason;
    throw error;
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    outer?.removeEventListener("abort", cancel);
    ended.catch(() => {});
  }
}

function timeoutFailure(timeoutMs: number): ToolFailure {
  return new ToolFailure("timeout", `The call did not finish within ${timeoutMs} ms and was stopped.`, {
    hint: "Do less in one call, or allow it more time.",
    details: { reason: "timeout", timeout_ms: timeoutMs },
  });
}
