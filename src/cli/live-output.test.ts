import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveOutput, whileAsking } from "./live-output.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv("NO_COLOR", "1");
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function watched() {
  const written: string[] = [];
  const live = new LiveOutput({ isTTY: true, write: (text) => written.push(text) });
  return { live, written };
}

const sign = (seconds: number) => `\r\u001b[K… ${seconds} s`;
const clear = "\r\u001b[K";

describe("live output", () => {
  it("what a quick call prints is in its result, and only there", () => {
    const { live, written } = watched();
    live.push("a\n");
    vi.advanceTimersByTime(900);
    live.end();
    expect([written, live.unseen("a\n")]).toEqual([[], "a\n"]);
  });

  it("what goes on for a while is shown as it comes, and not shown again in another order", () => {
    const { live, written } = watched();
    live.push("one\n[stderr] e\n");
    vi.advanceTimersByTime(1000);
    live.push("two\n");
    live.end();
    expect(written).toEqual(["one\n[stderr] e\n", "two\n"]);
    expect(live.unseen("one\ntwo\n[stderr] e\n[took 5.1 s]\nError (tool_error): no")).toBe("[took 5.1 s]\nError (tool_error): no");
  });

  it("leaves the screen at the beginning of a line", () => {
    const { live, written } = watched();
    live.push("half");
    vi.advanceTimersByTime(1000);
    live.end();
    expect([written, live.unseen("half")]).toEqual([["half", "\n"], ""]);
  });

  it("gives a sign of life where it is silent, and takes it away before text", () => {
    const { live, written } = watched();
    vi.advanceTimersByTime(2000);
    live.push("text\n");
    vi.advanceTimersByTime(1000);
    live.end();
    expect(written).toEqual([sign(1), sign(2), clear, "text\n"]);
  });

  it("is quiet while a person is asked, and their time is not the call's", async () => {
    const { live, written } = watched();
    vi.advanceTimersByTime(1000);
    await whileAsking(async () => {
      vi.advanceTimersByTime(60_000);
    });
    expect(written).toEqual([sign(1), clear]);
    live.push("quick\n");
    live.end();
    expect([written, live.unseen("quick\n")]).toEqual([[sign(1), clear], "quick\n"]);
  });

  it("remembers a bounded amount of what it showed: the beginning and the end", () => {
    const { live } = watched();
    live.push("first\n");
    vi.advanceTimersByTime(1000);
    for (let index = 0; index < 40; index += 1) live.push(`${"x".repeat(100_000)}\n`);
    live.push("last\n");
    live.end();
    expect(live.unseen("first\nmiddle left out\nlast")).toBe("middle left out");
  });
});
