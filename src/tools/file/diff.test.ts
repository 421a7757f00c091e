import { applyPatch } from "diff";
import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { unifiedDiff } from "./diff.ts";
import type { Document } from "./match/codec.ts";
import { codecOf } from "./match/codec.ts";

const names = { before: "a.txt", after: "a.txt" };
const utf8 = (text: string): Document => ({ bytes: Buffer.from(text), codec: codecOf("utf-8", 0) });
const utf16 = (text: string): Document => ({ bytes: Buffer.from(`\ufeff${text}`, "utf16le"), codec: codecOf("utf-16le", 2) });

describe("a unified diff", () => {
  it("numbers the lines of a change deep in a file", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`);
    const before = utf8(`${lines.join("\n")}\n`);
    const after = utf8(`${lines.with(3_999, "changed").join("\n")}\n`);
    expect(await unifiedDiff(names, before, after)).toBe(
      "--- a/a.txt\n+++ b/a.txt\n@@ -3997,7 +3997,7 @@\n line 3997\n line 3998\n line 3999\n-line 4000\n+changed\n line 4001\n line 4002\n line 4003\n",
    );
  });

  it("shows new and deleted files, a missing final newline, and full paths as they are", async () => {
    expect(await unifiedDiff(names, undefined, utf8("x"))).toBe(
      "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
    );
    expect(await unifiedDiff({ before: "/tmp/x", after: "/tmp/x" }, utf8("x\n"), undefined)).toBe(
      "--- /tmp/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    );
    expect(await unifiedDiff(names, utf8("x\n"), utf8("x\n"))).toBeUndefined();
  });

  it("gives the file back when it is applied, for any two texts, and the same in UTF-16", async () => {
    const text = fc.array(fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "d", "é\n"), { maxLength: 30 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after);
        const diff = await unifiedDiff(names, utf8(before), utf8(after));
        expect(await unifiedDiff(names, utf16(before), utf16(after))).toBe(diff);
        expect(applyPatch(before, diff ?? "", { autoConvertLineEndings: false })).toBe(after);
      }),
      { numRuns: process.env.KARYI_FULL === "1" ? 5_000 : 300 },
    );
  });

  it("answers without comparing when there is too much, and cuts what is too long with a count", async () => {
    const big = "x".repeat(80);
    expect(await unifiedDiff(names, undefined, utf8(`${big}\n`.repeat(20_000)))).toBeUndefined();
    const long = await unifiedDiff(names, undefined, utf8(`${big}\n`.repeat(10_000)));
    expect(long?.length).toBeLessThan(300_000);
    expect(long).toMatch(/… \d+ more lines of this diff are not shown\n$/);
  });
});
