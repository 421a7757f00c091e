/**
 * Progress of one request. Owns the rising number and the rhythm: what comes fast is told once in a while, and silence is
 * broken before a client gives up. Tells nothing if the client gave no token.
 */

/** Clients wait 15 s or more for a sign of life. */
const silenceMs = 10_000;
const rhythmMs = 200;
const maxMessage = 200;

export interface ProgressTeller {
  tell(text: string): void;
  stop(): void;
}

export function tellProgress(
  token: string | number | undefined,
  send: (params: { readonly progressToken: string | number; readonly progress: number; readonly message: string }) => Promise<void>,
): ProgressTeller {
  if (token === undefined) return { tell: () => {}, stop: () => {} };
  let count = 0;
  let waiting: string | undefined;
  let pause: NodeJS.Timeout | undefined;
  const emit = (message: string) => {
    count += 1;
    silence.refresh();
    // A client that went away needs no progress.
    send({ progressToken: token, progress: count, message }).catch(() => {});
  };
  const silence = setInterval(() => emit("Still at work"), silenceMs);
  silence.unref();
  const flush = () => {
    pause = undefined;
    if (waiting === undefined) return;
    emit(waiting);
    waiting = undefined;
    pause = setTimeout(flush, rhythmMs);
    pause.unref();
  };
  return {
    tell(text) {
      const line = text.trimEnd().split("\n").at(-1)?.trim().slice(0, maxMessage) ?? "";
      if (line === "") return;
      waiting = line;
      if (pause === undefined) flush();
    },
    stop() {
      clearInterval(silence);
      clearTimeout(pause);
      if (waiting !== undefined) emit(waiting);
    },
  };
}
