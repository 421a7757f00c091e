/**
 * Asks a person for a value on behalf of a model. The value goes from the person straight into the vault: neither the
 * tool that asked nor an event ever holds it.
 */
import type { EventDraft, JsonObject, ValueAnswer, ValueRequest, ValueRequests } from "../contract/index.ts";
import type { Vault, VaultPlace } from "./vault.ts";

export type ValueReply =
  | { readonly kind: "given"; readonly value: string; readonly scope: "session" | "project" | "global" }
  | { readonly kind: "refused"; readonly words?: string };

/** Shows the request and takes hidden input. */
export type AskValue = (request: ValueRequest, signal: AbortSignal) => Promise<ValueReply>;

export interface ValueRequestsOptions {
  /** Absent: nobody can be asked. */
  readonly ask?: AskValue;
  readonly vault: Pick<Vault, "set">;
  readonly place: VaultPlace;
  /** Masks the words of the request before they reach an event. */
  mask(text: string): string;
  /** `value_request` when it is asked, and again with its outcome. */
  onEvent?(event: EventDraft): void | Promise<void>;
  /** Warnings about the value, for the person. */
  onWarning?(message: string): void;
}

export function createValueRequests(options: ValueRequestsOptions): ValueRequests {
  const { ask, vault, place, mask, onWarning } = options;
  const emit = async (request: ValueRequest, status: string, more: JsonObject = {}) => {
    const { key, reason, note } = request;
    const body: JsonObject = { key, reason: mask(reason), ...(note === undefined ? {} : { note: mask(note) }), status, ...more };
    await options.onEvent?.({ type: "value_request", body });
  };
  return {
    canAsk: () => ask !== undefined,
    async ask(request, signal): Promise<ValueAnswer> {
      if (ask === undefined) return { kind: "refused", words: "There is nobody to ask." };
      signal.throwIfAborted();
      await emit(request, "asked");
      let reply: ValueReply;
      try {
        reply = await orAborted(ask(request, signal), signal);
      } catch (error) {
        await emit(request, "cancelled");
        throw error;
      }
      if (reply.kind === "refused") {
        await emit(request, "refused");
        return reply.words === undefined ? { kind: "refused" } : { kind: "refused", words: mask(reply.words) };
      }
      const { value, scope } = reply;
      const { key: name, note } = request;
      const warnings = await vault.set({ name, value, scope, ...(note === undefined ? {} : { note }) }, place);
      for (const warning of warnings) onWarning?.(warning);
      await emit(request, "given", { scope });
      return { kind: "given", scope };
    },
  };
}

/** A person who never answers must not keep a cancelled call alive. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("cancelled"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
