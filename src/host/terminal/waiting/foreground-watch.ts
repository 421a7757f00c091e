/**
 * What is known of the program in the foreground from one moment to the next: when it last printed, what was typed at it,
 * and whether it waits. Forgets all of it when the shell is back at its prompt.
 */
import type { VirtualScreen } from "../vt/virtual-screen.ts";
import { type Typed, WaitDetector, type Waiting } from "./wait-detector.ts";

export const firstLookMs = 30;

export class ForegroundWatch {
  readonly #screen: VirtualScreen;
  #detector: WaitDetector | undefined;
  #lastOutputAt = 0;
  #typed: Typed | undefined;
  /** As far as is known; `undefined` while it works. */
  waiting: Waiting | undefined;

  constructor(screen: VirtualScreen) {
    this.#screen = screen;
  }

  /** Another shell from now on. */
  follow(shell: number, terminal: string): void {
    this.#detector = new WaitDetector(shell, terminal, this.#screen);
  }

  printed(): void {
    this.#lastOutputAt = Date.now();
  }

  get justPrinted(): boolean {
    return Date.now() - this.#lastOutputAt < firstLookMs;
  }

  /** Whoever waited has something to read now. */
  typed(reader = this.waiting?.reader): void {
    this.#typed = { at: Date.now(), reader };
    this.waiting = undefined;
  }

  forget(): void {
    this.waiting = undefined;
    this.#typed = undefined;
  }

  /** As of the last look. */
  get isShellStopped(): boolean {
    return this.#detector?.isShellStopped ?? false;
  }

  async look(): Promise<Waiting | undefined> {
    return this.#detector?.look(this.#lastOutputAt, this.#typed);
  }

  /** Looks a few times in a row, for a caller that wants to know now; stops when there is nothing left to look at. */
  async detect(withinMs: number, isOver: () => boolean): Promise<Waiting | undefined> {
    const known = this.waiting;
    const until = Date.now() + withinMs;
    do {
      await new Promise((resolve) => setTimeout(resolve, firstLookMs));
      if (isOver() || !this.#detector) return undefined;
      this.waiting = await this.look();
    } while (!this.waiting && Date.now() < until);
    // One that waits for several things and draws now and then is not always caught in so short a time.
    if (known?.reader?.how === "poll" && !isOver() && this.#detector.isReading(known.reader)) this.waiting ??= known;
    return this.waiting;
  }

  async asksPassword(): Promise<boolean> {
    return this.waiting?.kind === "password" || ((await this.#detector?.asksPassword()) ?? false);
  }

  atPrompt(): boolean {
    return this.#detector?.atPrompt() ?? false;
  }

  group(): number {
    return this.#detector?.foregroundGroup() ?? 0;
  }
}
