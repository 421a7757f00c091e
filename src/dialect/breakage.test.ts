/** Breaks right calls in many ways, as models do: what comes out is the call, or it is marked, or it is refused with a reason. */
import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../contract/index.ts";
import { encodeCalls, parseParts } from "./index.ts";
import type { DecodedCall, TextDialect } from "./types.ts";

type Break = (text: string, at: (limit: number) => number) => string;

const once =
  (from: string | RegExp, to: string): Break =>
  (text) =>
    text.replace(from, to);
const all =
  (from: string | RegExp, to: string): Break =>
  (text) =>
    text.replaceAll(from, to);
const cutAt =
  (share: number): Break =>
  (text, at) =>
    text.slice(0, Math.max(1, Math.floor(text.length * share) + at(5) - 2));
const around =
  (before: string, after: string): Break =>
  (text) =>
    before + text + after;

const everywhere: Readonly<Record<string, Break>> = {
  "prose before": around("I will do it.\n\n", ""),
  "prose behind": around("", "\n\nThat should do."),
  "a code fence": around("```xml\n", "\n```"),
  "a nameless fence": around("```\n", "\n```"),
  "a fence that never closes": around("```\n", ""),
  "blanks behind lines": all("\n", "  \n"),
  "carriage returns": all("\n", "\r\n"),
  "an indented reply": (text) => text.replaceAll(/^/gm, "  "),
  "blank lines around": around("\n\n\n", "\n\n\n"),
  "a thought before": around("<think>I could read it.</think>\n", ""),
  "a byte order mark": around("\ufeff", ""),
  "said twice": (text) => `${text}\n${text}`,
  "cut near its start": cutAt(0.2),
  "cut in the middle": cutAt(0.5),
  "cut near its end": cutAt(0.9),
  "the last character lost": (text) => text.slice(0, -1),
};

const markup: Readonly<Record<string, Break>> = {
  "the last end tag lost": once(/<\/[^>]*>\s*$/, ""),
  "the first end tag lost": once(/<\/[^>]*>/, ""),
  "tags in capitals": (text) => text.replaceAll(/<\/?[a-z_]+/g, (tag) => tag.toUpperCase()),
  "blanks in end tags": all(/<\/([a-z_]+)>/g, "</$1 >"),
  "a stray end tag behind": around("", "\n</tool_call>"),
  "an unclosed comment before": around("<!-- call -->\n", ""),
  "a doubled opening tag": once(/^<([a-z_]+)[^>]*>/, "$&\n$&"),
  "smart quotes in tags": all(/="([^"]*)"/g, "=“$1”"),
  "no quotes in tags": all(/="([\w.]*)"/g, "=$1"),
  "single quotes in tags": all(/="([^"]*)"/g, "='$1'"),
};

