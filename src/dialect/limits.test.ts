import { describe, expect, it } from "vitest";
import { createDecoder, parseToolCalls } from "./decoder.ts";
import { readJson } from "./read/json-text.ts";
import type { DecodedPart, Dialect } from "./types.ts";

const full = process.env.KARYI_FULL === "1";

function decode(text: string, dialect: Dialect, size: number): DecodedPart[] {
  const decoder = createDecoder(dialect);
  const parts: DecodedPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...decoder.push(text.slice(at, at + size)));
  parts.push(...decoder.end());
  return parts;
}

/** Processor time, so that a busy machine does not count. */
function cost(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * How the cost of `work` grows from `length` to 16 times `length`: about 16 if it is linear, 256 if it is quadratic.
 * Each side counts with its cheapest run, because garbage collection and the compiler add to a run and never take from it.
 * A long text costs up to three times as much a character, because only it fills the young part of the heap.
 */
function growth(length: number, work: (length: number) => () => unknown): number {
  const small = work(length);
  const large = work(16 * length);
  let cheapSmall = Number.POSITIVE_INFINITY;
  let cheapLarge = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 8; attempt += 1) {
    cheapSmall = Math.min(cheapSmall, Math.max(1000, cost(small)));
    cheapLarge = Math.min(cheapLarge, cost(large));
    if (attempt > 0 && cheapLarge / cheapSmall < linear) break;
  }
  return cheapLarge / cheapSmall;
}

/** Between the 16 to 50 of linear work and the 256 of quadratic work. */
const linear = 100;

const params = (inner: string) => `<tool_call><name>x</name><params>${inner}</params></tool_call>`;
const json = (inner: string) => `<tool_call>{"name":"x","arguments":{"a":"${inner}"}}</tool_call>`;
const invoke = '<invoke name="x"><parameter name="y">';
const parameterEnd = `</${"parameter"}>`;
const times = (piece: string) => (length: number) => piece.repeat(Math.ceil(length / piece.length));
const inside = (wrap: (inner: string) => string, piece: string) => (length: number) => wrap(times(piece)(length));

/** Texts made to hurt: each must cost about 16 times as much at 16 times the length. */
const hard: Readonly<Record<string, (length: number) => string>> = {
  "only <": times("<"),
  "opening tags": times("<tool_call>"),
  "opening tags of functions": times('<invoke name="x">'),
  "nested tags": (length) => params("<a>".repeat(length / 7) + "</a>".repeat(length / 7)),
  "tags that never close": inside(params, "<a>"),
  "closing tags that never opened": (length) => params("<a>".repeat(length / 7) + "</b>".repeat(length / 7)),
  "sections that never close": inside(params, "<![CDATA["),
  "comments that never close": inside(params, "<!--"),
  "quotes that never close": times('<invoke name="'),
  "curly quotes that never close": inside(params, "<a b=“"),
  ampersands: inside((inner) => params(`<a>${inner}</a>`), "&"),
  "repeated parameters": inside(params, "<a>1</a>"),
  "different parameters, twice": (length) => {
    const names = Array.from({ length: length / 20 }, (_, index) => `<p${index}>1</p${index}>`).join("");
    return params(names + names);
  },
  "closing tags in a raw value": (length) => invoke + times(`${parameterEnd}z`)(length),
  "calls nested in a raw value": (length) => invoke + times(invoke)(length),
  "open braces": times('{"name":\n'),
  "brackets in JSON": inside(json, '","b":['),
  "unescaped quotes in JSON": inside(json, 'x "y" '),
  "quotes and line breaks in JSON": inside(json, 'li"ne\n'),
  "closing tags in JSON": inside(json, "</tool_call>"),
  backticks: times("` "),
  fences: times("```\n"),
  "spoiled fences": (length) => `\`\`\`xml\n${times("<tool_call><name>x</name></tool_call>\n")(length)}y\n\`\`\``,
  "arguments without end": times("<tool_call>x<arg_key>"),
  "thoughts without end": times("<think><tool_call>"),
  "names above braces": times('x\n{"a":'),
  "actions without input": times("Action: x\nAction "),
  "lists of unknown tools": times("[f(x=1) "),
  "tags of tools without end": times("\n<x><a>"),
  "edits without end": (length) => `<tools><edit><file src="a">${times("<find>a")(length)}</file></edit></tools>`,
};

