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

/** Whatever writes to the screen while something goes on, and is quiet while a person is asked. */
export interface LiveScreen {
  /** `about` is the id of the approval that is asked for, if it is one. */
  pause(about?: string): void | Promise<void>;
  resume(): void;
  /** Lets somebody else write whole lines. */
  beside?(write: () => void): void;
  /** What of a text was not shown yet. */
  unseen?(text: string): string;
  /** Shown by somebody else. */
  showed?(text: string): void;
}

/** The one that runs, if any: whoever asks a question asks it to be quiet. */
let running: LiveScreen | undefined;
/** The question before: a person is asked one thing at a time. */
let asked: Promise<unknown> = Promise.resolve();

/** Answers how to leave the screen again. */
export function takeScreen(screen: LiveScreen): () => void {
  running = screen;
  return () => {
    if (running === screen) running = undefined;
  };
}

/** While a person is asked nothing else is written, and their time is not the call's. Questions wait for each other. */
export function whileAsking<T>(ask: () => Promise<T>, about?: string): Promise<T> {
  const answer = asked.then(async () => {
    const live = running;
    await live?.pause(about);
    try {
      return await ask();
    } finally {
      live?.resume();
    }
  });
  asked = answer.catch(() => {});
  return answer;
}

/** Writes whole lines beside what is on the screen now. */
export function beside(write: () => void): void {
  if (running?.beside) running.beside(write);
  else write();
}

/** What of a text the person has not seen while it came. */
export function unseenNow(text: string): string {
  return running?.unseen?.(text) ?? text;
}

/** Somebody else has shown this: it need not be shown again. */
export function showedNow(text: string): void {
  running?.showed?.(text);
}

export class LiveOutput implements LiveScreen {
  readonly #screen: Screen;
  readonly #timer: NodeJS.Timeout;
  readonly #leave: () => void;
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
    this.#leave = takeScreen(this);
  }

  /** Text of the call as it comes; the while counts from the first of it. */
  push(text: string): void {
    this.#lastText = performance.now();
    if (this.#showing) return this.#show(text);
    this.#held += text;
    this.#flush ??= setTimeout(() => this.#begin(), quickMs).unref();
  }

  /** What waited to be shown is in the question, or in the result. */
  pause(): void {
    this.#clearSign();
    clearTimeout(this.#flush);
    this.#flush = undefined;
    this.#held = "";
    if (this.#showing && !this.#atLineStart) this.#screen.write("\n");
    this.#atLineStart = true;
    this.#asking = true;
  }

  /** Shown by somebody else. */
  showed(text: string): void {
    this.#first += text;
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
    this.#leave();
  }

  /** What of a result was not shown yet. Its lines stand in another order there than they came. */
  unseen(text: string): string {
    if (!this.#showing && this.#first === "") return text;
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
