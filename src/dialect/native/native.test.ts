import { describe, expect, it } from "vitest";
import { createNativeDecoder } from "./native.ts";

const read = { type: "call", call: { name: "Read", input: { file_path: "a" }, raw: '{"file_path":"a"}', id: "t1" } };

describe("native decoders", () => {
  it("hand out a call of Anthropic when its block stops, not when its JSON looks complete", () => {
    const decoder = createNativeDecoder("anthropic");
    expect(
      decoder.push({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t1", name: "Read", input: {} } }),
    ).toEqual([]);
    expect(
      decoder.push({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"file_path":"a"}' } }),
    ).toEqual([]);
    expect(decoder.push({ type: "content_block_stop", index: 0 })).toEqual([read]);
    expect(decoder.end()).toEqual([]);
  });

  it("hand out a call of OpenAI when the next begins or the message ends, not when its JSON looks complete", () => {
    const piece = (index: number, args: string) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, id: `t${index + 1}`, function: { name: "Read", arguments: args } }] } }],
    });
    const decoder = createNativeDecoder("openai");
    expect(decoder.push(piece(0, '{"file_path":"a"}'))).toEqual([]);
    expect(decoder.push(piece(1, '{"file_path"'))).toEqual([read]);
    expect(decoder.push({ choices: [{ index: 0, delta: { tool_calls: [{ index: 1, function: { arguments: ':"b"}' } }] } }] })).toEqual([]);
    expect(decoder.push({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] })).toEqual([
      { type: "call", call: { name: "Read", input: { file_path: "b" }, raw: '{"file_path":"b"}', id: "t2" } },
    ]);
    expect(decoder.end()).toEqual([]);
  });

  it("type arguments by the schema", () => {
    const tools = () => ({ type: "object", properties: { limit: { type: "integer" } } });
    const decoder = createNativeDecoder("anthropic", { tools });
    expect(decoder.push({ type: "tool_use", id: "x", name: "Read", input: { limit: "5" } })).toEqual([
      { type: "call", call: { name: "Read", input: { limit: 5 }, raw: '{"limit":"5"}', repaired: ["value type"], id: "x" } },
    ]);
  });

  it("never throw, whatever comes", () => {
    const odd: readonly unknown[] = [
      null,
      undefined,
      1,
      "x",
      [],
      [null],
      {},
      { type: "content_block_delta" },
      { type: "content_block_start", content_block: null },
      { choices: [null, 1] },
      { choices: [{ delta: { tool_calls: [null, {}] } }] },
      { output: [1] },
      { type: "response.output_item.done" },
      { role: "assistant", content: [null] },
      { role: "assistant", tool_calls: [{}] },
    ];
    for (const dialect of ["anthropic", "openai"] as const) {
      const decoder = createNativeDecoder(dialect);
      for (const event of odd) expect(Array.isArray(decoder.push(event))).toBe(true);
      expect(Array.isArray(decoder.end())).toBe(true);
    }
  });
});
