/** Decoding a model's text against looking at each of its bytes once; and when the first call comes out. */
import { expect, it } from "vitest";
import { createDecoder, type Dialect } from "../src/dialect/index.ts";
import { question } from "./measure.ts";
import { smoke } from "./place.ts";

const size = smoke ? 100_000 : 4_000_000;
const chunkUnits = 64 * 1024;

/** Prose as models write it, with code, comparisons and tags of other languages in it. */
const prose =
  "I looked at the file and found that `a < b` is never true there; the loop runs from 0 to n.\n\n" +
  "```ts\nfor (let i = 0; i < n; i++) {\n  const item: Array<string> = items[i];\n  total += item.length;\n}\n```\n\n" +
  "The page uses <b>bold</b> text, so the test has to strip it first. Next I will read the configuration and run the tests again.\n" +
  "The reason is older than this change: the total was computed from the lengths of the raw lines, and nobody noticed as long as the\n" +
  "lines had no markup in them. Two ways are open. We could count after stripping, which is what the caller expects, or keep the raw\n" +
  "total and name it so. I prefer the first, since the only other user of this function already strips its input before calling it.\n\n";

const content = "export function sum(values: number[]): number {\n  return values.reduce((a, b) => a + b, 0);\n}\n".repeat(16);

const calls: Readonly<Record<string, string>> = {
  toolsxml: `Some words first.\n<tools>\n<mcp tool="Write"><file_path>src/sum.ts</file_path><content><![CDATA[${content}]]></content></mcp>\n<read path="src/index.ts"/>\n<command>npm test</command>\n</tools>\n`,
  tool_call: `Some words first.\n<tool_call name="Write">\n<file_path>src/sum.ts</file_path>\n<content><![CDATA[${content}]]></content>\n</tool_call>\n<tool_call name="Read"><file_path>src/index.ts</file_path></tool_call>\n`,
  anthropic_xml: `Some words first.\n<function_calls>\n<invoke name="Write">\n<parameter name="file_path">src/sum.ts</parameter>\n<parameter name="content">${content}</parameter>\n</invoke>\n<invoke name="Read"><parameter name="file_path">a.ts</parameter></invoke>\n</function_calls>\n`,
  hermes: `Some words first.\n<tool_call>\n${JSON.stringify({ name: "Write", arguments: { file_path: "src/sum.ts", content } })}\n</tool_call>\n<tool_call>\n{"name":"Read","arguments":{"file_path":"a.ts"}}\n</tool_call>\n`,
};

function filled(text: string): string {
  return text.repeat(Math.ceil(size / text.length)).slice(0, Math.floor(size / text.length) * text.length || text.length);
}

function byteLoop(bytes: Uint8Array): void {
  let sum = 0;
  for (let index = 0; index < bytes.length; index++) sum = (sum + (bytes[index] ?? 0)) | 0;
  if (sum === 1.5) throw new Error("impossible");
}

function decode(dialect: Dialect, text: string, atLeast: number): void {
  const decoder = createDecoder(dialect as never);
  let found = 0;
  const count = (parts: readonly { readonly type: string }[]): void => {
    for (const part of parts) if (part.type === "call") found += 1;
  };
  for (let at = 0; at < text.length; at += chunkUnits) count(decoder.push(text.slice(at, at + chunkUnits)));
  count(decoder.end());
  if (found < atLeast) throw new Error(`only ${found} calls`);
}

function ask(name: string, dialect: Dialect, text: string, atLeast: number, share: number): void {
  const bytes = Buffer.from(text);
  question({ name, limit: () => byteLoop(bytes), ours: () => decode(dialect, text, atLeast), bound: 1 / share, pairs: 15 });
}

const plain = filled(prose);
ask("dialect: plain text with `auto` over a byte loop (at least 20 % of its speed)", "auto" as Dialect, plain, 0, 0.2);
for (const [dialect, text] of Object.entries(calls))
  ask(`dialect: text full of calls in ${dialect} over a byte loop (at least 8 % of its speed)`, dialect as Dialect, filled(text), 2, 0.08);

it("the first call is handed out before the text ends", () => {
  for (const [dialect, text] of Object.entries(calls)) {
    const decoder = createDecoder(dialect as never);
    const early = [...`${text}${prose}`].flatMap((unit) => decoder.push(unit)).filter((part) => part.type === "call");
    expect([dialect, early.length > 0]).toEqual([dialect, true]);
  }
});
