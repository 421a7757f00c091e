import { expect, it } from "vitest";
import { countLines, parseDiff } from "./parse-diff.ts";

const text = `--- a/src/retry.ts
+++ b/src/retry.ts
@@ -12,3 +12,4 @@ export function delay
 export function delay(attempt: number) {
-  return Math.random() * 100 * attempt;
+  const jitter = random() * 100 * attempt;
+  return Math.max(10, jitter);
 }
\\ No newline at end of file
`;

it("files, hunks, numbers, signs and the words that differ are told apart", () => {
  const [file] = parseDiff(text);
  expect(file).toMatchObject({ path: "src/retry.ts", added: 2, removed: 1 });
  const lines = file?.hunks[0]?.lines ?? [];
  expect(lines.map(({ kind, before, after }) => [kind, before, after])).toEqual([
    ["same", 12, 12],
    ["del", 13, undefined],
    ["add", undefined, 13],
    ["add", undefined, 14],
    ["same", 14, 15],
  ]);
  expect(lines[1]?.spans?.some(({ marked }) => marked)).toBe(true);
  expect(lines.at(-1)?.noNewline).toBe(true);
  expect(countLines(text)).toEqual({ added: 2, removed: 1 });
});

it("a line of the file that looks like a header stays a line", () => {
  const [file, ...more] = parseDiff("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n same\n");
  expect(more).toEqual([]);
  expect(file?.hunks[0]?.lines.map(({ kind, text: own }) => [kind, own])).toEqual([
    ["del", "-- a"],
    ["add", "++ b"],
    ["same", "same"],
  ]);
});

it("marks go on over the blank between two changed words, not over the one beside a kept word", () => {
  const [file] = parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-keep one two end\n+keep three four end\n");
  expect(file?.hunks[0]?.lines.map(({ spans }) => spans?.filter(({ marked }) => marked).map(({ text }) => text.trim()))).toEqual([
    ["one two"],
    ["three four"],
  ]);
});
