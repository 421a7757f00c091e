/** One call on the terminal while it lasts: what was printed since, and how it came to an end. */
import { StringDecoder } from "node:string_decoder";
import { CapturedOutput } from "./captured-output.ts";
import { cleanText } from "./clean-text.ts";

export type CallEnd = { readonly kind: "prompt" | "gone"; readonly exitCode: number };

const liveBytes = 8 * 1024;
const liveMs = 50;

export class TerminalCall {
  readonly #onOutput: ((text: string) => void) | undefined;
  readonly #decoder = new StringDecoder("utf8");
  readonly #needsStart: boolean;
  #live: Buffer[] = [];
  #liveLength = 0;
  #liveAt = 0;
  /** Something was shown while it ran. */
  #isLive = false;
  #started = false;
  #wake: () => void = () => {};
  output = new CapturedOutput();
  end: CallEnd | undefined;
  /** How many lines were typed at a prompt. */
  lines = 0;

  /** `needsStart`: what comes before the shell says that it starts is echo and no output. */
  constructor(needsStart: boolean, onOutput?: (text: string) => void) {
    this.#needsStart = needsStart;
    this.#onOutput = onOutput;
  }

  get started(): boolean {
    return this.#started || !this.#needsStart;
  }

  start(): void {
    this.#started = true;
    this.#liveAt = Date.now();
    if (this.#needsStart) this.output = new CapturedOutput();
    this.end = undefined;
  }

  push(bytes: Buffer): void {
    // After the end comes the prompt, which is nobody's output unless another line follows.
    if (!this.started || (this.end && this.lines < 2)) return;
    this.output.push(bytes);
    if (!this.#onOutput) return;
    this.#live.push(bytes);
    this.#liveLength += bytes.length;
    if (Date.now() - this.#liveAt >= liveMs) this.flush();
  }

  /** Tells whoever watches what came since the last time; of a flood only the end. */
  flush(): void {
    if (this.#liveLength === 0) return;
    this.#isLive = true;
    const bytes = Buffer.concat(this.#live);
    this.#live = [];
    this.#liveLength = 0;
    this.#liveAt = Date.now();
    const text = cleanText(this.#decoder.write(bytes.subarray(-liveBytes)));
    if (text !== "") this.#onOutput?.(text);
  }

  finish(end: CallEnd): void {
    // The first prompt of a new shell does not undo the end of the old one.
    if (this.end?.kind === "gone" || (!this.started && end.kind === "prompt")) return;
    // What ends at once is no news: its answer is.
    if (this.#isLive) this.flush();
    this.end = end;
    this.#wake();
  }

  /** Resolves at the end of the call, or after this time, whichever is first. */
  ended(withinMs: number): Promise<void> {
    if (this.end || withinMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Looks again at once. */
  wake(): void {
    this.#wake();
  }
}
