/** Codes in memory that each stand for one thing, once and for a while. What is kept opens nothing: only their hashes. */
import { createHash, randomBytes } from "node:crypto";

/** Older ones are forgotten: whoever asks for many pushes out their own. */
const maxCodes = 1000;

export class OneTimeCodes<T> {
  readonly #lifeMs: number;
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(lifeMs: number, now: () => number) {
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  make(value: T): string {
    const code = randomSecret();
    this.#kept.set(digest(code), { value, until: this.#now() + this.#lifeMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxCodes && oldest !== undefined) this.#kept.delete(oldest);
    return code;
  }

  /** What the code stands for. A second time it stands for nothing. */
  take(code: string): T | undefined {
    const key = digest(code);
    const found = this.#kept.get(key);
    this.#kept.delete(key);
    return found !== undefined && found.until > this.#now() ? found.value : undefined;
  }
}

export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
