import { expect, test } from "vitest";
import { makeDiff } from "./make-diff.ts";

test("names outside ASCII can be read in the head of a diff, odd ones are quoted", () => {
  const head = (path: string, before: string | undefined) => makeDiff(path, before, "new\n").split("\n").slice(0, 2);
  expect(head("文档/报告.md", "old\n")).toEqual(["--- a/文档/报告.md", "+++ b/文档/报告.md"]);
  expect(head("报告.md", undefined)).toEqual(["--- /dev/null", "+++ b/报告.md"]);
  expect(head('a"b', "old\n")).toEqual(['--- "a/a\\"b"', '+++ "b/a\\"b"']);
  expect(head("a\nb", "old\n")[0]).toBe('--- "a/a\\nb"');
});

test("a diff whose making takes longer than its limit is empty", () => {
  const lines = (salt: number) => Array.from({ length: 4000 }, (_, n) => `${(n * 7919 + salt) % 4001}\n`).join("");
  expect(makeDiff("a", lines(1), lines(2000), -1)).toBe("");
});
