import { describe, expect, it } from "vitest";
import fc from "../../../../test/support/fast-check.ts";
import type { TextEncoding } from "../text/encoding.ts";
import { decodeText } from "../text/encoding.ts";
import type { Document } from "./codec.ts";
import { codecOf, encode } from "./codec.ts";
import { replaceText } from "./replace.ts";

const runs = process.env.KARYI_FULL === "1" ? 5_000 : 400;

const alphabets: Readonly<Partial<Record<TextEncoding, string>>> = {
  "utf-8": "ab{} \t=é中文😀",
  "utf-16le": "ab{} \t=é中文😀\u0a0d\u0d0a",
  "utf-16be": "ab{} \t=é中文😀\u0a0d\u0d0a",
  "windows-1252": "ab{} \t=éÀœ€",
  gb18030: "ab{}|\\ \t=中文乗佢é",
  big5: "ab{}|\\ \t=中文功許蓋",
  shift_jis: "ab{}|\\ \t=日本ソ表能ｱ",
  "euc-kr": "ab{} \t=한국어똠",
  "euc-jp": "ab{} \t=日本ソ表",
};
const encodings = Object.keys(alphabets) as TextEncoding[];
const endings = ["\n", "\r\n", "\r"] as const;

interface Sample {
  readonly encoding: TextEncoding;
  readonly mark: boolean;
  readonly before: string;
  readonly match: string;
  readonly after: string;
  readonly newText: string;
}

/** Text as pieces between line ends, so that each end can be of any kind. */
const sample: fc.Arbitrary<Sample> = fc.constantFrom(...encodings).chain((encoding) => {
  const line = fc.array(fc.constantFrom(...[...(alphabets[encoding] ?? "")]), { maxLength: 6 }).map((characters) => characters.join(""));
  const text = (most: number) =>
    fc
      .array(fc.tuple(line, fc.constantFrom(...endings)), { maxLength: most })
      .chain((lines) => line.map((last) => [...lines.flat(), last].join("")));
  return fc.record({
    encoding: fc.constant(encoding),
    mark: fc.boolean(),
    before: text(4),
    match: text(3),
    after: text(4),
    newText: text(3).map((value) => value.replace(/\r\n?/g, "\n")),
  });
});

const marks: Readonly<Partial<Record<TextEncoding, number[]>>> = {
  "utf-8": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};

async function bytesOf(encoding: TextEncoding, text: string): Promise<Buffer> {
  const encoded = await encode(codecOf(encoding, 0), text);
  if ("unencodable" in encoded) throw new Error(`not in ${encoding}: ${encoded.unencodable}`);
  return encoded.bytes;
}

const lf = (text: string): string => text.replace(/\r\n?/g, "\n");

describe("replacing text in bytes", () => {
  it("changes no byte outside of the match, whatever the text, the encoding and the line endings", async () => {
    let replaced = 0;
    await fc.assert(
      fc.asyncProperty(sample, async ({ encoding, mark, before, match, after, newText }) => {
        // A piece that starts with LF after one that ends with CR would make one ending of two.
        fc.pre(match !== "" && lf(match) !== newText && !`${before}|${match}|${after}`.includes("\r|\n"));
        const bom = Buffer.from(mark ? (marks[encoding] ?? []) : []);
        const [head, middle, tail] = await Promise.all([bytesOf(encoding, before), bytesOf(encoding, match), bytesOf(encoding, after)]);
        const document: Document = { bytes: Buffer.concat([bom, head, middle, tail]), codec: codecOf(encoding, bom.length) };
        const outcome = await replaceText(document, { oldText: lf(match), newText, replaceAll: false });
        if (outcome.kind !== "replaced") {
          // The text is there, so only a second occurrence may stop the edit.
          expect(outcome).toMatchObject({ kind: "mismatch", mismatch: { reason: "not_unique" } });
          return;
        }
        replaced++;
        const start = bom.length + head.length;
        expect(outcome.bytes.subarray(0, start).equals(document.bytes.subarray(0, start))).toBe(true);
        expect(outcome.bytes.subarray(outcome.bytes.length - tail.length).equals(tail)).toBe(true);
        const inserted = outcome.bytes.subarray(start, outcome.bytes.length - tail.length);
        expect(lf((await decodeText(inserted, encoding)).text)).toBe(newText);
      }),
      { numRuns: runs },
    );
    expect(replaced).toBeGreaterThan(runs / 4);
  });

  it("keeps bytes that are no text in their encoding", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), async (before, after) => {
        const wall = Buffer.from("\n#needle#\n");
        const bytes = Buffer.concat([before, wall, after]);
        fc.pre(bytes.indexOf("needle") === bytes.lastIndexOf("needle"));
        for (const encoding of ["utf-8", "windows-1252", "gb18030", "shift_jis"] as const) {
          const outcome = await replaceText(
            { bytes, codec: codecOf(encoding, 0) },
            { oldText: "needle", newText: "thread", replaceAll: false },
          );
          const expected = Buffer.concat([before, Buffer.from("\n#thread#\n"), after]);
          expect(outcome).toMatchObject({ kind: "replaced" });
          if (outcome.kind === "replaced") expect(outcome.bytes.equals(expected)).toBe(true);
        }
      }),
      { numRuns: runs / 4 },
    );
  });

  it("does not match inside a character of two bytes", async () => {
    // The second byte of 表 is a backslash in Shift-JIS, that of 功 a backslash in Big5.
    for (const [encoding, text] of [
      ["shift_jis", "表 \\ 表\n"],
      ["big5", "功 \\ 功\n"],
    ] as const) {
      const document: Document = { bytes: await bytesOf(encoding, text), codec: codecOf(encoding, 0) };
      const outcome = await replaceText(document, { oldText: "\\", newText: "/", replaceAll: true });
      expect(outcome).toEqual({ kind: "replaced", bytes: await bytesOf(encoding, text.replace("\\", "/")), spans: expect.any(Array) });
    }
  });

  it("names the character that the encoding cannot hold", async () => {
    const document: Document = { bytes: Buffer.from("caf\u00e9\n", "latin1"), codec: codecOf("windows-1252", 0) };
    expect(await replaceText(document, { oldText: "café", newText: "咖啡", replaceAll: false })).toEqual({
      kind: "unencodable",
      character: "咖",
    });
    expect(await replaceText(document, { oldText: "咖啡", newText: "x", replaceAll: false })).toMatchObject({
      mismatch: { reason: "no_match", cause: "not_encodable" },
    });
  });
});
