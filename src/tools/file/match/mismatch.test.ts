import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../../test/support/cpu-time.ts";
import { explainMismatch } from "./mismatch.ts";
import { mismatchFailure } from "./report.ts";

const file = `import { a } from "a";

export function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price * item.count;
  }
  return sum;
}

export function name(item: Item): string {
  return item.name.trim();
}
`;

const explain = (oldText: string, newText = "something new", content = file) => explainMismatch(content, { oldText, newText });

describe("a mismatch report", () => {
  it("shows the nearest block, its lines, how alike it is and the first difference", () => {
    expect(explain("  for (const item of items) {\n    sum += item.price * item.amount;\n  }\n")).toEqual({
      reason: "no_match",
      nearest: {
        firstLine: 5,
        lastLine: 7,
        text: "  for (const item of items) {\n    sum += item.price * item.count;\n  }",
        similarity: 0.97,
        difference: { line: 6, column: 30, expected: "····sum·+=·item.price·*·item.amount;", found: "····sum·+=·item.price·*·item.count;" },
      },
    });
  });

  it("finds a part of a line", () => {
    expect(explain("item.price * item.cuont")).toMatchObject({
      reason: "no_match",
      nearest: { firstLine: 6, lastLine: 6, difference: { line: 6, column: 31 } },
    });
  });

  it("finds a block with a line too many and one too few", () => {
    const extra = explain("  let sum = 0;\n  let count = 0;\n  for (const item of items) {\n    sum += item.price * item.count;\n  }");
    expect(extra.nearest).toMatchObject({ firstLine: 4, lastLine: 7, difference: { line: 5, column: 1, expected: "··let·count·=·0;" } });
    const fewer = explain(
      "export function total(items: Item[]): number {\n  for (const item of items) {\n    sum += item.price * item.count;",
    );
    expect(fewer.nearest).toMatchObject({ firstLine: 3, lastLine: 6, difference: { line: 4, column: 1, found: "··let·sum·=·0;" } });
  });

  it("says when only white space differs, and shows it", () => {
    expect(explain("\tlet sum = 0;\n\tfor (const item of items) {")).toEqual({
      reason: "whitespace_only",
      nearest: {
        firstLine: 4,
        lastLine: 5,
        text: "  let sum = 0;\n  for (const item of items) {",
        similarity: expect.any(Number),
        difference: { line: 4, column: 1, expected: "→let·sum·=·0;", found: "··let·sum·=·0;" },
      },
    });
    expect(explain("return  sum;").nearest).toMatchObject({ difference: { line: 8, column: 10, expected: "return··sum;" } });
    expect(explain("return\u00a0sum;")).toMatchObject({ reason: "whitespace_only", nearest: { difference: { expected: "return⍽sum;" } } });
  });

  it("says when only line endings differ", () => {
    expect(explain("a\nb", "c", "a\r\r\nb\r\r\n")).toMatchObject({ reason: "line_endings" });
    expect(explain("a\nb", "c", "a\u2028b\n")).toMatchObject({ reason: "line_endings" });
    expect(explain("a\nb", "c", "a\r\n\r\nb\r\n")).toMatchObject({ reason: "whitespace_only" });
  });

  it("says when the new text is there and the old is not", () => {
    expect(explain("let total = 0;", "let sum = 0;")).toEqual({ reason: "already_applied", lines: [4], count: 1 });
    expect(explain("  return sum;\n  return nothing;\n", "  return sum;\n")).toMatchObject({ reason: "already_applied", lines: [8] });
  });

  it("does not say already applied because the new text occurs somewhere else", () => {
    const content = "function a() {\n  close(file);\n  return 1;\n}\n\nfunction b() {\n  open(disk);\n  return 2;\n}\n";
    expect(explainMismatch(content, { oldText: "  open(file);\n", newText: "  close(file);\n" }).reason).toBe("no_match");
    expect(explainMismatch(content, { oldText: "  write(log);", newText: "  return 1;" }).reason).toBe("no_match");
    expect(explainMismatch(content, { oldText: "function b() {\n  shut(disk);", newText: "function b() {\n  open(disk);" })).toEqual({
      reason: "already_applied",
      lines: [6],
      count: 1,
    });
  });

  it("does not take a piece of a word, or of the old text, for the new text", () => {
    expect(explain("let total = 0;", "um").reason).toBe("no_match");
    expect(explain("item.price * item.amount", "item").reason).toBe("no_match");
    expect(explain("let total = 0;", "  ").reason).toBe("no_match");
  });

  it.each([
    ["line_numbers", "     4\t  let sum = 0;\n     5\t  for (const item of items) {"],
    ["escapes", "  let sum = 0;\\n  for (const item of items) {"],
    ["look_alikes", "import { a } from \u201ca\u201d;"],
    ["letter_case", "Export Function Total"],
  ])("recognises the slip %s", (cause, oldText) => {
    expect(explain(oldText)).toMatchObject({ reason: "no_match", cause });
  });

  it("recognises an accent composed in another way, and shows it", () => {
    expect(explain("caf\u00e9 latte", "x", "cafe\u0301 latte\n")).toMatchObject({
      reason: "no_match",
      cause: "composition",
      nearest: { difference: { line: 1, column: 4, expected: "café·latte", found: "cafe<U+0301>·latte" } },
    });
  });

  it("says nothing about a block when nothing is alike", () => {
    expect(explain("¤¤¤ §§§ ¶¶¶")).toEqual({ reason: "no_match" });
    expect(explain("x", "y", "")).toEqual({ reason: "no_match" });
  });

  it("finds Chinese text with one character changed", () => {
    const chinese = "# 说明\n\n这是一个用于测试的文件。\n它有几行文字。\n";
    expect(explain("这是一个用来测试的文件。", "x", chinese)).toMatchObject({
      nearest: { firstLine: 3, difference: { line: 3, column: 6, found: "这是一个用于测试的文件。" } },
    });
  });

  it("reads as text with what to do next", () => {
    const failure = mismatchFailure("src/total.ts", explain("    sum += item.price * item.amount;"));
    expect(failure.message).toBe("old_string was not found in src/total.ts");
    expect(failure.output).toBe(
      [
        "Nearest block: line 6, similarity 0.94",
        "     6\t    sum += item.price * item.count;",
        "First difference: line 6, column 30 (· blank, → tab)",
        "  expected: ····sum·+=·item.price·*·item.amount;",
        "  found:    ····sum·+=·item.price·*·item.count;",
      ].join("\n"),
    );
    expect(failure.hint).toContain("nearest block");
  });
});

