/** The virtual screen against xterm's headless one: the same text on the screen, and the cursor at the same place. */
import headless from "@xterm/headless";
import { expect, test } from "vitest";
import fc from "../../../../test/support/fast-check.ts";
import { VirtualScreen } from "./virtual-screen.ts";

const rows = 6;
const columns = 20;

async function oracle(text: string): Promise<{ lines: string[]; row: number; column: number }> {
  const terminal = new headless.Terminal({ rows, cols: columns, allowProposedApi: true, scrollback: 0 });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: rows }, (_, at) => active.getLine(active.baseY + at)?.translateToString(true) ?? "");
  // After the last column xterm's cursor stands beyond it.
  const found = { lines: lines.map((line) => line.trimEnd()), row: active.cursorY, column: Math.min(active.cursorX, columns - 1) };
  terminal.dispose();
  return found;
}

const pieces = [
  ..."abc xyz".split(""),
  "\r\n",
  "\r",
  "\b",
  "\t",
  "word ",
  "\x1b[2J",
  "\x1b[H",
  "\x1b[K",
  "\x1b[1K",
  "\x1b[2;3H",
  "\x1b[A",
  "\x1b[2B",
  "\x1b[3C",
  "\x1b[2D",
  "\x1b[L",
  "\x1b[M",
  "\x1b[2P",
  "\x1b[2@",
  "\x1b[2X",
  "\x1b[2;4r",
  "\x1b[r",
  "\x1bM",
  "\x1b7",
  "\x1b8",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b[?1049hother\x1b[?1049l",
  "\x1b[?1049h",
  "\x1b[?1049l",
  "\x1b[?47h",
  "\x1b[?47l",
  "\x1b[s",
  "\x1b[u",
  "\x1b[J",
  "\x1b[1J",
  "\x1b[S",
  "\x1b[T",
  "\x1b[3G",
  "\x1b[2d",
  "\x1bD",
  "\x1bE",
  "é",
  "a long line that is wider than the screen",
];

test("shows what xterm's headless terminal shows, whatever a program prints", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (list) => {
      const text = list.join("");
      const screen = new VirtualScreen(rows, columns);
      screen.write(Buffer.from(text));
      const { lines, row, column } = screen.view();
      expect({ lines: lines.map((line) => line.trimEnd()), row, column }).toEqual(await oracle(text));
    }),
    { numRuns: process.env.KARYI_FULL === "1" ? 8000 : 300 },
  );
});
