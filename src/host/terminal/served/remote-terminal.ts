/**
 * A terminal that lives in another process, used as if it were here. Calls, their output, events and questions for a
 * password go over its socket. When that process ends in the middle of a call, the call fails and says that nobody knows
 * how far its program came; it is never done a second time.
 */
import { type TerminalAnswer, type TerminalState, type Terminals, ToolFailure } from "../../../contract/index.ts";
import { type JoinedTerminal, joinTerminal } from "./attach-join.ts";
import { decodeJson, encodeJson, maxFrameBytes } from "./attach-protocol.ts";
import { type FromCaller, type Order, receivedFailure, type Screen, sentUse, type ToCaller } from "./remote-messages.ts";
import type { TerminalCaller } from "./shared-terminal.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: ToolFailure): void;
  onOutput(text: string): void;
}

export class RemoteTerminal implements Terminals {
  readonly #caller: TerminalCaller;
  readonly #pending = new Map<number, Pending>();
  readonly #questions = new Map<number, AbortController>();
  #joined: JoinedTerminal | undefined;
  #next = 0;

  private constructor(caller: TerminalCaller) {
    this.#caller = caller;
  }

  /** `undefined`: nobody serves this terminal. */
  static async join(path: string, caller: TerminalCaller): Promise<RemoteTerminal | undefined> {
    const terminal = new RemoteTerminal(caller);
    const joined = await joinTerminal(path, "call", (type, payload) => {
      const message = type === "message" ? decodeJson<ToCaller>(payload) : undefined;
      if (message) terminal.#receive(message);
      else joined?.end();
    });
    if (!joined) return undefined;
    joined.keepAlive(false);
    terminal.#joined = joined;
    void joined.closed.then(() => terminal.#lost());
    return terminal;
  }

  get isLost(): boolean {
    return this.#joined === undefined;
  }

  peek(): Promise<TerminalState> {
    return this.#call({ kind: "peek" });
  }

  screen(): Promise<Screen> {
    return this.#call({ kind: "screen" });
  }

  run(command: string, options: Parameters<Terminals["run"]>[1]): Promise<TerminalAnswer> {
    return this.#call({ kind: "run", command, use: sentUse(options), canAsk: this.#canAsk }, options);
  }

  input(text: string, options: Parameters<Terminals["input"]>[1]): Promise<TerminalAnswer> {
    return this.#call({ kind: "input", text, use: sentUse(options), canAsk: this.#canAsk }, options);
  }

  /** Leaves; the terminal goes on. */
  close(): void {
    this.#joined?.end();
    this.#lost();
  }

  get #canAsk(): boolean {
    return this.#caller.askSecret !== undefined;
  }

  async #call<T>(order: Order, use: { readonly signal?: AbortSignal; onOutput?(text: string): void } = {}): Promise<T> {
    const id = this.#next++;
    const cancel = () => this.#send({ kind: "cancel", id });
    const frame = encodeJson("message", { kind: "call", id, order } satisfies FromCaller);
    if (frame.length > maxFrameBytes) throw new ToolFailure("invalid_tool_input", "This is too long for the terminal.");
    try {
      return await new Promise<T>((resolve, reject) => {
        if (!this.#joined) return reject(lostFailure());
        this.#pending.set(id, { resolve: (value) => resolve(value as T), reject, onOutput: (text) => use.onOutput?.(text) });
        this.#joined.keepAlive(true);
        this.#joined.send(frame);
        if (use.signal?.aborted) cancel();
        use.signal?.addEventListener("abort", cancel, { once: true });
      });
    } finally {
      use.signal?.removeEventListener("abort", cancel);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#joined?.keepAlive(false);
    }
  }

  #receive(message: ToCaller): void {
    switch (message.kind) {
      case "done":
        return this.#pending.get(message.id)?.resolve(message.value);
      case "failed":
        return this.#pending.get(message.id)?.reject(receivedFailure(message.failure));
      case "printed":
        return this.#pending.get(message.id)?.onOutput(message.text);
      case "event":
        return this.#caller.onEvent?.(message.event);
      case "ask":
        return void this.#answer(message.question, message.text);
      case "asked":
        return this.#questions.get(message.question)?.abort();
    }
  }

  async #answer(question: number, text: string): Promise<void> {
    const stop = new AbortController();
    this.#questions.set(question, stop);
    // A question that cannot be put is a refusal.
    const value = await this.#caller.askSecret?.(text, stop.signal).catch(() => undefined);
    this.#questions.delete(question);
    this.#send({ kind: "secret", question, ...(value === undefined ? {} : { value }) });
  }

  #send(message: FromCaller): void {
    this.#joined?.send(encodeJson("message", message));
  }

  #lost(): void {
    this.#joined = undefined;
    for (const { reject } of this.#pending.values()) reject(lostFailure());
    for (const question of this.#questions.values()) question.abort();
  }
}

function lostFailure(): ToolFailure {
  return new ToolFailure("tool_error", "The process that held the terminal ended, and everything in the terminal with it.", {
    hint: "How far the command came is not known: look before doing it again. The next call starts a new terminal.",
    details: { reason: "terminal_lost" },
  });
}
