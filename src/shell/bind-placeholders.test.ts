/** Placeholders in shell text, run by real bash with hostile values. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { bindPlaceholders } from "./bind-placeholders.ts";

const hostile = [
  "a b  c",
  "x'y",
  'x"y',
  "$(touch pwned)",
  "`touch pwned`",
  "a\nb",
  "; touch pwned",
  "-n",
  "*",
  "\\",
  "$HOME",
  "${X}",
  "!x",
  "#c",
  "a=b",
  "'; touch pwned; '",
  "EOF\ntouch pwned",
];

function run(text: string, value: string): string {
  const { command, names, problems } = bindPlaceholders(text);
  expect(problems).toEqual([]);
  const env = { PATH: process.env.PATH ?? "", ...Object.fromEntries(names.map(({ variable }) => [variable, value])) };
  const { stdout, stderr, status } = spawnSync("bash", ["-c", command], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("a value arrives whole and inert", () => {
  const places: readonly (readonly [string, (value: string) => string])[] = [
    ["printf '<%s>' $KARYI{V} end", (value) => `<${value}><end>`],
    ["printf '<%s>' a$KARYI{V}b", (value) => `<a${value}b>`],
    [`printf '<%s>' "x $KARYI{V} y"`, (value) => `<x ${value} y>`],
    ["printf '<%s>' 'x $KARYI{V} y'", (value) => `<x ${value} y>`],
    ["printf '<%s>' $'x\\t$KARYI{V}'", (value) => `<x\t${value}>`],
    ["X=$KARYI{V}; printf '<%s>' \"$X\"", (value) => `<${value}>`],
    ["cat <<EOF\na $KARYI{V} b\nEOF\n", (value) => `a ${value} b\n`],
    ["cat <<'EOF'\na $KARYI{V} $HOME `x` \\ b\nEOF\n", (value) => `a ${value} $HOME \`x\` \\ b\n`],
    ["cat <<< $KARYI{V}", (value) => `${value}\n`],
    ["printf '<%s>' \"$(printf '%s' $KARYI{V}; printf x)\"", (value) => `<${value}x>`],
    ["for i in $KARYI{V}; do printf '<%s>' \"$i\"; done", (value) => `<${value}>`],
    ["[[ $KARYI{V} == x ]] || printf no", () => "no"],
    ["printf '<%s>' $KARYI{V} # $KARYI{V}", (value) => `<${value}>`],
  ];
  for (const [text, expected] of places) {
    it(JSON.stringify(text), () => {
      for (const value of hostile) expect(run(text, value)).toBe(expected(value));
    });
  }
});

describe("literals and refusals", () => {
  it("$$KARYI{X} is the literal text in every kind of quote", () => {
    for (const text of [
      "printf %s $$KARYI{X}",
      'printf %s "$$KARYI{X}"',
      "printf %s '$$KARYI{X}'",
      "cat <<'E'\n$$KARYI{X}\nE\n",
      "cat <<E\n$$KARYI{X}\nE\n",
    ]) {
      expect(run(text, "").trim()).toBe("$KARYI{X}");
    }
  });

  it("is refused where the value would be read as code", () => {
    for (const text of [
      "$KARYI{V} x",
      "eval echo $KARYI{V}",
      "eval 'echo $KARYI{V}'",
      "bash -c 'echo $KARYI{V}'",
      'bash -c "echo $KARYI{V}"',
      "echo $(( $KARYI{V} + 1 ))",
      "echo `echo $KARYI{V}`",
      "echo ${X:-$KARYI{V}}",
      "python3 -c 'print(\"$KARYI{V}\")'",
      "ssh host echo $KARYI{V}",
      "find . -exec sh -c 'echo $KARYI{V}' \\;",
      "env sh -c 'echo $KARYI{V}'",
    ]) {
      expect([text, bindPlaceholders(text).problems.length > 0]).toEqual([text, true]);
    }
  });

  it("text without a placeholder stays as it is", () => {
    for (const text of ["echo $KARYI", "echo hi", "cat <<EOF\nx\nEOF", "echo $KARYI{1}"]) expect(bindPlaceholders(text).command).toBe(text);
  });
});
