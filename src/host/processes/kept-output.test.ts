import fc from "fast-check";
import { expect, it } from "vitest";
import { KeptOutput } from "./kept-output.ts";

function pagesOf(output: KeptOutput, limit: number): { text: string; dropped: number } {
  let text = "";
  let dropped = 0;
  for (let offset = 0; offset < output.total; ) {
    const page = output.read(offset, limit);
    text += page.text;
    dropped += page.dropped;
    offset = page.next;
  }
  return { text, dropped };
}

it("pages of any size give back what was printed, characters whole, whatever bytes stand beside them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "é", "漢", "🎉", "\n"), { maxLength: 60 }),
      fc.integer({ min: 4, max: 20 }),
      (letters, limit) => {
        const output = new KeptOutput();
        const text = letters.join("");
        for (const byte of Buffer.from(text)) output.push(Buffer.from([byte]));
        expect(pagesOf(output, limit)).toEqual({ text, dropped: 0 });
      },
    ),
  );
  const output = new KeptOutput();
  output.push(Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.from("漢漢")]));
  expect(pagesOf(output, 7)).toEqual({ text: "\ufffd\ufffd漢漢", dropped: 0 });
});

it("the ends stay and the rest is counted, in memory that does not grow with the number of pieces", () => {
  const output = new KeptOutput();
  const piece = Buffer.from("x");
  const before = process.memoryUsage().rss;
  for (let count = 0; count < 3_000_000; count++) output.push(piece);
  expect(process.memoryUsage().rss - before).toBeLessThan(48 << 20);
  expect(pagesOf(output, 64 * 1024)).toEqual({ text: "x".repeat(1000 * 1024), dropped: 3_000_000 - 1000 * 1024 });
});

it("lines of stderr are marked, however they come in pieces, and a line never holds both streams", () => {
  const output = new KeptOutput();
  const pieces = [
    ["stdout", "out\n"],
    ["stderr", "on"],
    ["stderr", "e\n\ntwo\nthr"],
    ["stdout", "half"],
    ["stderr", "ee\n"],
    ["stdout", ""],
    ["stderr", "last"],
  ] as const;
  for (const [stream, text] of pieces) output.print(stream, Buffer.from(text));
  expect(pagesOf(output, 64 * 1024).text).toBe(
    "out\n[stderr] one\n[stderr] \n[stderr] two\n[stderr] thr\nhalf\n[stderr] ee\n[stderr] last",
  );
});
