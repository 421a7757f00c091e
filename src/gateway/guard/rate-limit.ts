/** At most so many requests a minute and token: a bucket that fills steadily, so that a minute's worth may come at once. */
import { Problem } from "../problem.ts";

interface Bucket {
  left: number;
  at: number;
}

const minuteMs = 60_000;
const maxBuckets = 10_000;

export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Throws 429 with `Retry-After`. */
  take(key: string): void {
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { left: this.#perMinute, at: now };
    bucket.left = Math.min(this.#perMinute, bucket.left + ((now - bucket.at) * this.#perMinute) / minuteMs);
    bucket.at = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxBuckets && oldest !== undefined) this.#buckets.delete(oldest);
    if (bucket.left < 1) {
      const seconds = Math.max(1, Math.ceil(((1 - bucket.left) * minuteMs) / this.#perMinute / 1000));
      throw new Problem(429, "too_many_requests", `Too many requests; try again in ${seconds} s.`, {
        headers: { "retry-after": String(seconds) },
        details: { requests_per_minute: this.#perMinute },
      });
    }
    bucket.left -= 1;
  }
}
