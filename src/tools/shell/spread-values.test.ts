import { expect, it } from "vitest";
import { maskSpread, maskSpreadPage } from "./spread-values.ts";

const value = ["s3cr", "et-Val", "ue99"].join("");
const used = [{ name: "KEY", value }];

it.each([
  ["reversed", [...value].reverse().join("")],
  ["in capitals", value.toUpperCase()],
  ["spaced out", [...value].join(" ")],
  ["one character a line", [...value].join("\n")],
  ["wrapped anew", value.replace(/(.{4})/g, "$1\n")],
  ["dumped", `0000000   ${[...value.slice(0, 8)].join("   ")}\n0000010   ${[...value.slice(8)].join("   ")}\n0000016`],
  [
    "in base64 of short lines",
    Buffer.from(`a${value}b`)
      .toString("base64")
      .replace(/(.{5})/g, "$1\n"),
  ],
  ["in pieces but for its end", value.slice(0, -1).replace(/(.{4})/g, "$1\n")],
  ["its last half", value.slice(-8)],
  ["in hex, half of it", Buffer.from(value).toString("hex").slice(0, 20)],
  ["on stderr", `[stderr] ${value.slice(0, 6)}\n[stderr] ${value.slice(6)}`],
])("a value %s is masked", (_, printed) => {
  const masked = maskSpread(`before\n${printed}\nafter\n`, used);
  expect(masked).toContain("$KARYI{KEY}");
  expect(masked.replaceAll(/\s/g, "").toLowerCase()).not.toContain(value.slice(4).toLowerCase());
  expect([masked.startsWith("before\n"), masked.endsWith("after\n")]).toEqual([true, true]);
});

it.each([
  ["xxd", (hex: string) => hex.replace(/(.{4})/g, "$1 "), (letters: string) => letters],
  ["hexdump -C", (hex: string) => hex.replace(/(.{2})/g, "$1 ").replace(/^(.{24})/, "$1 "), (letters: string) => `|${letters}|`],
])("a value that %s shows over several lines is masked in both columns", (_, groups, letters) => {
  const long = `${value}-${value}`;
  const rows = [long.slice(0, 16), long.slice(16)];
  const printed = rows.map((row, at) => `000000${at}0: ${groups(Buffer.from(row).toString("hex")).padEnd(50)} ${letters(row)}`).join("\n");
  const masked = maskSpread(`x\n${printed}\ny`, [{ name: "KEY", value: long }]);
  expect(masked).toContain("$KARYI{KEY}");
  expect(masked).not.toContain(long.slice(0, 12));
  expect(masked.replaceAll(" ", "")).not.toContain(Buffer.from(long.slice(0, 12)).toString("hex"));
});

it("a small part of a value is left alone", () => {
  const url = "https://user:some-long-password@host.example/path";
  expect(maskSpread("see https://other.example/", [{ name: "K", value: url }])).toBe("see https://other.example/");
});

it("each line of a value is one, and short ones are left alone", () => {
  const lines = ["first-line-of-it", "second-line-of-it", "ab"].join("\n");
  expect(maskSpread("x second-line-of-it y ab", [{ name: "K", value: lines }])).toBe("x $KARYI{K} y ab");
  expect(maskSpread("abc abc", [{ name: "K", value: "abc" }])).toBe("abc abc");
});

it.each([
  ["reversed", [...value].reverse().join("")],
  ["one character a line", [...value].join("\n")],
  ["in base64", Buffer.from(value).toString("base64").replace(/=+$/, "")],
])("a value %s that is read in steps while it is printed shows no more than a few of its letters", (_, printed) => {
  const whole = `ready\n${printed}\ndone\n`;
  let shown = "";
  let at = 0;
  for (let end = 1; end <= whole.length; end += 1) {
    const page = { before: whole.slice(0, at), text: whole.slice(at, end), after: "", goesOn: end < whole.length };
    const { text, held } = maskSpreadPage(page, used);
    shown += text;
    at = end - held;
  }
  const said = shown.replaceAll(/\$KARYI\{KEY\}|\s/g, "");
  expect([said.startsWith("ready"), said.endsWith("done"), said.length < "readydone".length + 5, shown.includes("$KARYI{KEY}")]).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

it("a value across the edges of a page is masked on both sides, and what is no value is shown at once", () => {
  const reversed = [...value].reverse().join("");
  for (let cut = 1; cut < reversed.length; cut += 1) {
    const [left, right] = [`a ${reversed.slice(0, cut)}`, `${reversed.slice(cut)} b`];
    expect(maskSpreadPage({ before: "", text: left, after: right, goesOn: true }, used)).toEqual({ text: "a $KARYI{KEY}", held: 0 });
    expect(maskSpreadPage({ before: left, text: right, after: "", goesOn: true }, used)).toEqual({ text: "$KARYI{KEY} b", held: 0 });
  }
  const ready = { before: "", text: "Listening on 3000\n", after: "", goesOn: true };
  expect(maskSpreadPage(ready, used)).toEqual({ text: ready.text, held: 0 });
});
