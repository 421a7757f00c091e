/**
 * One run as its function sees it: recorded steps answer at once, new ones are recorded as they end. Owns replay.
 * Refuses to run an unsafe step again whose outcome nobody knows.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type DurableContext, type Json, OutcomeUnknown, type RunRecord, type StepEffect, type StepExtras } from "../contract/index.ts";
import type { EmbeddedOptions } from "./embedded.ts";

export interface ContextOptions extends EmbeddedOptions {
  readonly record: RunRecord;
  readonly resumed: boolean;
  readonly signal: AbortSignal;
}

export class EmbeddedContext implements DurableContext {
  readonly #options: ContextOptions;
  readonly #outputs: Map<string, Json>;
  readonly #intents: Set<string>;

  private constructor(options: ContextOptions, outputs: Map<string, Json>, intents: Set<string>) {
    this.#options = options;
    this.#outputs = outputs;
    this.#intents = intents;
  }

  static async open(options: ContextOptions): Promise<EmbeddedContext> {
    const outputs = new Map<string, Json>();
    const intents = new Set<string>();
    if (options.resumed) {
      for (const { runId, name, output } of await options.store.steps(options.record.sessionId)) {
        if (runId !== options.record.id) continue;
        if (output === undefined) intents.add(name);
        else outputs.set(name, output);
      }
    }
    return new EmbeddedContext(options, outputs, intents);
  }

  get run(): RunRecord {
    return this.#options.record;
  }

  get resumed(): boolean {
    return this.#options.resumed;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  async step<T>(name: string, effect: StepEffect, work: () => Promise<T>, extras?: (output: T) => StepExtras): Promise<T> {
    const known = this.#outputs.get(name);
    if (known !== undefined) return known as T;
    const { store, record } = this.#options;
    if (effect === "unsafe") {
      if (this.#intents.has(name)) throw new OutcomeUnknown(name);
      await store.recordIntent(record.id, name);
    }
    const output = await work();
    await this.#record(name, output as Json, extras?.(output) ?? {});
    return output;
  }

  recorded(name: string): Json | undefined {
    return this.#outputs.get(name);
  }

  async take(topic: string, name: string): Promise<readonly Json[]> {
    const known = this.#outputs.get(name);
    if (known !== undefined) return known as readonly Json[];
    const bodies = await this.#options.store.takeSignals(this.run.id, topic, name);
    if (bodies.length > 0) this.#outputs.set(name, bodies);
    return bodies;
  }

  async receive(topic: string, name: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<Json | undefined> {
    const { store, now } = this.#options;
    const until = (await this.now(`${name}:since`)) + timeoutMs;
    for (;;) {
      const left = until - now();
      const changed = store.changed(AbortSignal.any([this.signal, AbortSignal.timeout(Math.max(0, left))]));
      const [first] = await this.take(topic, name);
      if (first !== undefined || left <= 0 || this.signal.aborted) return first;
      await changed;
    }
  }

  async sleep(name: string, ms: number): Promise<void> {
    const until = (await this.now(name)) + ms;
    const left = until - this.#options.now();
    if (left > 0) await delay(left, undefined, { signal: this.signal }).catch(() => {});
  }

  async progress(value: Json): Promise<void> {
    await this.#options.store.noteProgress(this.run.id, value);
  }

  now(name: string): Promise<number> {
    return this.step(name, "pure", async () => this.#options.now());
  }

  uuid(name: string): Promise<string> {
    return this.step(name, "pure", async () => randomUUID());
  }

  async #record(name: string, output: Json, extras: StepExtras): Promise<void> {
    const { store, record, publish } = this.#options;
    publish(await store.recordStep(record.id, name, output, extras));
    this.#outputs.set(name, output);
  }
}
