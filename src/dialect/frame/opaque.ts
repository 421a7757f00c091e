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
  ) {}

  /** Answers how far the text belongs to it for certain. */
  feed(text: string, from: number, final: boolean): number {
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
}
