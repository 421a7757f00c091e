/**
 * A tool's own name as the tag: `<Read><file_path>a</file_path></Read>`. Only `auto` hears it, at the beginning of a line, if there
 * is such a tool and the first thing inside is one of its parameters, so that markup of pages and components stays text.
 */
import { readMarkupCall } from "../read/read-tool-call.ts";
import type { DecodedPart, SchemaLookup } from "../types.ts";
import type { FrameContext, FrameEnd } from "./frame.ts";
import { MarkupFramer } from "./frame-markup.ts";
import { shapeOf } from "./shape.ts";
import type { Found } from "./tag-opener.ts";
import { withRepairs } from "./text-output.ts";

const opening = /^<([A-Za-z_][\w.-]{0,63})>\s{0,64}/;
const halfOpening = /^<(?:[A-Za-z_][\w.-]{0,63})?$/;
const parameter = /^(?:<([A-Za-z_][\w.-]{0,63})>|\{\s{0,64}"([^"\n]{1,64})"\s{0,8}:)/;
const halfParameter = /^(?:<(?:[A-Za-z_][\w.-]{0,63})?|\{\s{0,64}(?:"[^"\n]{0,64}(?:"\s{0,8})?)?)?$/;
const nothing: ReadonlySet<string> = new Set();

export function knownTagAt(text: string, at: number, final: boolean, tools: SchemaLookup): Found | "wait" | undefined {
  const window = text.slice(at, at + 320);
  const tag = opening.exec(window);
  if (tag === null) return !final && halfOpening.test(window) ? "wait" : undefined;
  const [opened, name = ""] = tag;
  const shape = shapeOf(tools(name));
  if (shape === undefined) return undefined;
  const inside = window.slice(opened.length);
  const first = parameter.exec(inside);
  if (first === null) return !final && halfParameter.test(inside) ? "wait" : undefined;
  if (!shape.declares(first[1] ?? first[2] ?? "")) return undefined;
  const rules = { name: name.toLowerCase(), around: nothing, completes: nothing, read: reader(name) };
  return { kind: "frame", name, end: at + name.length + 2, whole: false, framer: (length) => new MarkupFramer(rules, length) };
}

/** Read as the same call with the name in its place. */
function reader(name: string) {
  return (raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] => {
    const close = end === "closed" ? raw.lastIndexOf("</") : raw.length;
    const ends = end === "closed" ? "</params></tool_call>" : "";
    const written = `<tool_call><name>${name}</name><params>${raw.slice(name.length + 2, close)}${ends}`;
    return readMarkupCall(written, end, context).map((part) =>
      part.type === "call" ? { type: "call", call: { ...withRepairs(part.call, ["tag name"]), raw } } : part,
    );
  };
}
