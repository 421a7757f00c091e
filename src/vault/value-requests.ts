/**
 * Asks a person for a value on behalf of a model. The value goes from the person straight into the vault: neither the
 * tool that asked nor an event ever holds it.
 */
import { randomUUID } from "node:crypto";
import {
  type AskValue,
  type EventBodies,
  type EventDraft,
  isSuspended,
  type ValueAnswer,
  type ValueReply,
  type ValueRequest,
  type ValueRequests,
} from "../contract/index.ts";
import type { Vault, VaultPlace } from "./vault.ts";

export interface ValueRequestsOptions {
  /** The person who can be asked now; `undefined` if there is nobody. */
  asker(): AskValue | undefined;
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
  const { asker, vault, place, mask, onWarning } = options;
  type Body = EventBodies["value_request"];
  const emit = async (id: string, request: ValueRequest, status: Body["status"], more: Partial<Body> = {}) => {
    const { key, reason, note } = request;
    const body: Body = { request_id: id, key, reason: mask(reason), ...(note === undefined ? {} : { note: mask(note) }), status, ...more };
    await options.onEvent?.({ type: "value_request", body });
  };
  const replyTo = async (ask: AskValue, id: string, request: ValueRequest, signal: AbortSignal): Promise<ValueReply> => {
    signal.throwIfAborted();
    try {
      const replied = orAborted(ask({ ...request, id }, signal), signal);
      replied.catch(() => {});
      // Whoever hears of the question can answer it: it is asked already.
      await emit(id, request, "asked");
      return await replied;
    } catch (error) {
      // A question of a run that is to be resumed stays open.
      if (!isSuspended(signal)) await emit(id, request, "cancelled");
      throw error;
    }
  };
  return {
    canAsk: () => asker() !== undefined,
    async ask(request, signal): Promise<ValueAnswer> {
      const ask = asker();
      if (ask === undefined) return { kind: "refused", words: "There is nobody to ask." };
      const id = request.id ?? randomUUID();
      const reply = await replyTo(ask, id, request, signal);
      if (reply.kind === "refused") {
        await emit(id, request, "refused");
        return reply.words === undefined ? { kind: "refused" } : { kind: "refused", words: mask(reply.words) };
      }
      if (reply.kind === "kept") {
        await emit(id, request, "given", { scope: reply.scope });
        return { kind: "given", scope: reply.scope };
      }
      const { value, scope } = reply;
      const { key: name } = request;
      const note = reply.note ?? request.note;
      const warnings = await vault.set({ name, value, scope, ...(note === undefined ? {} : { note }) }, place);
      for (const warning of warnings) onWarning?.(warning);
      await emit(id, request, "given", { scope });
      return { kind: "given", scope };
    },
    async askFor(server, request, signal): Promise<string | undefined> {
      const ask = asker();
      if (ask === undefined) return undefined;
      const id = randomUUID();
      const asked: ValueRequest = { ...request, once: true, server };
      const reply = await replyTo(ask, id, asked, signal);
      await emit(id, asked, reply.kind === "given" ? "given" : "refused");
      return reply.kind === "given" ? reply.value : undefined;
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
