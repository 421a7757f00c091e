import { expect, it } from "vitest";
import { SseParser } from "../live/sse-parser.ts";
import { toneOf } from "./ansi-colours.ts";
import { stripSequences } from "./strip-sequences.ts";
import { hasHidden, plainHost, suspicious } from "./suspicious.ts";

it("invisible and direction-changing characters are found and named", () => {
  expect(suspicious("rm \u202Ea\u200B")).toEqual([
    { text: "rm ", hidden: false },
    { text: "U+202E", hidden: true },
    { text: "a", hidden: false },
    { text: "U+200B", hidden: true },
  ]);
  expect(hasHidden("plain, 中文, é, tab\there")).toBe(false);
  expect(plainHost("gооgle.com")).toMatch(/^xn--/);
  expect(plainHost("google.com")).toBeUndefined();
});

it("of escape sequences only colour is kept", () => {
  const esc = "\u001b";
  expect(stripSequences(`${esc}]0;title\u0007${esc}[2J${esc}[31mred${esc}[0m${esc}]8;;http://x\u0007link${esc}]8;;\u0007`)).toBe(
    `${esc}[31mred${esc}[0mlink`,
  );
  expect(stripSequences(`${esc}]52;c;aGk=\u0007done`)).toBe("done");
  expect(stripSequences("10%\r50%\r100%\nnext")).toBe("100%\nnext");
});

it("every colour of a terminal becomes one that can be read in both themes, a grey the text's own", () => {
  const tones = (all: readonly (readonly [string | null, string | null])[]) => all.map(([name, rgb]) => toneOf(name, rgb));
  expect(
    tones([
      [null, null],
      ["ansi-red", null],
      ["ansi-bright-green", null],
      ["ansi-black", null],
      ["ansi-palette-208", null],
      ["ansi-palette-21", null],
      ["ansi-palette-244", null],
      ["ansi-palette-9", null],
      ["ansi-truecolor", "1, 2, 250"],
      ["ansi-truecolor", "255, 255, 254"],
      ["ansi-truecolor", "0, 200, 190"],
    ]),
  ).toEqual([undefined, "red", "green", undefined, "yellow", "blue", undefined, "red", "blue", undefined, "cyan"]);
});

it("events are read from chunks that are cut anywhere", () => {
  const whole = ': hi\n\nid: 4\nevent: text\ndata: {"a":1}\n\nid: 5\nevent: inbox\ndata: x\ndata: y\n\n';
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const parser = new SseParser();
    expect([...parser.push(whole.slice(0, cut)), ...parser.push(whole.slice(cut))]).toEqual([
      { id: "4", event: "text", data: '{"a":1}' },
      { id: "5", event: "inbox", data: "x\ny" },
    ]);
  }
});
