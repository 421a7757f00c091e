import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import type { JsonSchema } from "../contract/index.ts";
import { createDecoder, joined, parseParts } from "./decoder.ts";
import { type DecodedPart, type Dialect, dialects } from "./types.ts";

const runs = process.env.KARYI_FULL === "1" ? 60_000 : 1500;

/** Everything that means something to some decoder, whole and broken. */
const fragments = [
  ..."<>/&;'\"`{}[],:= \n\t\\ab01é😀",
  "\n\n",
  "\r\n",
  "  ",
  "<tool_call>",
  "</tool_call>",
  "<tool_call",
  "<TOOL_CALL>",
  "<tool_calls>",
  "</tool_calls>",
  "<name>",
  "</name>",
  "Read",
  "<params>",
  "</params>",
  "<query>",
  "</query>",
  "<![CDATA[",
  "]]>",
  "]]",
  "<!--",
  "-->",
  "<function_calls>",
  "</function_calls>",
  '<invoke name="Write">',
  "<invoke name=“Write”>",
  "<invoke name=Write>",
  '<invoke name="Write',
  "</invoke>",
  '<parameter name="content">',
  "<parameter=content>",
  "</parameter>",
  "<function=Write>",
  "</function>",
  "<arg_key>",
  "</arg_key>",
  "<arg_value>",
  "</arg_value>",
  "<tools>",
  "</tools>",
  "<command>",
  "</command>",
  "<edit>",
  "</edit>",
  '<file src="a">',
  '<file src="a"/>',
  "</file>",
  "<find>",
  "</find>",
  "<replace>",
  "</replace>",
  "<read>",
  "</read>",
  '<get_value key="K" reason="r"/>',
  "<input>y</input>",
  '<mcp server="s" tool="t">',
  "</mcp>",
  "<think>",
  "</think>",
  "<tool_result>",
  "</tool_result>",
  "```",
  "```\n",
  "```json\n",
  "```xml\n",
  "```python\n",
  "\n```\n",
  "~~~\n",
  "````\n",
  '{"name":"Read","arguments":{"file_path":"a"}}',
  '{"name": "Read", "arguments": {',
  '\n{"name"',
  '\n[{"tool":"x","input":{}}]\n',
  '{"reply":"hi","tools":"<tools><command>ls</command></tools>"}',
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<|tool_calls_section_begin|>",
  "<|tool_call_begin|>",
  "functions.Read:0<|tool_call_argument_begin|>",
  "<|tool_call_end|>",
  "<｜tool▁call▁begin｜>",
  "Read<｜tool▁sep｜>",
  "<｜tool▁call▁end｜>",
  "<|channel|>commentary to=functions.Read <|message|>",
  "<|call|>",
  "<|START_ACTION|>",
  "<|END_ACTION|>",
  "Read[ARGS]",
  "[Read(file_path='a')]",
  "[Read(",
  "<start_function_call>call:Read{",
  "<end_function_call>",
  "<minimax:tool_call>",
  "functools",
  "antml:",
  "data: ",
  "event: x\n",
  "Some prose about it. ",
  '"}\n</tool_call>',
  "}}",
  '{"choices":[{"message":{"content":"x"}}]}',
  "\nAction: Read\nAction Input: ",
  "Action",
  "✿FUNCTION✿: Read\n",
  "✿ARGS✿: ",
  "\nRead\n",
  "<Read>",
  "</Read>",
  "<file_path>a</file_path>",
  '{"file_path": "a"}',
  "<tool_use>",
  "[do(x=1)]",
  "&lt;",
  "&amp;",
  "&#x41;",
  "vec<int> x",
];

const text = fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((list) => list.join(""));
const schema: JsonSchema = { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] };
const tools = (name: string) => (name === "Read" ? schema : undefined);
const dialect = fc.constantFrom<Dialect>(...dialects);

function decodeInPieces(source: string, cuts: readonly number[], name: Dialect): DecodedPart[] {
  const decoder = createDecoder(name, { tools });
  const points = [...new Set(cuts.map((cut) => cut % (source.length + 1)))].sort((a, b) => a - b);
  const parts: DecodedPart[] = [];
  let from = 0;
  for (const point of [...points, source.length]) {
    parts.push(...decoder.push(source.slice(from, point)));
    from = point;
  }
  parts.push(...decoder.end());
  return joined(parts);
}

describe("decoders", () => {
  it("give the same parts however the text is cut", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), dialect, (source, cuts, name) => {
        expect(decodeInPieces(source, cuts, name)).toEqual(parseParts(source, { dialect: name, tools }));
      }),
      { numRuns: runs },
    );
  });

  it("give the same parts when every character comes alone", () => {
    fc.assert(
      fc.property(text, dialect, (source, name) => {
        expect(
          decodeInPieces(
            source,
            [...source].map((_, index) => index),
            name,
          ),
        ).toEqual(parseParts(source, { dialect: name, tools }));
      }),
      { numRuns: runs },
    );
  });

  it("give the same parts for bytes cut inside a character", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), dialect, (source, size, name) => {
        const bytes = new TextEncoder().encode(source);
        const decoder = createDecoder(name, { tools });
        const parts: DecodedPart[] = [];
        for (let at = 0; at < bytes.length; at += size) parts.push(...decoder.push(bytes.subarray(at, at + size)));
        expect(joined([...parts, ...decoder.end()])).toEqual(parseParts(source, { dialect: name, tools }));
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });

  it("never throw, on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), dialect, (bytes, name) => {
        const decoder = createDecoder(name, { tools });
        for (const part of [...decoder.push(bytes), ...decoder.end()]) expect(["text", "call"]).toContain(part.type);
      }),
      { numRuns: runs },
    );
  });

  it("lose no text: what is no call comes out as it went in", () => {
    const harmless = fc.array(
      fc.constantFrom("a", " ", "\n", "<", ">", "`", "{", "}", "[", "]", "*", "<b>", "</b>", "```", "\n\n", "x < y", '{"a":1}'),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(harmless, (list) => {
        const source = list.join("");
        expect(parseParts(source, { tools })).toEqual(source === "" ? [] : [{ type: "text", text: source }]);
      }),
      { numRuns: runs },
    );
  });
});
