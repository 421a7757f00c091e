/**
 * Keeps the home small without anybody asking: once a day a small step of what `karyi gc` does, when an engine closes and, in one
 * that stays, every hour that it is due. Refuses to fail: what cannot be removed now is removed another day. A home that is
 * read-only is not touched at all.
 */
import { join } from "node:path";
import { readJsonFile, writeJsonFile } from "../host/index.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Of each session in one step. */
export const callsPerStep = 500;

export class Upkeep {
  readonly #file: string | undefined;
  readonly #step: () => Promise<unknown>;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  /** `home` is absent where it is read-only. */
  constructor(home: string | undefined, step: () => Promise<unknown>, now: () => number = Date.now) {
    this.#file = home === undefined ? undefined : join(home, "upkeep.json");
    this.#step = step;
    this.#now = now;
    this.#timer = setInterval(() => void this.ifDue(), hourMs);
    this.#timer.unref();
  }

  /** A home that has never been looked at is new. */
  async ifDue(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  end(): Promise<void> {
    clearInterval(this.#timer);
    return this.ifDue();
  }

  async #work(): Promise<void> {
    if (this.#file === undefined) return;
    try {
      const file = await readJsonFile(this.#file);
      const last = file.kind === "json" ? Number((file.value as { readonly at?: number } | null)?.at) : Number.NaN;
      if (this.#now() - last < dayMs) return;
      // Written first: others that close now need not do the same.
      await writeJsonFile(this.#file, { at: this.#now() });
      if (Number.isFinite(last)) await this.#step();
    } catch {
      // A full or read-only home, or one that is going away.
    }
  }
}
