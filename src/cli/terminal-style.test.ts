import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { colourDiff, hasColour } from "./terminal-style.ts";

const terminal = { isTTY: true };

beforeEach(() => {
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("TERM", "xterm");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
const cyan = (text: string) => `\u001b[36m${text}\u001b[39m`;

describe("colours", () => {
  it("are for terminals, and not for who sets NO_COLOR or has a dumb one", () => {
    expect(hasColour(terminal, {})).toBe(true);
    expect(hasColour({}, {})).toBe(false);
    expect(hasColour(terminal, { NO_COLOR: "1" })).toBe(false);
    expect(hasColour(terminal, { TERM: "dumb" })).toBe(false);
  });

  it("colours the unified diffs in a text and nothing around them", () => {
    const text = [
      "It would change 2 file(s):",
      "  + b.txt",
      "- not a diff",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1,3 +1,3 @@",
      " one",
      "--- two",
      "+++ TWO",
      " three",
      "--- a/b.txt",
      "+++ b/b.txt",
      "@@ -0,0 +1 @@",
      "+x",
      "\\ No newline at end of file",
      "+ output of the command",
    ];
    const coloured = [...text];
    coloured[3] = bold("--- a/a.txt");
    coloured[4] = bold("+++ b/a.txt");
    coloured[5] = cyan("@@ -1,3 +1,3 @@");
    coloured[7] = red("--- two");
    coloured[8] = green("+++ TWO");
    coloured[10] = bold("--- a/b.txt");
    coloured[11] = bold("+++ b/b.txt");
    coloured[12] = cyan("@@ -0,0 +1 @@");
    coloured[13] = green("+x");
    expect(colourDiff(text.join("\n"), terminal).split("\n")).toEqual(coloured);
    expect(colourDiff(text.join("\n"), {})).toBe(text.join("\n"));
  });
});
