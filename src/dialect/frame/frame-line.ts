/** Frames of calls that begin with a line (`line-forms.ts`): JSON behind the header, or one line that should have been JSON. */
import type { Json, JsonObject } from "../../contract/index.ts";
import { jsonArguments, namedCall } from "../token/token-forms.ts";
import type { DecodedPart, Repairs } from "../types.ts";
import type { FrameContext, FrameEnd, Framer } from "./frame.ts";
import { JsonFramer } from "./frame-json.ts";
import type { LineForm } from "./line-forms.ts";
import { shapeOf } from "./shape.ts";
import { withRepairs } from "./text-output.ts";

const fenceEnd = /^\s{0,8}`{0,3}$/;

export class LineFramer implements Framer {
  ended: FrameEnd | undefined;
  readonly unsure = false;
  private readonly json = new JsonFramer({ read: () => undefined }, 0);
  private tail = "";

  constructor(
    private readonly form: LineForm,
    /** How long the header is. */
    private readonly opened: number,
  ) {}

  giveUp(): undefined {
    if (this.form.body === "none" || this.json.ended !== undefined) this.ended = "closed";
    return undefined;
  }

  feed(text: string, from: number, final: boolean): number {
    if (this.form.body === "none") {
      const end = text.indexOf("\n", from);
      if (end >= 0) this.ended = "closed";
      return end < 0 ? text.length : end;
    }
    let p = from;
    if (this.json.ended === undefined) {
      p = this.json.feed(text, p, final);
      if (this.form.body === "json") this.ended = this.json.ended;
    }
    // The line that closes the fence belongs to the call.
    while (this.json.ended !== undefined && this.ended === undefined && p < text.length) {
      if (!fenceEnd.test(this.tail + text.charAt(p))) this.ended = "closed";
      else {
        this.tail += text.charAt(p);
        p += 1;
        if (this.tail.endsWith("```")) this.ended = "closed";
      }
    }
    return p;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    const { name, sure, body } = this.form;
    const written = body === "none" ? "" : raw.slice(this.opened);
    const repairs: Repairs = new Set();
    const { input, cut } = body === "none" ? { input: undefined, cut: false } : jsonArguments(written, repairs);
    if (sure === "named" && end === "closed" && !fits(input, context, name)) return undefined;
    const parts = namedCall({ raw, name, input, repairs, end, cut }, context);
    return parts.map((part) => (part.type === "call" ? { type: "call", call: withRepairs(part.call, ["bare JSON"]) } : part));
  }
}

/** Every key is a parameter of the tool, and none that it requires is missing. */
function fits(input: JsonObject | undefined, { tools }: FrameContext, name: string): boolean {
  const schema = tools(name);
  const shape = shapeOf(schema);
  if (input === undefined || shape === undefined) return input === undefined;
  const keys = Object.keys(input);
  const needed = Array.isArray(schema?.required) ? (schema.required as readonly Json[]) : [];
  return keys.every((key) => shape.declares(key)) && needed.every((key) => typeof key !== "string" || keys.includes(key));
}