describe("decoders are linear", () => {
  const length = full ? 200_000 : 30_000;
  for (const [name, make] of Object.entries(hard)) {
    it(name, () => {
      const work = (size: number) => {
        const text = make(size);
        return () => decode(text, "auto", 4096);
      };
      expect(growth(length, work)).toBeLessThan(linear);
    });
  }

  it("also when a long value comes in small pieces", () => {
    const work = (size: number) => {
      const text = params(`<content><![CDATA[${"some text < here & there\n".repeat(size / 25)}]]></content>`);
      return () => decode(text, "tool_call", 5);
    };
    expect(growth(100_000, work)).toBeLessThan(linear);
  });
});

describe("size", () => {
  it(`reads a ${full ? 50 : 8} MB value exactly`, () => {
    const content = "0123456789 <b> & ]] text\n".repeat((full ? 50 : 8) * 40_000);
    const [call] = parseToolCalls(params(`<content><![CDATA[${content}]]></content>`));
    expect(call?.input).toEqual({ content });
  });

  it("reads 10^5 nested tags without a stack overflow", () => {
    const text = params(`<a>${"<b>".repeat(100_000)}${"</b>".repeat(100_000)}</a>`);
    expect(parseToolCalls(text).map(({ name }) => name)).toEqual(["x"]);
  });

  it("reads JSON nested 10^5 deep without a stack overflow", () => {
    expect(parseToolCalls(`<tool_call>{"name":"x","arguments":${"[".repeat(100_000)}`)).toHaveLength(1);
    expect(
      parseToolCalls(`<tool_call>{"name":"x","arguments":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}</tool_call>`),
    ).toHaveLength(1);
    expect(readJson(`{a:${"[".repeat(100_000)}`)?.cut).toBe(true);
  });
});

describe("streaming", () => {
  const call = (path: string) => `<tool_call><name>Read</name><params><file_path>${path}</file_path></params></tool_call>`;

  it("hands out the first call before the text ends", () => {
    const decoder = createDecoder("auto");
    expect(decoder.push(`Look: ${call("a")}`).map(({ type }) => type)).toEqual(["text", "call"]);
    expect(decoder.push("\nand then").map(({ type }) => type)).toEqual(["text"]);
  });

  it("hands out a call at its last character, never before", () => {
    const texts: Readonly<Record<string, string>> = {
      tool_call: call("a"),
      hermes: '<tool_call>{"name":"Read","arguments":{"file_path":"a"}}</tool_call>',
      toolsxml: "<command>ls</command>",
      anthropic_xml: `${invoke}1${parameterEnd}</${"invoke"}>`,
      qwen: `<function=Read><parameter=file_path>a${parameterEnd}</function>`,
      glm: "<tool_call>Read<arg_key>file_path</arg_key><arg_value>a</arg_value></tool_call>",
    };
    for (const [dialect, text] of Object.entries(texts)) {
      const decoder = createDecoder(dialect as Dialect);
      for (const character of text.slice(0, -1)) expect(decoder.push(character)).toEqual([]);
      expect(decoder.push(text.slice(-1)).map(({ type }) => type)).toEqual(["call"]);
    }
  });

  it("hands out each tag of <tools> as it closes", () => {
    const decoder = createDecoder("toolsxml");
    expect(decoder.push("<tools><command>ls</command>")).toHaveLength(1);
    expect(decoder.push("<ctrl>c</ctrl>")).toHaveLength(1);
  });

  it("holds back only what may be the beginning of a tag", () => {
    const decoder = createDecoder("auto");
    const text = (parts: readonly DecodedPart[]) => parts.map((part) => (part.type === "text" ? part.text : "!")).join("");
    expect(text(decoder.push("a < b and <tool"))).toBe("a < b and ");
    expect(text(decoder.push("box> `x"))).toBe("<toolbox> `x");
    expect(text(decoder.push("` <div>"))).toBe("` <div>");
  });

  it("puts an emoji together that was cut between chunks of bytes", () => {
    const bytes = new TextEncoder().encode(call("😀"));
    const decoder = createDecoder("auto");
    const parts = [...bytes].flatMap((byte) => decoder.push(Uint8Array.of(byte)));
    expect(parts).toEqual([{ type: "call", call: { name: "Read", input: { file_path: "😀" }, raw: call("😀") } }]);
  });
});
