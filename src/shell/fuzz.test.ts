/** Whatever the text: an answer, never an exception, and soon. */
import { describe, expect, it } from "vitest";
import { attacks, benign, corpus, floor, world } from "./fixtures/cases.ts";
import { mutate, pick, random } from "./fixtures/generate.ts";
import { analyzeCommand, bindPlaceholders, parseShell } from "./index.ts";

const full = process.env.KARYI_FULL === "1";

describe("any text", () => {
  it("is analysed, extracted and bound without an exception", { timeout: 600_000 }, () => {
    const next = random(7);
    const known = [...benign, ...attacks, ...floor, ...corpus.map((one) => one.command)];
    for (let count = full ? 60_000 : 3_000; count > 0; count -= 1) {
      const text = mutate(pick(known, next), known, next);
      expect(() => {
        const analysis = analyzeCommand(text, world);
        JSON.stringify(analysis);
        bindPlaceholders(text.replace(/x/g, "$KARYI{X}"));
      }, text).not.toThrow();
    }
  });

  it("made of random characters is answered too", () => {
    const next = random(11);
    const characters = [..."abc $(){}[]<>|&;'\"`\\\n\t#!*?~=+-@%/.:,0123\u00a0\u200b\ud800\u0000😀"];
    for (let count = full ? 20_000 : 2_000; count > 0; count -= 1) {
      const text = Array.from({ length: Math.floor(next() * 40) }, () => pick(characters, next)).join("");
      expect(() => parseShell(text).understood && analyzeCommand(text, world), text).not.toThrow();
    }
  });
});

describe("hostile shapes", () => {
  const chain = (part: string, count: number, join: string): string => Array.from({ length: count }, () => part).join(join);
  const shapes: Readonly<Record<string, string>> = {
    parentheses: "(".repeat(60_000),
    substitutions: "$(".repeat(30_000),
    closed: `${"$(echo ".repeat(400)}x${")".repeat(400)}`,
    parameters: "${x:-".repeat(10_000),
    backquotes: "`".repeat(60_000),
    arithmetic: `echo $((${"1+".repeat(30_000)}1))`,
    braces: "{a,".repeat(20_000),
    product: `echo ${"{1..100}".repeat(6)}`,
    heredocs: "cat <<A ".repeat(5_000),
    cases: "case x in x) ".repeat(5_000),
    loops: `${"for i in 1 2 3 4 5 6 7 8; do ".repeat(12)}ls${"; done".repeat(12)}`,
    growing: `${"while a; do x=$x$y; ".repeat(30)}ls${"; done".repeat(30)}`,
    functions: `${Array.from({ length: 300 }, (_, index) => `f${index}(){ f${index + 1};f${index + 1}; }`).join(";")};f0`,
    variables: Array.from({ length: 8_000 }, (_, index) => `v${index}=1`).join(";"),
    wrappers: `${"env ".repeat(12_000)}ls`,
    xargs: `${"xargs ".repeat(8_000)}ls`,
    shells: `${"bash -c '".repeat(60)}ls`,
    patterns: `cat ${"*a".repeat(20_000)}`,
    sed: `sed '${"s/a/b/;".repeat(8_000)}' x`,
    long: "x".repeat(70_000),
  };

  it.each(Object.keys(shapes))("%s: an answer soon, and never understood when it was not followed to its end", (name) => {
    const text = shapes[name] ?? "";
    const start = process.cpuUsage();
    const { understood } = analyzeCommand(text, world);
    const { user, system } = process.cpuUsage(start);
    // Far above what it takes; a quadratic answer would take seconds.
    expect((user + system) / 1_000).toBeLessThan(1_500);
    if (!/variables|sed|patterns|arithmetic|product/.test(name)) expect(understood).toBe(false);
  });

  it("judges every command of a chain of 5,000", () => {
    for (const join of [" && ", "; ", " || ", "\n", " | "]) {
      const analysis = analyzeCommand(`${chain("true", 5_000, join)}${join}touch pwned`, world);
      expect(analysis.effects.filter((effect) => effect.kind === "run").length).toBe(5_001);
      expect(analysis.effects).toContainEqual({ kind: "write", path: "/repo/pwned", change: "modify" });
    }
  });
});
