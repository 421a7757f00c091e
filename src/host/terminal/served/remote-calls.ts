/** The terminal's end of a connection that calls: does what it is told, and asks and tells back. */
import { type FromCaller, type Order, sentFailure, type ToCaller } from "./remote-messages.ts";
import type { SharedTerminal, TerminalCaller } from "./shared-terminal.ts";

export class RemoteCalls {
  readonly #terminal: SharedTerminal;
  readonly #send: (message: ToCaller) => void;
  readonly #running = new Map<number, AbortController>();
  readonly #questions = new Map<number, (value: string | undefined) => void>();
  #asked = 0;

  constructor(terminal: SharedTerminal, send: (message: ToCaller) => void) {
    this.#terminal = terminal;
    this.#send = send;
  }

  receive(message: FromCaller): void {
    if (message.kind === "call") void this.#call(message.id, message.order);
    else if (message.kind === "cancel") this.#running.get(message.id)?.abort();
    else this.#questions.get(message.question)?.(message.value);
  }

  /** A caller that is gone cannot be answered: its calls are cancelled, as if it had done so, and its program ends. */
  leave(): void {
    for (const call of this.#running.values()) call.abort();
    for (const answer of this.#questions.values()) answer(undefined);
  }

  async #call(id: number, order: Order): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    try {
      this.#send({ kind: "done", id, value: await this.#do(id, order, cancel.signal) });
    } catch (error) {
      this.#send({ kind: "failed", id, failure: sentFailure(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #do(id: number, order: Order, signal: AbortSignal) {
    const terminal = this.#terminal.of(this.#caller("canAsk" in order && order.canAsk));
    switch (order.kind) {
      case "peek":
        return terminal.peek();
      case "screen":
        return terminal.screen();
      case "run":
        return terminal.run(order.command, { ...order.use, signal, onOutput: (text) => this.#send({ kind: "printed", id, text }) });
      case "input":
        return terminal.input(order.text, { ...order.use, signal });
    }
  }

  #caller(canAsk: boolean): TerminalCaller {
    return {
      onEvent: (event) => this.#send({ kind: "event", event }),
      ...(canAsk ? { askSecret: (text, signal) => this.#ask(text, signal) } : {}),
    };
  }

  async #ask(text: string, signal: AbortSignal): Promise<string | undefined> {
    const question = this.#asked++;
    const answered = new Promise<string | undefined>((resolve) => this.#questions.set(question, resolve));
    const stop = () => this.#send({ kind: "asked", question });
    signal.addEventListener("abort", stop, { once: true });
    this.#send({ kind: "ask", question, text });
    try {
      return await answered;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#questions.delete(question);
    }
  }
}
