import { describe, expect, test } from "vitest";
import { cpuMs } from "../../../test/support/cpu-time.ts";
import fc from "../../../test/support/fast-check.ts";
import { CapturedOutput } from "./captured-output.ts";
import { cleanText } from "./clean-text.ts";
import { terminalEnvironment } from "./environment.ts";
import { MarkScanner } from "./shell/marks.ts";
import { type WaitFacts, waitKind } from "./waiting/wait-kind.ts";

describe("clean text", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["plain text as it is", "a\r\n  b\tc\r\n", "a\n  b\tc\n"],
    ["no colours", "\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x1b\\", "red link"],
    ["carriage returns overwrite", "10%\r50%\r100%\r\n", "100%\n"],
    ["a shorter text leaves the rest standing unless erased", "abcdef\rxy\nabcdef\r\x1b[Kxy", "xycdef\nxy"],
    ["backspaces", "helo\blo", "hello"],
    ["characters that are taken out, and what stands before the cursor", "abcdef\r\x1b[2P\n12345\b\b\x1b[1Kx", "cdef\n   x5"],
    ["bars of several lines collapse", "a 1\nb 1\n\x1b[2Aa 2\x1b[K\nb 2\x1b[K\n", "a 2\nb 2\n"],
    ["placed text starts a line", "one\x1b[5;1Htwo", "one\ntwo"],
    ["control characters vanish", "a\x00\x07b\x0e\x7f", "ab"],
  ];
  for (const [title, raw, text] of cases) test(title, () => expect(cleanText(raw)).toBe(text));

  test("takes time in proportion, whatever a sequence could change in a long line", () => {
    const timed = (count: number) => {
      const text = `${"y".repeat(100 * count)}${"\x1b[1K\r\x1b[P".repeat(count)}`;
      return cpuMs(() => void cleanText(text));
    };
    timed(1_000);
    expect(timed(8_000)).toBeLessThan(Math.max(1, timed(1_000)) * 30);
  });

  test("holds no control characters, whatever comes in", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("\x1b", "\x1b[", "\x1b]", "\r", "\b", "\n", "\x1b[3A", "\x1b[J", "\x9b"))),
        (parts) => {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
          expect(cleanText(parts.join(""))).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        },
      ),
    );
  });
});

test("captured output keeps the first and the last and counts exactly", () => {
  const output = new CapturedOutput();
  for (let n = 0; n < 30_000; n++) output.push(Buffer.from(`line ${n} ${"x".repeat(90)}\r\n`));
  const { text, omitted, total } = output.finish();
  expect(total).toBe(output.total);
  expect(text.length).toBeLessThan(260 * 1024);
  expect(text.startsWith("line 0 ")).toBe(true);
  expect(text.endsWith(`line 29999 ${"x".repeat(90)}\n`)).toBe(true);
  expect(text).toContain(`[... ${omitted} bytes left out ...]`);
});

test("marks are found and output is kept whole, however the bytes are cut", () => {
  const stream = Buffer.from(
    "a\x1b]133;N;C\x07out\x1b]133;C\x07\x1b]133;N;X\x07\x1b]133;N\x1b[0m\x1b]133;N;D;12;/a;b\x07\x1b]133;N;P;101\x07\x1b]133;N;B\x07$ \x1b]133;N;P;2\x07\x1b]133;N;D;0;\x07",
  );
  const expected = [
    "a",
    '{"kind":"start"}',
    "out\x1b]133;C\x07\x1b]133;N;X\x07\x1b]133;N\x1b[0m",
    '{"kind":"end","exitCode":12,"cwd":"/a;b"}{"kind":"ready","saved":true,"told":false,"short":true}{"kind":"prompt"}',
    "$ \x1b]133;N;P;2\x07",
    '{"kind":"end","exitCode":0}',
  ].join("");
  for (let step = 1; step <= stream.length; step++) {
    const scanner = new MarkScanner("N");
    let seen = "";
    const add = (text: string) => {
      seen += text;
    };
    for (let at = 0; at < stream.length; at += step) {
      scanner.push(
        stream.subarray(at, at + step),
        (bytes) => add(bytes.toString()),
        (mark) => add(JSON.stringify(mark)),
      );
    }
    expect(seen).toBe(expected);
  }
});

