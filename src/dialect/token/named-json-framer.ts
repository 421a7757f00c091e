/** Frames of a name and JSON behind it, as Mistral writes them after its mark: `Read[ARGS]{…}`, `Read[CALL_ID]x[ARGS]{…}`. */
import type { FrameContext, FrameEnd, Framer } from "../frame/frame.ts";
import { JsonFramer } from "../frame/frame-json.ts";
import { withRepairs } from "../frame/text-output.ts";
import type { DecodedPart } from "../types.ts";
import { readNamedJson } from "./token-forms.ts";

const maxHeader = 256;
const header = /^\s*[\p{L}_][\p{L}\p{N}_.:/-]*\s*(?:\[CALL_ID\][^[\]{}]*)?(?:\[ARGS\])?\s*$/u;

export class NamedJsonFramer implements Framer {
  ended: FrameEnd | undefined;
  unsure = false;
  private head: string;
  private json: JsonFramer | undefined;

  constructor(
    /** The name, where the mark before it is missing. */
    private readonly name: string,
  ) {
    this.head = name;
  }

  giveUp(): number | undefined {
    return undefined;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    const parts = readNamedJson(raw, end, context);
    if (this.name === "") return parts;
    return parts?.map((part) => (part.type === "call" ? { type: "call", call: withRepairs(part.call, ["bare JSON"]) } : part));
  }

  feed(text: string, from: number, final: boolean): number {
    let p = from;
    if (this.json === undefined) {
      const brace = text.indexOf("{", p);
      const to = Math.min(brace < 0 ? text.length : brace, p + maxHeader);
      this.head += text.slice(p, to);
      p = to;
      if (brace !== p) {
        if (this.head.length >= maxHeader || this.head.includes("\n\n")) this.ended = "rejected";
        return p;
      }
      if (!header.test(this.head)) {
        this.ended = "rejected";
        return p;
      }
      this.json = new JsonFramer({ read: () => undefined }, 0);
    }
    p = this.json.feed(text, p, final);
    this.ended = this.json.ended;
    return p;
  }
}
