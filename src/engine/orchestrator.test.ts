import { describe, expect, it } from "vitest";
import { batches, orchestrate } from "./orchestrator.ts";

const safe = (name: string) => name === "Glob" || name === "Grep";

describe("batches", () => {
  it("consecutive concurrency-safe calls form one parallel batch, any other call is a batch alone", () => {
    expect(batches(["Glob", "Grep", "Edit", "Glob", "Grep", "Bash"], safe)).toEqual([
      ["Glob", "Grep"],
      ["Edit"],
      ["Glob", "Grep"],
      ["Bash"],
    ]);
    expect(batches(["Edit", "Edit"], safe)).toEqual([["Edit"], ["Edit"]]);
    expect(batches([], safe)).toEqual([]);
  });
});

describe("orchestrate", () => {
  it("runs at most ten at once and answers in call order whatever finished first", async () => {
    let running = 0;
    let most = 0;
    const items = Array.from({ length: 35 }, (_, index) => index);
    const results = await orchestrate(
      items,
      () => true,
      10,
      async (item) => {
        running += 1;
        most = Math.max(most, running);
        for (let turn = 0; turn < (item * 7) % 5; turn++) await new Promise(setImmediate);
        running -= 1;
        return item;
      },
    );
    expect(results).toEqual(items);
    expect(most).toBe(10);
  });
});