describe("the kind of a wait", () => {
  const cooked = { echo: true, canonical: true };
  const hidden = { echo: false, canonical: true };
  const raw = { echo: false, canonical: false };
  const base: WaitFacts = { discipline: cooked, alternate: false, addressed: false, line: "", names: ["x"], typedAt: false };
  const cases: readonly (readonly [string, Partial<WaitFacts>])[] = [
    ["password", { discipline: hidden, line: "Anything at all" }],
    ["password", { discipline: raw, line: "[sudo] password for ada: " }],
    ["password", { discipline: hidden, line: "请输入密码：" }],
    ["confirm", { line: "Do you want to continue? [Y/n] " }],
    ["confirm", { line: "Overwrite (y/n)? " }],
    ["confirm", { line: "Are you sure you want to continue connecting (yes/no/[fingerprint])? " }],
    ["confirm", { line: "Is this OK? (yes) " }],
    ["confirm", { line: "是否继续？" }],
    ["pager", { discipline: raw, names: ["less"], line: ":" }],
    ["pager", { discipline: raw, names: ["git"], line: "(END)" }],
    ["editor", { discipline: raw, names: ["vim.basic"], alternate: true }],
    ["fullscreen", { discipline: raw, names: ["htop"], alternate: true }],
    ["fullscreen", { discipline: raw, names: ["top"], addressed: true }],
    ["repl", { names: ["python3"], line: ">>> " }],
    ["repl", { names: ["sqlite3"], discipline: raw, line: "sqlite> " }],
    ["repl", { names: ["psql"], discipline: raw, line: "shop=# " }],
    ["repl", { names: ["bash"], discipline: raw, line: "bash-5.2$ " }],
    ["repl", { names: ["bash"], discipline: raw, line: "Sure? [y/N] ", typedAt: true }],
    ["repl", { names: ["zsh"], discipline: raw, line: ":", typedAt: true }],
    ["repl", { names: ["dash", "bash"], line: "(y/n) ", typedAt: true }],
    ["confirm", { names: ["bash"], discipline: raw, line: "Sure? [y/N] " }],
    ["confirm", { names: ["cat", "sh"], line: "Sure? [y/N] ", typedAt: true }],
    ["confirm", { line: "rm: remove regular file 'n'? " }],
    ["confirm", { line: "Voulez-vous continuer (o/n) " }],
    ["confirm", { line: "Продолжить? [Д/н] " }],
    ["confirm", { line: "是否继续安装" }],
    ["editor", { discipline: raw, names: ["editor"], alternate: true }],
    ["repl", { names: ["bc"], discipline: raw, line: "" }],
    ["repl", { names: ["node"], discipline: raw, line: "", typedAt: true }],
    ["input", { names: ["node"], discipline: raw, line: "package name: (x) " }],
    ["input", { line: "Date (dd/mm/yyyy): " }],
    ["input", { line: "Your name: " }],
    ["input", { line: "" }],
    ["input", { discipline: undefined, line: "Value? " }],
  ];
  for (const [kind, facts] of cases) test(`${kind}: ${JSON.stringify(facts)}`, () => expect(waitKind({ ...base, ...facts })).toBe(kind));
});

test("a terminal's environment holds no secrets of the surroundings, and what was exported on purpose", () => {
  const env = terminalEnvironment(
    { HOME: "/h", GITHUB_TOKEN: "x", PROMPT_COMMAND: "evil", "BASH_FUNC_ls%%": "() { :; }", LANG: "C.UTF-8" },
    { MY_TOKEN: "mine" },
  );
  expect(env).toEqual({ HOME: "/h", LANG: "C.UTF-8", KARYI_CALL_MARK: "terminal", MY_TOKEN: "mine", TERM: "xterm-256color" });
});
