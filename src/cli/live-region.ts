/**
 * The last lines of a terminal, drawn anew in place: what is at work now. Owns where the cursor stands. Refuses to draw where
 * it could not take away again what it drew: on a screen that is too small, or behind text whose width is not known.
 */
import { widthOf } from "./text-width.ts";

export interface Screen {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const [leastColumns, leastRows, defaultRows] = [20, 6, 24];
const saysWhere = (column: number) => `\u001b[${column + 1}G`;
const up = (rows: number) => (rows === 0 ? "" : `\u001b[${rows}A`);
const clearBelow = "\u001b[J";

export class LiveRegion {
  readonly #screen: Screen;
  /** Rows that are drawn now. */
  #rows = 0;
  /** Where text goes on, before the region; `undefined` if nobody knows. */
  #column: number | undefined = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Text that stays was written, on this screen or on another stream of the same terminal. */
  wrote(text: string): void {
    const at = text.lastIndexOf("\n");
    const line = text.slice(at + 1);
    const from = at < 0 ? this.#column : 0;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: such characters move the cursor in ways of their own
    if (from === undefined || /[\u0000-\u001f\u007f]/.test(line)) this.#column = line === "" ? 0 : undefined;
    else this.#column = from + widthOf(line);
  }

  draw(lines: readonly string[]): void {
    const { columns = 0, rows = defaultRows } = this.#screen;
    const room = Math.min(lines.length, rows - 2);
    const column = this.#column === undefined ? undefined : this.#column % Math.max(1, columns);
    const hides = columns < leastColumns || rows < leastRows || room < 1;
    // At the right edge it is not known in which row the cursor stands.
    if (hides || column === undefined || (column === 0 && this.#column !== 0)) return this.clear();
    const kept = lines.length > room ? [...lines.slice(0, room - 1), lines.at(-1) ?? ""] : lines;
    const text = kept.map((line) => cut(line, columns - 1)).join("\n");
    this.clear();
    this.#screen.write(this.#column === 0 ? text : `\n${text}`);
    this.#rows = kept.length;
  }

  /** Takes the region away; the cursor stands where text goes on. */
  clear(): void {
    if (this.#rows === 0) return;
    const { columns = 1 } = this.#screen;
    const [column, extra] = [(this.#column ?? 0) % columns, this.#column === 0 ? 0 : 1];
    this.#screen.write(`${up(this.#rows - 1 + extra)}\r${saysWhere(column)}${clearBelow}`);
    this.#rows = 0;
  }
}

/** Colours are closed by whoever opened them, at the end of the line: what is cut is cut before them. */
function cut(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  const parts = line.split(/(\u001b\[[\d;]*m)/);
  let left = columns - 1;
  const kept = parts.map((part, index) => {
    if (index % 2 === 1) return part;
    let text = "";
    for (const character of part) {
      left -= widthOf(character);
      if (left < 0) break;
      text += character;
    }
    return text;
  });
  return `${kept.join("")}…`;
}
