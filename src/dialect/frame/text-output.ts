/** Where decoded parts gather: neighbouring texts are joined, and blanks between calls are dropped. */
import { isBlankRange } from "../read/tag.ts";
import { type DecodedCall, type DecodedPart, decodedCall, type Repair } from "../types.ts";

export class TextOutput {
  private parts: DecodedPart[] = [];
  private text: string[] = [];
  private blanks = "";
  private afterCall = false;
  /** Something other than blanks was written as text. */
  sawText = false;

  /** Only blanks came since the last call (or wrapper of calls). */
  get besideCall(): boolean {
    return this.afterCall;
  }

  write(text: string): void {
    if (text === "") return;
    if (this.afterCall || !this.sawText) {
      const blank = isBlank(text);
      if (!blank) this.sawText = true;
      if (this.afterCall) {
        if (blank) {
          this.blanks += text;
          return;
        }
        this.text.push(this.blanks);
        this.afterCall = false;
        this.blanks = "";
      }
    }
    this.text.push(text);
  }

  /** A wrapper was dropped here: blanks around it mean nothing. */
  structure(): void {
    this.afterCall = true;
    this.blanks = "";
  }

  part(part: DecodedPart): void {
    if (part.type === "text") {
      this.write(part.text);
      return;
    }
    this.flush();
    this.parts.push(part);
    this.structure();
  }

  take(): DecodedPart[] {
    this.flush();
    const { parts } = this;
    this.parts = [];
    return parts;
  }

  private flush(): void {
    if (this.text.length === 0) return;
    const text = together(this.text);
    this.text = [];
    if (text !== "") this.parts.push({ type: "text", text });
  }
}

export function withRepairs(call: DecodedCall, repairs: readonly Repair[]): DecodedCall {
  const { repaired, ...rest } = call;
  return decodedCall({ ...rest, repairs: [...(repaired ?? []), ...repairs] });
}

/** Stops at the first character that is not blank, so long texts cost nothing. */
export function isBlank(text: string): boolean {
  return isBlankRange(text, 0, text.length);
}

/** Pieces as one text; two are the usual number, and joining a list is the slow way for them. */
export function together(pieces: readonly string[]): string {
  if (pieces.length === 2) return (pieces[0] ?? "") + (pieces[1] ?? "");
  return pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
}
