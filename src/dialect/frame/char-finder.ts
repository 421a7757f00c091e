/** Next positions of the few characters that can begin something, each searched for once over a text. */

const never = Number.POSITIVE_INFINITY;

export class CharFinder {
  private text = "";
  private positions: number[];
  private lineBreak = -1;

  /** `needles`: what to stop at. */
  constructor(private readonly needles: readonly string[]) {
    this.positions = needles.map(() => -1);
  }

  reset(text: string): void {
    this.text = text;
    this.positions.fill(-1);
    this.lineBreak = -1;
  }

  /** The nearest needle at or after `from`; infinity where there is none. */
  next(from: number): number {
    let nearest = never;
    for (let index = 0; index < this.needles.length; index += 1) {
      let at = this.positions[index] ?? never;
      if (at < from) {
        const found = this.text.indexOf(this.needles[index] ?? "", from);
        at = found < 0 ? never : found;
        this.positions[index] = at;
      }
      if (at < nearest) nearest = at;
    }
    return nearest;
  }

  /** The next line break at or after `from`. */
  lineEnd(from: number): number {
    if (this.lineBreak < from) {
      const found = this.text.indexOf("\n", from);
      this.lineBreak = found < 0 ? never : found;
    }
    return this.lineBreak;
  }
}
