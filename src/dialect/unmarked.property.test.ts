/** Forms without marks of their own: what is written comes back, and prose, Markdown and code stay text. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import type { Json, JsonSchema } from "../contract/index.ts";
import { createDecoder, joined, parseParts } from "./decoder.ts";
import type { DecodedPart } from "./types.ts";

type Input = Readonly<Record<string, Json>>;

const text = { type: "string" } as const;
const schema: JsonSchema = {
  type: "object",
  properties: { text, path: text, content: text, command: text, name: text, count: { type: "integer" } },
  required: ["text"],
};
const known = ["Do", "Read", "Write", "Edit", "Bash", "Grep", "Agent"];
const tools = (name: string) => (known.includes(name) ? schema : undefined);

const value = fc.oneof(
  fc.string(),
  fc.constantFrom("a\nDo\n{", "Action: Do\nAction Input: {}", "✿ARGS✿: {", "</Do", "</text", "```", "日本 🙂", "}"),
);
const input: fc.Arbitrary<Input> = fc.record({ text: value, count: fc.integer() });
const json = (one: Input) => JSON.stringify(one);
const end = (name: string) => `<${"/"}${name}>`;

const forms: Readonly<Record<string, (one: Input) => string>> = {
  ReAct: (one) => `Thought: so.\nAction: Do\nAction Input: ${json(one)}`,
  "ReAct with a fence": (one) => `Action: Do\nAction Input:\n\`\`\`json\n${json(one)}\n\`\`\`\nObservation:`,
  "Qwen-Agent": (one) => `✿FUNCTION✿: Do\n✿ARGS✿: ${json(one)}\n✿RESULT✿`,
  "a name above JSON": (one) => `I do.\n\nDo\n${json(one)}\n`,
  "a name as the tag": (one) =>
    `<Do>\n<text><![CDATA[${String(one.text).replaceAll("]]>", "]] >")}]]>${end("text")}\n<count>${String(one.count)}${end("count")}\n${end("Do")}`,
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
  return joined([...parts, ...decoder.end()]);
}

describe("forms without marks", () => {
  for (const [name, write] of Object.entries(forms)) {
    it(`${name}: encode, then decode, gives the call back, marked, however the text is cut`, () => {
      fc.assert(
        fc.property(input, fc.array(fc.nat(), { maxLength: 8 }), (one, cuts) => {
          const wanted = name === "a name as the tag" ? { ...one, text: String(one.text).replaceAll("]]>", "]] >") } : one;
          const calls = decode(write(one), cuts).flatMap((part) => (part.type === "call" ? [part.call] : []));
          expect(calls.map((call) => [call.name, call.input, call.repaired === undefined])).toEqual([["Do", wanted, false]]);
        }),
        { numRuns: 150 },
      );
    });
  }

  it("are not heard by a dialect that was chosen", () => {
    for (const write of Object.values(forms)) {
      for (const dialect of ["toolsxml", "tool_call", "anthropic_xml", "hermes", "qwen", "glm"] as const) {
        const calls = parseParts(write({ text: "a", count: 1 }), { dialect, tools }).filter((part) => part.type === "call");
        expect(calls).toEqual([]);
      }
    }
  });
});

/** Lines of prose, Markdown and code that name tools and their parameters. */
const lines = [
  ...[
    "Do",
    "Read the file.",
    "Read",
    "Read:",
    "## Read",
    "- Read",
    "> Read",
    "1. Do",
    "Action: Read",
    "Action: Do it",
    "Action",
    "**Action:** Read",
  ],
  ...["Action Input", "Final Answer: 3", "Observation: x", "✿", "[Read](https://a.b)", "[Point(x=1)] it is", "| Read | Edit |", "text: a"],
  ...[
    "<Read />",
    '<Edit text="a">',
    "<Edit>x",
    end("Edit"),
    "<div>",
    end("div"),
    "<Do>",
    "more",
    "const read = (path) => {",
    "}",
    "Read {",
    "{",
  ],
  ...['{"port": 1}', "[1, 2]", "Do(text='a')", "", "  text", "Bash", "import { Edit } from 'x';", "return <Read>{text}"],
];

describe("prose, Markdown and code", () => {
  it("stay text, however they are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...lines), { maxLength: 24 }), fc.array(fc.nat(), { maxLength: 8 }), (list, cuts) => {
        // ReAct's two lines, one behind the other, are the form itself.
        const source = list.join("\n");
        fc.pre(!/Action: \w+\n\s*Action Input/.test(source));
        expect(decode(source, cuts)).toEqual(source === "" ? [] : [{ type: "text", text: source }]);
      }),
      { numRuns: process.env.KARYI_FULL === "1" ? 20_000 : 1000 },
    );
  });

  it("stay text in the sources and documents of real packages", () => {
    const folder = new URL("../../node_modules/typescript/lib/", import.meta.url).pathname;
    const packages = ["preact", "zod", "fast-check", "hono", "htmlparser2", "marked"].map((name) =>
      join(folder, "../../..", "node_modules", name),
    );
    const files = [folder, ...packages].flatMap((place) => textsIn(place, 3)).slice(0, 400);
    const found = files.flatMap((file) =>
      parseParts(readFileSync(file, "utf8").slice(0, 60_000), { tools }).flatMap((part) =>
        part.type === "call" ? [[file, part.call.raw]] : [],
      ),
    );
    expect(files.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });
});

function textsIn(place: string, depth: number): readonly string[] {
  let entries: ReturnType<typeof list>;
  try {
    entries = list(place);
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const at = join(place, entry.name);
    if (entry.isDirectory()) return depth > 0 ? textsIn(at, depth - 1) : [];
    return /\.(?:md|ts|js|tsx|json)$/.test(entry.name) ? [at] : [];
  });
}

function list(place: string) {
  return readdirSync(place, { withFileTypes: true });
}
