/** Frames between special tokens: from the token that opens a form to the one that ends it. Everything between is one text. */
import type { FrameContext, FrameEnd, Framer } from "../frame/frame.ts";
import type { DecodedPart } from "../types.ts";
import { tokenAt } from "./tokens.ts";

export interface TokenForm {
  /** Tokens that end the frame and belong to it. */
  readonly ends: ReadonlySet<string>;
  /** Tokens that end a frame whose own end is missing; they are read again. */
  readonly stops: ReadonlySet<string>;
  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined;
}

export class TokenFramer implements Framer {
  ended: FrameEnd | undefined;
  readonly unsure = false;

  constructor(private readonly form: TokenForm) {}

  giveUp(): undefined {
    return undefined;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    return this.form.read(raw, end, context);
  }

  feed(text: string, from: number, final: boolean): number {
    for (let at = text.indexOf("<", from); at >= 0; at = text.indexOf("<", at + 1)) {
      const token = tokenAt(text, at, final);
      if (token === "more") return at;
      if (token === undefined) continue;
      if (this.form.ends.has(token.name)) {
        this.ended = "closed";
        return token.end;
      }
      if (this.form.stops.has(token.name)) {
        this.ended = "unclosed";
        return at;
      }
    }
    return text.length;
  }
}