const json: Readonly<Record<string, Break>> = {
  "single quotes": (text) => text.replaceAll('"', "'"),
  "smart quotes": all(/"([^"\\]*)"/g, "“$1”"),
  "a trailing comma": once(/\}(\s*[}\]<`]*\s*)$/, ",}$1"),
  "bare keys": all(/"(\w+)":/g, "$1:"),
  "Python's words": all(/: ?true/g, ": True"),
  "a comment inside": once(/\{/, "{ // the call\n"),
  "a block comment inside": once(/\{/, "{ /* the call */ "),
  "the last brace lost": (text) => text.replace(/\}(?=[^}]*$)/, ""),
  "the last two braces lost": (text) => text.replace(/\}\s*\}(?=[^}]*$)/, ""),
  "a brace too many": (text) => text.replace(/\}(?=[^}]*$)/, "}}"),
  "parameters instead of arguments": once('"arguments"', '"parameters"'),
  "tool instead of name": once('"name"', '"tool"'),
  "arguments as text": (text) =>
    text.replace(/("arguments": ?)(\{[^{}]*\})/, (_, key: string, value: string) => key + JSON.stringify(value)),
  "a missing comma": once(/",\s*"/, '" "'),
  "raw line breaks in texts": all("\\n", "\n"),
  "escaped quotes around keys": all(/"(\w+)":/g, '\\"$1\\":'),
};

/** A fence in a fence is an example. */
function withoutFences(breaks: Readonly<Record<string, Break>>): Readonly<Record<string, Break>> {
  return Object.fromEntries(Object.entries(breaks).filter(([kind]) => !kind.includes("fence")));
}

interface Group {
  readonly dialect: TextDialect;
  readonly breaks: Readonly<Record<string, Break>>;
}

const groups: readonly Group[] = [
  { dialect: "tool_call", breaks: { ...everywhere, ...markup } },
  { dialect: "anthropic_xml", breaks: { ...everywhere, ...markup } },
  { dialect: "qwen", breaks: { ...everywhere, ...markup } },
  { dialect: "glm", breaks: { ...everywhere, ...markup } },
  { dialect: "hermes", breaks: { ...everywhere, ...markup, ...json } },
  { dialect: "json", breaks: { ...withoutFences(everywhere), ...json } },
];

const text = { type: "string" } as const;
const schemas: Readonly<Record<string, JsonSchema>> = {
  Write: { type: "object", properties: { file_path: text, content: text }, required: ["file_path", "content"] },
  Bash: { type: "object", properties: { command: text, run_in_background: { type: "boolean" } }, required: ["command"] },
  Grep: { type: "object", properties: { pattern: text, path: text, head_limit: { type: "integer" } }, required: ["pattern"] },
};
const tools = (name: string) => schemas[name];

const calls: readonly { readonly name: string; readonly input: Json }[] = [
  { name: "Write", input: { file_path: "a.txt", content: "one\ntwo\n" } },
  { name: "Write", input: { file_path: "src/b.ts", content: 'const a = "x";\nif (a < b && c > d) return;\n' } },
  { name: "Write", input: { file_path: "页.md", content: "# 标题\n\n- 一\n" } },
  { name: "Bash", input: { command: "echo 'it is' && ls -la | head", run_in_background: true } },
  { name: "Bash", input: { command: 'grep -rn "a b" . > out.txt 2>&1' } },
  { name: "Grep", input: { pattern: "foo\\s+(bar|baz)", path: "src", head_limit: 20 } },
  { name: "Grep", input: { pattern: "</div>", path: "." } },
  { name: "Write", input: { file_path: "empty", content: "" } },
  { name: "Write", input: { file_path: "j.json", content: '{"a": [1, 2], "b": null}\n' } },
  { name: "Bash", input: { command: "python3 - <<'E'\nprint({'a': 1})\nE" } },
  { name: "Grep", input: { pattern: "x".repeat(200) } },
  { name: "Write", input: { file_path: "t.html", content: "<p>a &amp; b</p>\n<script>1 < 2</script>\n" } },
  { name: "Bash", input: { command: "true", run_in_background: false } },
  { name: "Grep", input: { pattern: "a", path: "b c", head_limit: 1 } },
  { name: "Write", input: { file_path: "w.py", content: "def f(x):\n    return {'k': x}\n" } },
];

/** The same numbers in every run. */
function numbers(): (limit: number) => number {
  let seed = 7;
  return (limit) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % limit;
  };
}

/** In raw values white space is text that is valid as it stands, so these kinds change it. */
const changesBlanks = new Set(["blanks behind lines", "carriage returns", "an indented reply"]);

function bare(value: Json): string {
  return JSON.stringify(value).replaceAll(/(?:\\r|\\n| )+/g, "");
}

function isMarked({ repaired, cutOff, unreadable }: DecodedCall): boolean {
  return repaired !== undefined || cutOff === true || unreadable !== undefined;
}

describe("calls broken as models break them", () => {
  const kinds = new Set(groups.flatMap(({ dialect, breaks }) => Object.keys(breaks).map((kind) => `${dialect}: ${kind}`)));
  const at = numbers();
  const seen = groups.flatMap(({ dialect, breaks }) =>
    Object.entries(breaks).flatMap(([kind, broken]) =>
      calls.map(({ name, input }) => {
        const whole = encodeCalls(dialect, [{ name, input }]);
        const source = broken(whole, at);
        const decoded = parseParts(source, { dialect, tools }).flatMap((part) => (part.type === "call" ? [part.call] : []));
        // An end tag inside a text is broken along with the others, and then it is text that is valid as it stands.
        const touchesText = kind in markup && JSON.stringify(input).includes("</");
        const isRight = (call: DecodedCall) =>
          call.name === name &&
          (changesBlanks.has(kind) ? bare(call.input) === bare(input) : JSON.stringify(call.input) === JSON.stringify(input));
        return {
          dialect,
          kind,
          source,
          wrong: touchesText ? [] : decoded.filter((call) => !isRight(call) && !isMarked(call)),
          found: decoded.length,
        };
      }),
    ),
  );

  it("are at least 2,000 in more than 71 kinds", () => {
    expect(kinds.size).toBeGreaterThan(71);
    expect(seen.length).toBeGreaterThan(2000);
  });

  it("are right, or marked, or refused: never wrong and unmarked, but for text that is valid as it stands", () => {
    const wrong = seen.filter((one) => one.wrong.length > 0).map(({ dialect, kind, source, wrong }) => ({ dialect, kind, source, wrong }));
    expect(wrong).toEqual([]);
  });

  it("are not lost without an error", () => {
    // A reply that is cut before its first tag or key is complete, or stands as an example in prose, is text.
    const lost = seen.filter(({ found, kind }) => found === 0 && kind !== "cut near its start" && kind !== "said twice");
    expect(lost.map(({ dialect, kind, source }) => `${dialect}: ${kind}: ${JSON.stringify(source).slice(0, 160)}`)).toEqual([]);
  });
});
