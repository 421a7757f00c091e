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
