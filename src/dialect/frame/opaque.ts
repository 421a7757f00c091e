/** Thoughts and results of tools: text up to their closing tag, whatever stands in them. */
import { closesAt } from "./frame.ts";

const cdataOpen = "<![CDATA[";

export class OpaqueText {
  ended = false;
  private inCdata = false;

  constructor(
    private readonly name: string,
    /** Results may quote with CDATA, where a closing tag is data. */
    private readonly quotes: boolean,
    /** The mark that ends it, where that is no closing tag. */
    private readonly until?: string,
  ) {}

  /** Answers how far the text belongs to it for certain. */
  feed(text: string, from: number, final: boolean): number {
    if (this.until !== undefined) return this.toMark(text, from, this.until, final);
    let p = from;
    while (p < text.length) {
      if (this.inCdata) {
        const stop = text.indexOf("]]>", p);
        if (stop < 0) return final ? text.length : Math.max(p, text.length - 2);
        this.inCdata = false;
        p = stop + 3;
      }
      const lt = text.indexOf("<", p);
      if (lt < 0) return text.length;
      if (this.quotes && text.startsWith(cdataOpen, lt)) {
        this.inCdata = true;
        p = lt + cdataOpen.length;
        continue;
      }
      if (!final && (lt + 1 >= text.length || (this.quotes && cdataOpen.startsWith(text.slice(lt, lt + 9))))) return lt;
      const close = text.charCodeAt(lt + 1) === 47 ? closesAt(text, lt, this.name, final) : undefined;
      if (close === "more") return lt;
      if (close !== undefined) {
        this.ended = true;
        return close;
      }
      p = lt + 1;
    }
    return p;
  }

  private toMark(text: string, from: number, mark: string, final: boolean): number {
    const at = text.indexOf(mark, from);
    if (at >= 0) {
      this.ended = true;
      return at + mark.length;
    }
    if (final) return text.length;
    let kept = Math.min(mark.length - 1, text.length - from);
    while (kept > 0 && !mark.startsWith(text.slice(text.length - kept))) kept -= 1;
    return text.length - kept;
  }
}
