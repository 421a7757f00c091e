import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import type { Json, JsonSchema } from "../../contract/index.ts";
import { createDecoder } from "../index.ts";
import type { DecodedPart } from "../types.ts";

type Input = Readonly<Record<string, Json>>;

const schema: JsonSchema = {
  type: "object",
  properties: { text: { type: "string" }, count: { type: "integer" }, list: { type: "array" } },
};
const tools = () => schema;
/** Tokens and closing tags of every form: inside a text they are data. */
const tokens = [
  ...[
    "<|tool_call_end|>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁sep｜>",
    "<|call|>",
    "<|end|>",
    "<|END_ACTION|>",
    "<|tool_call|>",
    "[TOOL_CALLS]",
  ],
  ...["<end_function_call>", "<|python_end|>", "<|tools_suffix|>", "｜DSML｜", "steptml:", "LTparameter>LTinvoke>", '<invoke name="x">'],
].map((token) => token.replaceAll("LT", "<" + "/"));
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(...tokens),
  fc.constantFrom("a\n", "\n", "</x>", "'\"\\", "日本 🙂", "{a: [1,", "b)], (", "```", "x; y"),
);
const input: fc.Arbitrary<Input> = fc.record({ text, count: fc.integer(), list: fc.array(text, { maxLength: 3 }) });

function python(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one) => python(one as Json)).join(", ")}]`;
  if (typeof value !== "string") return String(value);
  return `'${value.replace(/[\\'\n\r]/g, (one) => ({ "\n": "\\n", "\r": "\\r" })[one] ?? `\\${one}`)}'`;
}

function gemma(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one) => gemma(one as Json)).join(",")}]`;
  return typeof value === "string" ? `<escape>${value}<escape>` : String(value);
}

const json = (value: Input) => JSON.stringify(value);
const entries = (value: Input, write: (one: Json) => string, between: string) =>
  Object.entries(value).map(([key, one]) => `${key}${between}${write(one)}`);

const end = (name: string) => `<${"/"}${name}>`;
const plain = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));
function invoke(value: Input, prefix: string): string {
  const each = Object.entries(value).map(([key, one]) => `<${prefix}parameter name="${key}">${plain(one)}${end(`${prefix}parameter`)}\n`);
  return `<${prefix}invoke name="Do">\n${each.join("")}${end(`${prefix}invoke`)}\n`;
}

const forms: Readonly<Record<string, (value: Input) => string>> = {
  "Kimi K2": (value) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.Do:0<|tool_call_argument_begin|>${json(value)}<|tool_call_end|><|tool_calls_section_end|>`,
  "DeepSeek V3": (value) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Do\n\`\`\`json\n${json(value)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  "DeepSeek V3.1": (value) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Do<｜tool▁sep｜>${json(value)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  Mistral: (value) => `[TOOL_CALLS]Do[ARGS]${json(value)}`,
  Llama: (value) => `[Do(${entries(value, python, "=").join(", ")})]`,
  "gpt-oss": (value) => `<|start|>assistant<|channel|>commentary to=functions.Do <|constrain|>json<|message|>${json(value)}<|call|>`,
  Gemma: (value) => `<start_function_call>call:Do{${entries(value, gemma, ":").join(",")}}<end_function_call>`,
  Granite: (value) => `<|tool_call|>[{"name": "Do", "arguments": ${json(value)}}]`,
  Phi: (value) => `<|tool_call|>[{"name": "Do", "arguments": ${json(value)}}]<|/tool_call|>`,
  "DeepSeek V3.2": (value) => `<｜DSML｜function_calls>\n${invoke(value, "｜DSML｜")}${end("｜DSML｜function_calls")}`,
  Anthropic: (value) => `<function_calls>\n${invoke(value, "antml:")}${end("function_calls")}`,
  Step: (value) =>
    `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>${invoke(value, "steptml:")}<｜tool_call_end｜><｜tool_calls_end｜>`,
  Apertus: (value) => `<|tools_prefix|>[{"Do": ${json(value)}}]<|tools_suffix|>`,
  Cohere: (value) => `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "Do", "parameters": ${json(value)}}]<|END_ACTION|>`,
};

function decode(source: string, cuts: readonly number[]): DecodedPart[] {
  const decoder = createDecoder("auto", { tools });
  const points = [...new Set(cuts.map((cut) => cut % (source.length + 1)))].sort((a, b) => a - b);
  const parts: DecodedPart[] = [];
  let from = 0;
  for (const point of [...points, source.length]) {
    parts.push(...decoder.push(source.slice(from, point)));
    from = point;
  }
  return [...parts, ...decoder.end()];
}

describe("raw forms of open models", () => {
  for (const [name, write] of Object.entries(forms)) {
    it(`${name}: encode, then decode, gives the call back however the text is cut`, () => {
      fc.assert(
        fc.property(input, fc.array(fc.nat(), { maxLength: 8 }), (value, cuts) => {
          // Gemma has no way to write its own mark inside a text.
          fc.pre(name !== "Gemma" || !json(value).includes("<escape>"));
          const calls = decode(write(value), cuts).flatMap((part) => (part.type === "call" ? [part.call] : []));
          expect(calls.map((call) => [call.name, call.input, call.repaired])).toEqual([["Do", value, undefined]]);
        }),
        { numRuns: 150 },
      );
    });
  }
});
