import { describe, expect, it } from "vitest";
import fc from "../../../../test/support/fast-check.ts";
import { ToolFailure } from "../../../contract/index.ts";
import { unifiedDiff } from "../diff.ts";
import type { Document } from "../match/codec.ts";
import { codecOf } from "../match/codec.ts";
import { applyHunks } from "./apply.ts";
import { parsePatch } from "./parse.ts";

const runs = process.env.KARYI_FULL === "1" ? 5_000 : 300;
const utf8 = (text: string): Document => ({ bytes: Buffer.from(text), codec: codecOf("utf-8", 0) });

/** Distinct lines, so that every hunk has one place only. */
const lines = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(..."abcdef -+@\\{}é中") }), {
  minLength: 1,
  maxLength: 40,
});
const pair = lines.chain((before) =>
  fc
    .array(fc.tuple(fc.nat(before.length), fc.constantFrom("drop", "add", "change"), fc.nat(999)), { minLength: 1, maxLength: 5 })
    .map((steps) => {
      const after = [...before];
      for (const [at, step, number] of steps) {
        if (step === "add") after.splice(at, 0, `new ${number}`);
        else if (step === "drop") after.splice(at, 1);
        else if (at < after.length) after[at] = `changed ${number}`;
      }
      return { before, after };
    }),
);

async function patched(content: string, patch: string): Promise<string> {
  const [file] = parsePatch(patch);
  return (await applyHunks("a.txt", utf8(content), file?.hunks ?? [])).bytes.toString();
}

describe("applying a patch", () => {
  it("makes the new file of the old one, for any two of them, with and without a final newline", async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.boolean(), fc.boolean(), async ({ before, after }, oldEnd, newEnd) => {
        const oldText = before.join("\n") + (oldEnd ? "\n" : "");
        const newText = after.join("\n") + (newEnd && after.length > 0 ? "\n" : "");
        const diff = await unifiedDiff({ before: "a.txt", after: "a.txt" }, utf8(oldText), utf8(newText));
        fc.pre(diff !== undefined && newText !== "");
        expect(await patched(oldText, diff ?? "")).toBe(newText);
      }),
      { numRuns: runs },
    );
  });

  it("gives a CRLF file with an LF patch the same lines with CRLF", async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ({ before, after }) => {
        const text = (all: readonly string[], ending: string): string => all.map((line) => line + ending).join("");
        const diff = await unifiedDiff({ before: "a.txt", after: "a.txt" }, utf8(text(before, "\n")), utf8(text(after, "\n")));
        fc.pre(diff !== undefined && after.length > 0);
        expect(await patched(text(before, "\r\n"), diff ?? "")).toBe(text(after, "\r\n"));
      }),
      { numRuns: runs },
    );
  });

  it("finds the place when lines were added above, and changes nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.integer({ min: 1, max: 30 }), async ({ before, after }, count) => {
        const extra = Array.from({ length: count }, (_, index) => `unrelated line ${index}\n`).join("");
        const text = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
        const diff = await unifiedDiff({ before: "a.txt", after: "a.txt" }, utf8(text(before)), utf8(text(after)));
        // A hunk at the very start has no line above it to tell it from a hunk in the middle.
        fc.pre(diff !== undefined && after.length > 0 && /^ /m.test(diff ?? ""));
        let result: string;
        try {
          result = await patched(extra + text(before), diff ?? "");
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
          return;
        }
        expect(result).toBe(extra + text(after));
      }),
      { numRuns: runs },
    );
  });

  it("answers any text with a parsed patch or a failure that says why, never with a crash", async () => {
    const piece = fc.constantFrom(
      "--- a/a.txt",
      "+++ b/a.txt",
      "--- /dev/null",
      "@@ -1,2 +1,2 @@",
      "@@ -0,0 +1 @@",
      "@@",
      "@@ x @@",
      " one",
      "-two",
      "+2",
      "",
      "\\ No newline at end of file",
      "diff --git a/a.txt b/a.txt",
      "rename from a.txt",
      "rename to b.txt",
      "new file mode 100644",
      "deleted file mode 100644",
      "index 1..2",
      "*** Begin Patch",
      "*** Update File: a.txt",
      "*** Add File: b.txt",
      "*** Delete File: a.txt",
      "*** Move to: c.txt",
      "*** End of File",
      "*** End Patch",
      "prose",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        try {
          for (const file of parsePatch(pieces.join("\n"))) await applyHunks(file.path, utf8("one\ntwo\nthree\n"), file.hunks);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      }),
      { numRuns: runs * 3 },
    );
  });
});
