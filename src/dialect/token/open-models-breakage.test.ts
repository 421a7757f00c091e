/** Breaks the raw forms of open models as servers and models do: what comes out is right, or marked, or refused. */
import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../../contract/index.ts";
import { parseParts } from "../index.ts";
import type { DecodedCall } from "../types.ts";

interface Wanted {
  readonly name: string;
  readonly input: Readonly<Record<string, Json>>;
}

const text = { type: "string" } as const;
const schemas: Readonly<Record<string, JsonSchema>> = {
  Write: { type: "object", properties: { file_path: text, content: text }, required: ["file_path", "content"] },
  Bash: { type: "object", properties: { command: text, run_in_background: { type: "boolean" } }, required: ["command"] },
  Grep: { type: "object", properties: { pattern: text, path: text, head_limit: { type: "integer" } }, required: ["pattern"] },
};

/** Without braces, tags and words like keys, so that what is broken is the form, not a text that is valid as it stands. */
const calls: readonly Wanted[] = [
  { name: "Write", input: { file_path: "a.txt", content: "one\ntwo\n" } },
  { name: "Write", input: { file_path: "页.md", content: "# 标题\n\n- 一 😀\n" } },
  { name: "Write", input: { file_path: "empty", content: "" } },
  { name: "Bash", input: { command: "echo it is && ls -la | head -3; true", run_in_background: true } },
  { name: "Bash", input: { command: "sort a.txt | uniq -c", run_in_background: false } },
  { name: "Grep", input: { pattern: "foo (bar|baz)", path: "src", head_limit: 20 } },
  { name: "Grep", input: { pattern: "x".repeat(120), path: "a b" } },
];

const json = JSON.stringify;
const python = (value: Json): string => (value === true ? "True" : value === false ? "False" : json(value));
const plain = (value: Json): string => (typeof value === "string" ? value : json(value));
const each = ({ input }: Wanted, one: (key: string, value: Json) => string, between = ""): string =>
  Object.entries(input)
    .map(([key, value]) => one(key, value))
    .join(between);
const tag = (name: string, key: string, value: Json): string => `<${name} name="${key}">${plain(value)}</${name}>`;

const forms: Readonly<Record<string, (call: Wanted) => string>> = {
  "Kimi K2": ({ name, input }) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${json(input)}<|tool_call_end|><|tool_calls_section_end|>`,
  "DeepSeek V3": ({ name, input }) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${json(input)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  "DeepSeek V3.1": ({ name, input }) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json(input)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  "DeepSeek V3.2": (call) =>
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="${call.name}">\n${each(call, (key, value) => tag("｜DSML｜parameter", key, value), "\n")}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  "Mistral list": ({ name, input }) => `[TOOL_CALLS][${json({ name, arguments: input })}]`,
  "Mistral arguments": ({ name, input }) => `[TOOL_CALLS]${name}[ARGS]${json(input)}`,
  "Llama JSON": ({ name, input }) => `<|python_tag|>${json({ name, parameters: input })}<|eom_id|>`,
  "Llama pythonic": (call) => `[${call.name}(${each(call, (key, value) => `${key}=${python(value)}`, ", ")})]`,
  "gpt-oss": ({ name, input }) =>
    `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json(input)}<|call|>`,
  MiniMax: (call) =>
    `<minimax:tool_call>\n<invoke name="${call.name}">\n${each(call, (key, value) => tag("parameter", key, value), "\n")}\n</invoke>\n</minimax:tool_call>`,
  Gemma: (call) =>
    `<start_function_call>call:${call.name}{${each(call, (key, value) => `${key}:${typeof value === "string" ? `<escape>${value}<escape>` : json(value)}`, ",")}}<end_function_call>`,
  Granite: ({ name, input }) => `<|tool_call|>[${json({ name, arguments: input })}]`,
  Phi: ({ name, input }) => `<|tool_call|>[${json({ name, arguments: input })}]<|/tool_call|>`,
  "Phi mini": ({ name, input }) => `functools[${json({ name, arguments: input })}]`,
  Cohere: ({ name, input }) =>
    `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "${name}", "parameters": ${json(input)}}\n]<|END_ACTION|>`,
  Step: (call) =>
    `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${call.name}">${each(call, (key, value) => tag("steptml:parameter", key, value))}</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`,
};

type Break = (whole: string) => string;
const cut =
  (share: number): Break =>
  (whole) =>
    whole.slice(0, Math.floor(whole.length * share));

