/**
 * Shows an answer while it comes: `text_delta` and `thinking_delta`, coalesced. Owns their order. A further attempt goes on
 * where the text of the one before agrees with it, so that nothing is shown twice.
 */
import type { EventDraft, MaskStream, SessionHandle } from "../../contract/index.ts";

const coalesceMs = 100;

type Kind = "text" | "thinking";

export class DeltaSink {
  readonly #session: Pick<SessionHandle, "append">;
  readonly #newMask: () => MaskStream;
  readonly #shown: Record<Kind, string> = { text: "", thinking: "" };
  /** Of this attempt, per kind. */
  #came: Record<Kind, string> = { text: "", thinking: "" };
  #masks = new Map<Kind, MaskStream>();
  #waiting: { kind: Kind; text: string } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<unknown> = Promise.resolve();
  #lastAt = 0;

  constructor(session: Pick<SessionHandle, "append">, newMask: () => MaskStream) {
    this.#session = session;
    this.#newMask = newMask;
  }

  /** Text of this attempt, whole or not. */
  get text(): string {
    return this.#came.text;
  }

  push(kind: Kind, text: string): void {
    const unseen = this.#unseen(kind, text);
    if (unseen === "") return;
    let mask = this.#masks.get(kind);
    if (!mask) {
      mask = this.#newMask();
      this.#masks.set(kind, mask);
    }
    this.#hold(kind, mask.push(unseen));
  }

  /** Everything so far is written when it resolves. */
  async flush(): Promise<void> {
    for (const [kind, mask] of this.#masks) this.#hold(kind, mask.end());
    this.#masks.clear();
    this.#send();
    await this.#written;
  }

  /** A further attempt begins. */
  restart(): void {
    this.#came = { text: "", thinking: "" };
  }

  /** The part of `text` that no earlier attempt has shown. What came so far is always a beginning of what was shown. */
  #unseen(kind: Kind, text: string): string {
    const shown = this.#shown[kind];
    const at = this.#came[kind].length;
    this.#came[kind] += text;
    if (at === shown.length) {
      this.#shown[kind] += text;
      return text;
    }
    if (shown.startsWith(text, at)) return "";
    const rest = shown.slice(at);
    this.#shown[kind] = this.#came[kind];
    // An attempt that says something else begins on a line of its own.
    return text.startsWith(rest) ? text.slice(rest.length) : `\n${this.#came[kind]}`;
  }

  #hold(kind: Kind, text: string): void {
    if (text === "") return;
    if (this.#waiting && this.#waiting.kind !== kind) this.#send();
    this.#waiting = { kind, text: (this.#waiting?.text ?? "") + text };
    const since = performance.now() - this.#lastAt;
    if (since >= coalesceMs) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), coalesceMs - since);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    this.#lastAt = performance.now();
    const draft: EventDraft = { type: waiting.kind === "text" ? "text_delta" : "thinking_delta", body: { text: waiting.text } };
    this.#written = this.#written.then(() => this.#session.append([draft]));
    this.#written.catch(() => {});
  }
}
