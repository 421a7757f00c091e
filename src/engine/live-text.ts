/**
 * Text of a running call as it is printed: masked once, handed to whoever watches, and kept whole from its first
 * character where the tool says that a model will not read all of it. Who prints faster than that can be kept is made to wait.
 */
import type { LiveText, Masker, OutputWriter } from "../contract/index.ts";

/** Text on its way to the disk; above this the tool waits. */
const maxWaiting = 1 << 20;

export function liveText(masker: Masker, open: () => Promise<OutputWriter>, onText: (masked: string) => void): LiveText {
  return new MaskedText(masker.stream(), open, onText);
}

class MaskedText implements LiveText {
  readonly #stream: ReturnType<Masker["stream"]>;
  readonly #open: () => Promise<OutputWriter>;
  readonly #onText: (masked: string) => void;
  /** Masked text that is not written yet: everything, until it is to be kept. */
  #waiting: string[] = [];
  #waitingLength = 0;
  #kept = false;
  #writer: OutputWriter | undefined;
  #writing: Promise<void> | undefined;
  #problem: unknown;

  constructor(stream: ReturnType<Masker["stream"]>, open: () => Promise<OutputWriter>, onText: (masked: string) => void) {
    this.#stream = stream;
    this.#open = open;
    this.#onText = onText;
  }

  push(text: string): Promise<void> | undefined {
    return this.#accept(this.#stream.push(text));
  }

  keep(): void {
    this.#kept = true;
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
  }

  async close(): ReturnType<LiveText["close"]> {
    this.#accept(this.#stream.end());
    if (!this.#kept) return undefined;
    while (this.#writing !== undefined) await this.#writing;
    if (this.#problem !== undefined) throw this.#problem;
    this.#writer ??= await this.#open();
    return { ref: this.#writer.ref, ...(await this.#writer.close()) };
  }

  #accept(masked: string): Promise<void> | undefined {
    if (masked === "") return undefined;
    this.#onText(masked);
    if (this.#problem !== undefined) return undefined;
    this.#waiting.push(masked);
    this.#waitingLength += masked.length;
    // Whatever a tool thinks of it, memory must not grow with what is printed.
    this.#kept ||= this.#waitingLength > maxWaiting;
    if (!this.#kept) return undefined;
    this.#writing ??= this.#write();
    return this.#waitingLength > maxWaiting ? this.#writing : undefined;
  }

  /** Empties what waits, in order. */
  async #write(): Promise<void> {
    try {
      this.#writer ??= await this.#open();
      while (this.#waiting.length > 0) {
        const texts = this.#waiting;
        this.#waiting = [];
        this.#waitingLength = 0;
        for (const text of texts) await this.#writer.write(text);
      }
    } catch (error) {
      this.#problem = error ?? new Error("the output could not be kept");
      this.#waiting = [];
    } finally {
      this.#writing = undefined;
    }
  }
}
