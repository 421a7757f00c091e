import { describe, expect, test } from "vitest";
import fc from "../../../../test/support/fast-check.ts";
import { VirtualScreen } from "./virtual-screen.ts";

function screen(text: string, rows = 5, columns = 10): string[] {
  const made = new VirtualScreen(rows, columns);
  made.write(Buffer.from(text));
  return [...made.view().lines];
}

describe("a virtual screen", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["prints and wraps", "0123456789ab", ["0123456789", "ab", "", "", ""]],
    ["fills a line without wrapping early", "0123456789\r\nx", ["0123456789", "x", "", "", ""]],
    ["scrolls at the bottom", "1\r\n2\r\n3\r\n4\r\n5\r\n6", ["2", "3", "4", "5", "6"]],
    ["moves and erases", "abcdef\x1b[3D\x1b[K\x1b[2;3Hx\x1b[1;1H\x1b[1P", ["bc", "  x", "", "", ""]],
    ["erases the screen", "abc\x1b[2J\x1b[Hx", ["x", "", "", "", ""]],
    ["inserts and deletes lines in a region", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[2H\x1b[L\x1b[3H\x1b[M", ["1", "", "3", "", "5"]],
    ["inserts characters", "abc\x1b[1G\x1b[2@\x1b[4hX\x1b[4l", ["X  abc", "", "", "", ""]],
    ["scrolls back at the top", "1\r\n2\x1b[H\x1bM0", ["0", "1", "2", "", ""]],
    ["keeps the main screen beside the alternate one", "main\x1b[?1049h\x1b[Hother\x1b[?1049l!", ["main!", "", "", "", ""]],
    ["holds wide characters together", "中文\x1b[2G|", [" |文", "", "", "", ""]],
    ["wraps a wide character whole", "123456789中", ["123456789", "中", "", "", ""]],
    ["combines marks", "e\u0301x", ["e\u0301x", "", "", "", ""]],
    ["knows tabs and backspace", "a\tb\b\bc", ["a      cb", "", "", "", ""]],
    ["drops colours, titles and strings", "\x1b[1;31mr\x1b[0m\x1b]0;title\x07\x1bPq#\x1b\\g", ["rg", "", "", "", ""]],
    ["draws lines", "\x1b(0lqk\x1b(B-", ["┌─┐-", "", "", "", ""]],
    ["repeats a character", "=\x1b[4b", ["=====", "", "", "", ""]],
    ["honours origin mode", "\x1b[2;4r\x1b[?6h\x1b[Hx\x1b[9Hy", ["", "x", "", "y", ""]],
    ["stays in the last column without autowrap", "\x1b[?7l0123456789xyz", ["012345678z", "", "", "", ""]],
  ];
  for (const [title, text, lines] of cases) test(title, () => expect(screen(text)).toEqual(lines));

  test("answers what a program asks its terminal, never with a line end", () => {
    const replies: string[] = [];
    const made = new VirtualScreen(5, 10, (text) => replies.push(text));
    made.write(Buffer.from("ab\r\nc\x1b[6n\x1b[c\x1b[5n"));
    expect(replies).toEqual(["\x1b[2;2R", "\x1b[?1;2c", "\x1b[0n"]);
  });

  test("what it paints is what it shows", () => {
    const made = new VirtualScreen(5, 10);
    made.write(Buffer.from("one\r\n  two 中\x1b[4;2H"));
    const other = new VirtualScreen(5, 10);
    other.write(Buffer.from(made.paint()));
    expect(other.view()).toEqual(made.view());
  });

  test("a flood ends with its end", () => {
    const made = new VirtualScreen(5, 10);
    for (let n = 0; n < 50_000; n++) made.write(Buffer.from(`${n}\r\n`));
    expect(made.view().lines).toEqual(["49996", "49997", "49998", "49999", ""]);
  });

  const piece = fc.oneof(
    fc.string(),
    fc
      .tuple(
        fc.constantFrom("", "?", ">", "!"),
        fc.array(fc.integer({ min: -1, max: 99_999 }), { maxLength: 4 }),
        fc.string({ minLength: 1, maxLength: 1 }),
      )
      .map(([mark, numbers, final]) => `\x1b[${mark}${numbers.join(";")}${final}`),
    fc.constantFrom(
      "\x1bM",
      "\x1bD",
      "\x1b7",
      "\x1b8",
      "\x1b[?1049h",
      "\x1b[?1049l",
      "\x1b[r",
      "\x1b[2;3r",
      "\n",
      "\r",
      "\t",
      "\b",
      "中",
      "👩‍💻",
      "e\u0301",
      "\x1b(0",
      "\x1bc",
      "\x1b]0;",
    ),
  );

  test("never throws and never leaves its size, whatever it is fed and however it is resized", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.tuple(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 2, max: 40 }))), { maxLength: 60 }),
        fc.integer({ min: 2, max: 12 }),
        (pieces, size) => {
          const made = new VirtualScreen(size, size + 3);
          for (const each of pieces) {
            if (typeof each === "string") made.write(Buffer.from(each));
            else made.resize(...each);
            const { lines, row, column } = made.view();
            expect(lines.length).toBe(made.rows);
            expect(row >= 0 && row < made.rows && column >= 0 && column < made.columns).toBe(true);
          }
        },
      ),
      { numRuns: process.env.KARYI_FULL === "1" ? 5_000 : 300 },
    );
  });

  test("shows the same however its bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 7 }), (pieces, step) => {
        const bytes = Buffer.from(pieces.join(""));
        const whole = new VirtualScreen(6, 12);
        const cut = new VirtualScreen(6, 12);
        whole.write(bytes);
        for (let at = 0; at < bytes.length; at += step) cut.write(bytes.subarray(at, at + step));
        expect(cut.view()).toEqual(whole.view());
      }),
      { numRuns: process.env.KARYI_FULL === "1" ? 5_000 : 300 },
    );
  });
});
