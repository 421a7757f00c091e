/** Follows the quotes of shell text piece by piece: whether the place after it stands between quotes. */
import { isSpace } from "../read/tag.ts";

export class ShellQuotes {
  private quote = 0;
  private escaped = false;

  get open(): boolean {
    return this.quote !== 0;
  }

  pass(text: string, from: number, to: number): void {
    for (let p = from; p < to; p += 1) {
      const code = text.charCodeAt(p);
      if (this.escaped) this.escaped = false;
      else if (code === 92 && this.quote !== 39) this.escaped = true;
      else if (code === 34 || code === 39) {
        if (this.quote === 0) this.quote = code;
        else if (this.quote === code) this.quote = 0;
      }
    }
  }
}

const maxBlank = 64;

/** Does a tag, or nothing at all, stand behind `from`? */
export function markupFollows(text: string, from: number, final: boolean): boolean | "more" {
  const limit = Math.min(text.length, from + maxBlank);
  let p = from;
  while (p < limit && isSpace(text.charCodeAt(p))) p += 1;
  if (p < text.length) return p < limit ? text.charCodeAt(p) === 60 : true;
  return final ? true : "more";
}
