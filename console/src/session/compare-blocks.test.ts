/** Versions side by side: blocks in the order of reading, changed ones beside each other, a gap where one is missing. */
import { expect, it } from "vitest";
import { blocksOf, pairsOf } from "./compare-blocks.ts";

it("blocks are headings, paragraphs, list items with their marks, and code as it is", () => {
  expect(blocksOf("# One\n\nA **bold** [link](https://a.example).\n\n2. first\n3. second\n\n- dot\n\n```\ncode *x*\n```\n")).toEqual([
    { kind: "h1", mark: "", text: "One" },
    { kind: "p", mark: "", text: "A bold link." },
    { kind: "li", mark: "2.", text: "first" },
    { kind: "li", mark: "3.", text: "second" },
    { kind: "li", mark: "•", text: "dot" },
    { kind: "pre", mark: "", text: "code *x*" },
  ]);
});

it("a changed block stands beside its successor, an added one beside nothing", () => {
  const [left, right] = ["Same.\n\nOld words.\n", "Same.\n\nNew words.\n\nMore.\n"].map(blocksOf);
  expect(pairsOf(left ?? [], right ?? []).map((pair) => [pair.left?.text, pair.right?.text, pair.same])).toEqual([
    ["Same.", "Same.", true],
    ["Old words.", "New words.", false],
    [undefined, "More.", false],
  ]);
});
