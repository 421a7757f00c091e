/**
 * What a person at a terminal sees of a call while it runs: its text once it goes on for a while, and a sign of life where
 * it is silent. Refuses to show anything twice, and to write over a question that is being asked.
 */
import { styled } from "./terminal-style.ts";

const quickMs = 1000;
const signEveryMs = 1000;
/** Of the text that was shown, this much of its beginning and of its end is remembered, so as not to be shown again. */
const rememberedCharacters = 1 << 20;
const clearLine = "\r\u001b[K";

interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The one that runs, if any: whoever asks a question asks it to be quiet. */
let running: LiveOutput | undefined;

/** While a person is asked nothing else is written, and their time is not the call's. */
export async function whileAsking<T>(ask: () => Promise<T>): Promise<T> {
  const live = running;
  live?.pause();
  try {
    return await ask();
  } finally {
    live?.resume();
  }
}

export class LiveOutput {
  readonly #screen: Screen;
  readonly #timer: NodeJS.Timeout;
  #since = performance.now();
  /** Text that waits: what a quick call prints is in its result, and only there. */
  #held = "";
  #flush: NodeJS.Timeout | undefined;
  #showing = false;
  #asking = false;
  #signed = false;
  #lastText = performance.now();
  #atLineStart = true;
  #first = "";
  #last = "";

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#timer = setInterval(() => this.#sign(), signEveryMs);
    this.#timer.unref();
    running = this;
  }

  /** Text of the call as it comes; the while counts from the first of it. */
  push(text: string): void {
    this.#lastText = performance.now();
    if (this.#showing) return this.#show(text);
    this.#held += text;
    this.#flush ??= setTimeout(() => this.#begin(), quickMs).unref();
  }

  pause(): void {
    this.#clearSign();
    this.#asking = true;
  }

  resume(): void {
    this.#asking = false;
    this.#since = performance.now();
    this.#lastText = this.#since;
  }

  /** Leaves the screen at the beginning of a line. */
  end(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#flush);
    this.#clearSign();
    if (this.#showing && !this.#atLineStart) this.#screen.write("\n");
    if (running === this) running = undefined;
  }

  /** What of a result was not shown yet. Its lines stand in another order there than they came. */
  unseen(text: string): string {
    if (!this.#showing) return text;
    const shown = new Set([...this.#first.split("\n"), ...this.#last.split("\n"), ""]);
    return text
      .split("\n")
      .filter((line) => !shown.has(line))
      .join("\n");
  }

  #begin(): void {
    this.#showing = true;
    const held = this.#held;
    this.#held = "";
    this.#show(held);
  }

  #show(text: string): void {
    this.#clearSign();
    this.#screen.write(text);
    this.#atLineStart = text.endsWith("\n");
    const room = rememberedCharacters - this.#first.length;
    if (room > 0) this.#first += text.slice(0, room);
    if (text.length > room) this.#last = (this.#last + text.slice(Math.max(0, room))).slice(-rememberedCharacters);
  }

  #sign(): void {
    const now = performance.now();
    if (this.#asking || this.#held !== "" || !this.#atLineStart || now - this.#lastText < quickMs) return;
    this.#signed = true;
    this.#screen.write(`${clearLine}${styled("dim", `… ${Math.round((now - this.#since) / 1000)} s`, this.#screen)}`);
  }

  #clearSign(): void {
    if (this.#signed) this.#screen.write(clearLine);
    this.#signed = false;
  }
}
