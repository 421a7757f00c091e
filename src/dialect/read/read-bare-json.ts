/** JSON that stands on its own or in a fence: a call, a reply with tools, or a provider's message; else text. */
import type { FrameContext, FrameEnd } from "../frame/frame.ts";
import { isObject } from "../frame/shape.ts";
import { isToolName } from "../names.ts";
import { nativeParts } from "../native/native.ts";
import { type DecodedPart, decodedCall, type Repair } from "../types.ts";
import { readJson } from "./json-text.ts";
import { callsOfJson } from "./read-json.ts";

interface BareJson {
  /** Only `{"reply", "tools"}` counts. */
  readonly replyOnly: boolean;
  readonly repairs: readonly Repair[];
  /** A mark before it says that calls follow, so what is none is an error. */
  readonly announced: boolean;
}

/** JSON that names a tool first and cannot be read one way only: an error, because a call is never lost without one. */
const namedFirst = /^[[\s]*\{\s*\\?["']?(?:name|tool|tool_name|function|action)\\?["']?\s*:\s*\\?["']([^"'\\\n]{1,128})\\?["']\s*,/;

function refusedCall(raw: string, end: FrameEnd, { tools }: FrameContext): readonly DecodedPart[] | undefined {
  const name = namedFirst.exec(raw)?.[1]?.trim() ?? "";
  if (!isToolName(name) || tools(name) === undefined) return undefined;
  const unreadable = "its JSON can be read in more than one way";
  return [{ type: "call", call: decodedCall({ name, input: {}, raw, cutOff: end === "cut", unreadable }) }];
}

export function bareJsonReader({ announced, ...rules }: BareJson) {
  const read = unannounced(rules);
  return (raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined => {
    const parts = read(raw, end, context);
    if (parts !== undefined || !announced) return parts;
    const unreadable = end === "cut" ? "the call ends before its arguments" : "what the mark before it announces is no call";
    return [{ type: "call", call: decodedCall({ name: "", input: {}, raw, cutOff: end === "cut", unreadable }) }];
  };
}

function unannounced({ replyOnly, repairs }: Omit<BareJson, "announced">) {
  return (raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined => {
    const read = readJson(raw);
    if (read === undefined) return replyOnly ? undefined : refusedCall(raw, end, context);
    const { value } = read;
    if (replyOnly && !(isObject(value) && ("reply" in value || typeof value.tools === "string"))) return undefined;
    const all = new Set<Repair>(repairs);
    if (read.mended) all.add("JSON syntax");
    const cutOff = read.cut && end === "cut";
    const calls = callsOfJson(value, { raw, repairs: all, cutOff, sure: false }, context);
    if (calls !== undefined) return calls;
    return read.mended || replyOnly ? undefined : nativeParts(value, context.tools);
  };
}
