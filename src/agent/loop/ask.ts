/**
 * One answer of a model: silence has a limit, failures that may pass are tried again with back-off, another model takes over
 * where one is configured. Owns retries; refuses half answers, except that an interrupt keeps the text that came.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { SessionHandle } from "../../contract/index.ts";
import { type Answer, type AnswerPart, type CallPart, noUsage } from "../history/message.ts";
import type { AgentPorts } from "../ports.ts";
import { priceOf } from "../providers/cost.ts";
import { type Model, type ModelEvent, type ModelRequest, ProviderFailure } from "../providers/model.ts";
import { DeltaSink } from "./delta-sink.ts";

export interface Asking {
  readonly session: Pick<SessionHandle, "append">;
  readonly request: Omit<ModelRequest, "signal">;
  readonly signal: AbortSignal;
  readonly ports: Pick<AgentPorts, "maskStream" | "newId" | "log">;
  /** Hears of each call as soon as it is whole. */
  onCall?(call: CallPart): void;
  /** Called when the answer is whole, before it is handed on. */
  onWhole?(): Promise<void>;
}

const maxRetries = 5;
const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** A provider that wants to be left alone for longer is given up. */
const maxRetryAfterMs = 10 * 60_000;

/** Silence is counted in so many parts. One that the process slept through counts as one, and what came meanwhile is read before the next. */
const silenceParts = 10;

/** Throws the last `ProviderFailure` if there is no whole answer. */
export async function ask(model: Model, asking: Asking): Promise<Answer> {
  const { session, signal } = asking;
  const sink = new DeltaSink(session, () => asking.ports.maskStream());
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(model, asking, sink);
    } catch (error) {
      await sink.flush();
      if (signal.aborted) return interrupted(model, sink.text);
      const failure = failureOf(error);
      const waitMs = failure.retryAfterMs ?? Math.min(maxDelayMs, firstDelayMs * 2 ** attempt);
      if (failure.kind !== "retry" || attempt >= maxRetries || waitMs > maxRetryAfterMs) throw failure;
      const retry_in_ms = Math.round(waitMs);
      await session.append([{ type: "error", body: { message: failure.message, code: failure.code, retry_in_ms } }]);
      await delay(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return interrupted(model, sink.text);
      sink.restart();
    }
  }
}

async function attemptOnce(model: Model, { request, signal, ports, onCall, onWhole }: Asking, sink: DeltaSink): Promise<Answer> {
  const stop = new AbortController();
  const parts: AnswerPart[] = [];
  const events = model.stream({ ...request, signal: AbortSignal.any([signal, stop.signal]) });
  try {
    for await (const event of withoutSilence(events, model.idleTimeoutMs, signal)) {
      if (event.type === "delta") sink.push(event.kind, event.text);
      else if (event.type === "part") {
        const part: AnswerPart = event.part.type === "call" ? { ...event.part, callId: ports.newId() } : event.part;
        parts.push(part);
        if (part.type === "call") onCall?.(part);
      } else if (event.type === "end") {
        await onWhole?.();
        await sink.flush();
        const { finish, usage, raw } = event;
        return { model: model.id, parts, finish, usage, ...priceOf(usage, model.price), ...(raw === undefined ? {} : { raw }) };
      }
    }
  } finally {
    stop.abort();
  }
  throw new ProviderFailure("retry", "stream_cut", "The provider's stream ended before its last event.");
}

/** Ends with a `ProviderFailure` if nothing came for so long, whatever the stream itself does. */
async function* withoutSilence(events: AsyncIterable<ModelEvent>, limitMs: number, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const iterator = events[Symbol.asyncIterator]();
  for (;;) {
    const next = iterator.next();
    next.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    let onAbort = () => {};
    const silence = new Promise<never>((_, reject) => {
      let left = silenceParts;
      timer = setInterval(() => {
        left -= 1;
        if (left === 0) reject(new ProviderFailure("retry", "idle_timeout", `The provider was silent for ${limitMs} ms.`));
      }, limitMs / silenceParts);
      onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
    try {
      const { done, value } = await Promise.race([next, silence]);
      if (done) return;
      yield value;
    } finally {
      clearInterval(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

/** What came before a person stopped it stays in the conversation; nothing of a half call does. */
function interrupted({ id }: Model, text: string): Answer {
  return { model: id, parts: text.trim() === "" ? [] : [{ type: "text", text }], finish: "interrupted", usage: noUsage };
}

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ProviderFailure("fatal", "provider_error", message, { cause: error });
}
