/**
 * One question, answered as a ratio: the thing and its limit are measured in the same run, in
 * interleaved pairs, and the medians are compared. An absolute figure is printed only as a target.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** A smoke run asks each question once, to see that it can be asked; noise never fails a build. */
const smoke = process.env.KARYI_BENCH_SMOKE === "1";

export interface Question {
  readonly name: string;
  /** The least that has to be done, by hand. */
  readonly limit: () => Promise<void> | void;
  readonly ours: () => Promise<void> | void;
  /** Done before each measurement of ours, and not measured; only without `repeat`. */
  readonly prepare?: () => Promise<void>;
  /** Largest ratio of ours to the limit; absent: only a target is printed. */
  readonly bound?: number;
  /** What the absolute difference or figure should be about, in words. */
  readonly target?: string;
  readonly pairs?: number;
  /** Calls in one measurement, for things too short to time alone. */
  readonly repeat?: number;
}

export interface Answer {
  readonly name: string;
  readonly limitMs: number;
  readonly oursMs: number;
  readonly ratio: number;
  readonly bound?: number;
  readonly target?: string;
}

export const resultsPath = join(import.meta.dirname, ".results.jsonl");

export function question(asked: Question): void {
  it(asked.name, async () => {
    const answer = await measure(asked);
    if (smoke) return;
    record(answer);
    if (asked.bound !== undefined)
      expect(answer.ratio, `${answer.ratio.toFixed(2)}× against a bound of ${asked.bound}×`).toBeLessThanOrEqual(asked.bound);
  });
}

export function record(answer: Answer): void {
  if (smoke) return;
  appendFileSync(resultsPath, `${JSON.stringify(answer)}\n`);
  const bound = answer.bound === undefined ? "" : ` (bound ${answer.bound}×)`;
  process.stdout.write(
    `${answer.name}: ${answer.ratio.toFixed(2)}×${bound}; ours ${answer.oursMs.toFixed(3)} ms, limit ${answer.limitMs.toFixed(3)} ms\n`,
  );
}

const warmMs = 1500;

export async function measure({ name, limit, ours, prepare, bound, target, pairs = 21, repeat = 1 }: Question): Promise<Answer> {
  const limits: number[] = [];
  const mine: number[] = [];
  const rounds = smoke ? 1 : pairs;
  // Until both have been compiled: what is measured is a process that has been at work for a while.
  const warm = performance.now() + warmMs;
  if (!smoke)
    for (let turn = 0; turn < 3 || performance.now() < warm; turn++) {
      await timed(limit, repeat);
      await prepare?.();
      await timed(ours, repeat);
    }
  for (let round = 0; round < rounds; round++) {
    await prepare?.();
    // The order alternates, so that neither side always runs in the other's wake.
    if (round % 2 === 0) {
      limits.push(await timed(limit, repeat));
      mine.push(await timed(ours, repeat));
    } else {
      mine.push(await timed(ours, repeat));
      limits.push(await timed(limit, repeat));
    }
  }
  const limitMs = median(limits) / repeat;
  const oursMs = median(mine) / repeat;
  return {
    name,
    limitMs,
    oursMs,
    ratio: oursMs / limitMs,
    ...(bound === undefined ? {} : { bound }),
    ...(target === undefined ? {} : { target }),
  };
}

async function timed(work: () => Promise<void> | void, repeat: number): Promise<number> {
  const times = smoke ? 1 : repeat;
  const started = performance.now();
  for (let index = 0; index < times; index++) await work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
