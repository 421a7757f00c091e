import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tellProgress } from "./progress-teller.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Told = { readonly at: number; readonly progress: number; readonly message: string };

function teller(token: string | undefined) {
  const told: Told[] = [];
  const began = Date.now();
  const send = async ({ progress, message }: { readonly progress: number; readonly message: string }) => {
    told.push({ at: Date.now() - began, progress, message });
  };
  return { told, ...tellProgress(token, send) };
}

it("silence is broken before a client gives up: at least every 15 s, rising, until the call ends", () => {
  const { told, stop } = teller("t");
  vi.advanceTimersByTime(60_000);
  stop();
  vi.advanceTimersByTime(60_000);
  const times = [0, ...told.map(({ at }) => at)];
  expect(times.at(-1)).toBeGreaterThan(45_000);
  expect(times.at(-1)).toBeLessThanOrEqual(60_000);
  for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeLessThanOrEqual(15_000);
  expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
});

it("what was said starts the silence anew", () => {
  const { told, tell, stop } = teller("t");
  vi.advanceTimersByTime(9_000);
  tell("half way\n");
  vi.advanceTimersByTime(9_000);
  expect(told).toEqual([{ at: 9_000, progress: 1, message: "half way" }]);
  vi.advanceTimersByTime(6_000);
  expect(told).toHaveLength(2);
  stop();
});

it("what comes fast is told once in a while, the last of it too", () => {
  const { told, tell, stop } = teller("t");
  for (let line = 1; line <= 1_000; line += 1) {
    tell(`line ${line}`);
    vi.advanceTimersByTime(1);
  }
  tell("the end");
  stop();
  expect(told.length).toBeLessThanOrEqual(7);
  expect(told.at(-1)?.message).toBe("the end");
});

it("without a token nothing is told", () => {
  const { told, tell, stop } = teller(undefined);
  tell("x");
  vi.advanceTimersByTime(60_000);
  stop();
  expect(told).toEqual([]);
});
