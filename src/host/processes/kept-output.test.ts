import { expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import type { MaskPage, PrintedPage } from "../../contract/index.ts";
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

it("a masked page is given what stands around it, as far as that is kept, and goes on only at the end", () => {
  const seen: PrintedPage[] = [];
  const see: MaskPage = (page) => {
    seen.push(page);
    return { text: page.text.toUpperCase(), held: page.goesOn ? 1 : 0 };
  };
  const short = new KeptOutput();
  short.push(Buffer.from("one\ntwo\nthré"));
  expect(short.readMasked(4, 3, see, true)).toEqual({ text: "TWO", next: 6, dropped: 0 });
  expect(short.readMasked(8, 99, see, true)).toEqual({ text: "THRÉ", next: 11, dropped: 0 });
  expect(short.readMasked(99, 99, see, false)).toEqual({ text: "", next: 13, dropped: 0 });
  const whole = { goesOn: true, after: "" };
  expect(seen.splice(0)).toEqual([
    { ...whole, before: "one\n", text: "two", after: "\nthré" },
    { ...whole, before: "one\ntwo\n", text: "thré" },
    { goesOn: false, after: "", before: "one\ntwo\nthré", text: "" },
  ]);
  const long = new KeptOutput();
  for (let at = 0; at < 2048; at += 1) long.push(Buffer.from(`${at.toString().padEnd(1023, ".")}\n`));
  // The first 800 lines and the last 200 are kept: nothing of the one is around the other.
  const offsets = [799, 800, 1848, 1948].map((at) => at * 1024);
  const pages = offsets.map((offset) => long.readMasked(offset, 1024, see, true));
  expect(pages.map(({ text, next, dropped }) => [Number.parseInt(text, 10), next, dropped / 1024])).toEqual([
    [799, 800 * 1024, 0],
    [1848, 1849 * 1024, 1048],
    [1848, 1849 * 1024, 0],
    [1948, 1949 * 1024, 0],
  ]);
  expect(seen.map(({ before, after, goesOn }) => [before.length, after.length, goesOn])).toEqual([
    [63 * 1024, 0, false],
    [0, 64 * 1024, false],
    [0, 64 * 1024, false],
    [63 * 1024, 64 * 1024, false],
  ]);
});
