/**
 * Calls in a thought that never ended. A model that forgets to end its thought means its call, one that was cut off may not:
 * so each is an error that says why, and none is run.
 */
import { type DecodedPart, decodedCall } from "../types.ts";

export function unendedThought(text: string, decode: (text: string) => readonly DecodedPart[]): readonly DecodedPart[] {
  const unreadable = "the thought around it did not end";
  return decode(text).flatMap((part) =>
    part.type === "call"
      ? [{ type: "call", call: decodedCall({ name: part.call.name, input: {}, raw: part.call.raw, cutOff: true, unreadable }) }]
      : [],
  );
}
