/** One native call whose arguments arrive in pieces. It is finished by the protocol's own sign, never by looking complete. */
import type { Json } from "../../contract/index.ts";
import { isObject, shapeOf } from "../frame/shape.ts";
import { isToolName, toolName } from "../names.ts";
import { readJson, strictJson } from "../read/json-text.ts";
import { namedArguments } from "../read/read-json.ts";
import { type DecodedPart, decodedCall, type Repairs, type SchemaLookup } from "../types.ts";

export class NativeCall {
  id: string | undefined;
  name = "";
  done = false;
  private readonly pieces: string[] = [];

  constructor(private readonly tools: SchemaLookup) {}

  append(piece: string): void {
    if (piece !== "") this.pieces.push(piece);
  }

  /** Providers repeat the whole text at the end; it replaces the pieces. */
  replace(whole: string): void {
    this.pieces.length = 0;
    this.append(whole);
  }

  get text(): string {
    return this.pieces.join("");
  }

  /** The pieces so far are one complete JSON object. */
  get isComplete(): boolean {
    const value = strictJson(this.text);
    return value !== undefined && isObject(value);
  }

  /** `cut`: the stream ended (or hit its length limit) before this call was finished. */
  finish(cut: boolean): DecodedPart {
    this.done = true;
    return nativePart({ name: this.name, id: this.id, arguments: this.text, cut }, this.tools);
  }
}

interface NativeSource {
  readonly name: string;
  readonly id: string | undefined;
  /** JSON as text, or already an object. */
  readonly arguments: Json;
  readonly cut: boolean;
}

export function nativePart(source: NativeSource, tools: SchemaLookup): DecodedPart {
  const repairs: Repairs = new Set();
  const given = source.arguments;
  const raw = typeof given === "string" ? given : JSON.stringify(given);
  const name = toolName(source.name, tools, repairs);
  const { id } = source;
  if (!isToolName(name)) {
    return {
      type: "call",
      call: decodedCall({ name: "", input: {}, raw, id, cutOff: source.cut, unreadable: "the call does not name a tool" }),
    };
  }
  let value: Json = given;
  let cutOff = source.cut;
  if (typeof given === "string") {
    if (given.trim() === "") value = {};
    else {
      const read = readJson(given);
      if (read?.mended) repairs.add("JSON syntax");
      cutOff ||= read?.cut === true;
      value = read?.value ?? null;
    }
  }
  if (typeof value === "string") {
    const read = readJson(value);
    repairs.add("double-encoded JSON");
    if (read?.mended) repairs.add("JSON syntax");
    value = read?.value ?? null;
  }
  if (!isObject(value)) {
    return {
      type: "call",
      call: decodedCall({ name, input: {}, raw, id, repairs, cutOff, unreadable: `the arguments of ${name} are not a JSON object` }),
    };
  }
  return {
    type: "call",
    call: decodedCall({ name, input: namedArguments(value, shapeOf(tools(name)), repairs), raw, id, repairs, cutOff }),
  };
}