/** Of these every call must come out, as it was or marked. */
const harmless: Readonly<Record<string, Break>> = {
  "as it is": (whole) => whole,
  "prose before": (whole) => `I will do it.\n\n${whole}`,
  "prose behind": (whole) => `${whole}\n\nThat should do.`,
  "a thought before": (whole) => `<think>I could read it.</think>\n${whole}`,
  "a thought right before": (whole) => `<think>I could read it.</think>${whole}`,
  "a byte order mark": (whole) => `\ufeff${whole}`,
  "an end of the turn": (whole) => `${whole}<|im_end|>`,
  "an end of the sequence": (whole) => `${whole}</s>`,
  "a fence": (whole) => `\`\`\`\n${whole}\n\`\`\``,
  "a JSON fence": (whole) => `\`\`\`json\n${whole}\n\`\`\``,
  twice: (whole) => `${whole}\n${whole}`,
  "the last token lost": (whole) => whole.replace(/<[^<>]*>$/u, ""),
  "the last two tokens lost": (whole) => whole.replace(/(?:<[^<>]*>\s*){2}$/u, ""),
  "narrow bars": (whole) => whole.replaceAll("｜", "|"),
  "wide bars": (whole) => whole.replaceAll(/(?<=<)\||\|(?=>)/g, "｜"),
  "plain blanks in tokens": (whole) => whole.replaceAll("▁", "_"),
  "tokens in capitals": (whole) => whole.replaceAll(/<\|[a-z_]+\|>/g, (token) => token.toUpperCase()),
  "single quotes": (whole) => whole.replaceAll('"', "'"),
  "bare keys": (whole) => whole.replaceAll(/"(\w+)":/g, "$1:"),
  "a trailing comma": (whole) => whole.replace(/\}(?=[^}]*$)/, ",}"),
  "a brace lost": (whole) => whole.replace(/\}(?=[^}]*$)/, ""),
  "a brace too many": (whole) => whole.replace(/\}(?=[^}]*$)/, "}}"),
  "a comment inside": (whole) => whole.replace(/\{/, "{ // the call\n"),
  "raw line breaks in texts": (whole) => whole.replaceAll("\\n", "\n"),
  "a missing comma": (whole) => whole.replace(/",\s*"/, '" "'),
  "escaped quotes around keys": (whole) => whole.replaceAll(/"(\w+)":/g, '\\"$1\\":'),
};

/** Of these nothing may come out wrong and unmarked. */
const harmful: Readonly<Record<string, Break>> = {
  "the first token lost": (whole) => whole.replace(/<[^<>]*>/u, ""),
  "the first character lost": (whole) => whole.slice(1),
  "the last character lost": (whole) => whole.slice(0, -1),
  "two braces lost": (whole) => whole.replace(/\}\s*\}(?=[^}]*$)/, ""),
  "cut near its start": cut(0.2),
  "cut in the middle": cut(0.5),
  "cut behind the middle": cut(0.7),
  "cut near its end": cut(0.9),
};

function decode(source: string): readonly DecodedCall[] {
  return parseParts(source, { dialect: "auto", tools: (name) => schemas[name] }).flatMap((part) =>
    part.type === "call" ? [part.call] : [],
  );
}

const isMarked = ({ repaired, cutOff, unreadable }: DecodedCall): boolean =>
  repaired !== undefined || cutOff === true || unreadable !== undefined;

describe("raw forms of open models, broken", () => {
  const seen = Object.entries(forms).flatMap(([form, encode]) =>
    Object.entries({ ...harmless, ...harmful }).flatMap(([kind, broken]) =>
      calls.map((call) => {
        const source = broken(encode(call));
        const decoded = decode(source);
        const isRight = ({ name, input }: DecodedCall) => name === call.name && json(input) === json(call.input);
        return { form, kind, source, found: decoded.length, wrong: decoded.filter((one) => !isRight(one) && !isMarked(one)) };
      }),
    ),
  );

  it("are at least 3,500", () => expect(seen.length).toBeGreaterThan(3500));

  it("are never wrong and unmarked", () => {
    expect(seen.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  });

  it("are not lost without an error where the form is still to be seen", () => {
    const lost = seen.filter(({ found, kind }) => found === 0 && kind in harmless);
    expect(lost.map(({ form, kind, source }) => `${form}: ${kind}: ${source.slice(0, 120)}`)).toEqual([]);
  });
});
