/** JSON that stands on its own or in a fence: a call, a reply with tools, or a provider's message; else text. */
import type { FrameContext, FrameEnd } from "./frame.ts";
import { readJson } from "./json-text.ts";
import { nativeParts } from "./native.ts";
import { callsOfJson } from "./read-json.ts";
import { isObject } from "./shape.ts";
import type { DecodedPart, Repair } from "./types.ts";

interface BareJson {
  /** Only `{"reply", "tools"}` counts. */
  readonly replyOnly: boolean;
  readonly repairs: readonly Repair[];
}

export function bareJsonReader({ replyOnly, repairs }: BareJson) {
  return (raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined => {
    const read = readJson(raw);
    if (read === undefined) return undefined;
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
