import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import type { Masker, OutputWriter } from "../contract/index.ts";
import { boundOutput } from "./bound-output.ts";

const open: Masker = { mask: (text) => text, maskJson: (value) => value, stream: () => ({ push: (chunk) => chunk, end: () => "" }) };

function keeper() {
  const kept: string[] = [];
  const writer: OutputWriter = {
    ref: "out_1",
    write: async (text) => {
      kept.push(text);
    },
    close: async () => ({ total: Buffer.byteLength(kept.join("")), kept: Buffer.byteLength(kept.join("")) }),
  };
  return { kept, create: async () => writer };
}

describe("bounded output", () => {
  it("shows what fits as it is", async () => {
    const { kept, create } = keeper();
    expect(await boundOutput("short ü\n", 1024, open, create)).toEqual({ text: "short ü\n" });
    expect(kept).toEqual([]);
  });

  it("keeps head and tail, counts exactly what was cut, keeps the whole, and splits no character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { minLength: 200, maxLength: 400 }), async (lines) => {
        const text = lines.join("\n");
        const limit = 1024;
        const { kept, create } = keeper();
        const { text: shown, truncated } = await boundOutput(text, limit, open, create);
        if (truncated === undefined) return expect(shown).toBe(text);
        expect(kept.join("")).toBe(text);
        const [head = "", tail = ""] = shown.split(/\n\n\[\.\.\. \d+ of \d+ bytes left out here; [^\n]*\n\n/);
        expect(truncated).toEqual({
          shown: Buffer.byteLength(head) + Buffer.byteLength(tail),
          total: Buffer.byteLength(text),
          ref: "out_1",
        });
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(truncated.shown).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 60 },
    );
  });
});