/** A file in which every line is plausible code and no two blocks are quite alike. */
function longFile(lines: number): string[] {
  let seed = 7;
  const next = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % limit;
  };
  return Array.from({ length: lines }, (_, index) => {
    if (index % 9 === 8) return "}";
    if (index % 9 === 7) return "";
    return `${"  ".repeat(next(4))}const value${next(5_000)} = compute(${next(900)}, "${next(10_000).toString(36)}"); // ${index % 50}`;
  });
}

describe("a mismatch report of a long file", () => {
  const changed = (lines: readonly string[], from: number): string =>
    lines
      .slice(from, from + 200)
      .map((line, index) => (index % 10 === 3 ? line.replace("compute", "calculate") : line))
      .join("\n");

  it("finds a block of 200 lines among 50,000", () => {
    const lines = longFile(50_000);
    const mismatch = explainMismatch(lines.join("\n"), { oldText: changed(lines, 31_337), newText: "" });
    expect(mismatch.nearest).toMatchObject({ firstLine: 31_338, lastLine: 31_537 });
    expect(mismatch.nearest?.similarity).toBeGreaterThan(0.95);
  });

  it("finds it when every line has changed", () => {
    const lines = longFile(20_000);
    const oldText = lines
      .slice(12_000, 12_030)
      .map((line) => line.replace("const", "let").replace("//", "--"))
      .join("\n");
    expect(explainMismatch(lines.join("\n"), { oldText, newText: "" }).nearest).toMatchObject({ firstLine: 12_001 });
  });

  it("takes time in proportion to the file: twice the lines, less than four times the time", () => {
    const once = (count: number): number => {
      const lines = longFile(count);
      const text = lines.join("\n");
      const oldText = changed(lines, count / 2);
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round++) {
        best = Math.min(
          best,
          cpuMs(() => explainMismatch(text, { oldText, newText: "" })),
        );
      }
      return best;
    };
    once(5_000);
    expect(once(50_000) / once(25_000)).toBeLessThan(4);
  });
});
