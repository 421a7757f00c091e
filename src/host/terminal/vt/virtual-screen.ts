/**
 * A small terminal of our own: takes the bytes a program sends to its terminal and knows what a person
 * would see. Enough for pagers, editors, monitors and prompts; colours are read and dropped.
 * Never throws, whatever it is fed, and holds a bounded amount of state.
 */
import { StringDecoder } from "node:string_decoder";
import { Grid } from "./grid.ts";
import { SequenceParser } from "./sequence-parser.ts";
import { widthOf } from "./width.ts";

interface SavedCursor {
  readonly row: number;
  readonly column: number;
  readonly wrapPending: boolean;
}

/** A flood without control sequences scrolls away everything but its end. */
const floodBytes = 16 * 1024;
const softReset = Buffer.from("\x1b[!p");
const lineDrawing: Readonly<Record<string, string>> = {
  j: "┘",
  k: "┐",
  l: "┌",
  m: "└",
  n: "┼",
  q: "─",
  t: "├",
  u: "┤",
  v: "┴",
  w: "┬",
  x: "│",
  a: "▒",
  "`": "◆",
  "~": "·",
};

export class VirtualScreen {
  #grid: Grid;
  /** What belongs to the main screen, while the alternate one is shown. */
  #main: { readonly grid: Grid; readonly saved: SavedCursor; readonly top: number; readonly bottom: number } | undefined;
  #row = 0;
  #column = 0;
  /** The last column was written and the next character goes to the next line. */
  #wrapPending = false;
  #top = 0;
  #bottom: number;
  #saved: SavedCursor = { row: 0, column: 0, wrapPending: false };
  #origin = false;
  #autowrap = true;
  #insert = false;
  #lineDrawing = false;
  readonly #parser = new SequenceParser({
    print: (character) => this.#print(character),
    control: (character) => this.#control(character),
    escape: (character) => this.#escape(character),
    charset: (character) => {
      this.#lineDrawing = character === "0";
    },
    csi: (sequence, final) => this.#csi(sequence, final),
  });
  #last = "";
  #pending: Buffer[] = [];
  #pendingLength = 0;
  readonly #decoder = new StringDecoder("utf8");
  readonly #reply: (text: string) => void;
  #applicationCursor = false;
  /** The cursor was placed by row and column since somebody last set this to false. */
  addressed = false;

  /** `reply` receives answers to questions a program asks its terminal; never more than a few bytes, never a line end. */
  constructor(rows: number, columns: number, reply: (text: string) => void = () => {}) {
    this.#grid = new Grid(rows, columns);
    this.#bottom = rows - 1;
    this.#reply = reply;
  }

  get alternate(): boolean {
    return this.#main !== undefined;
  }

  /** Arrow keys are sent as `ESC O A`. */
  get applicationCursor(): boolean {
    this.#drain();
    return this.#applicationCursor;
  }

  get rows(): number {
    return this.#grid.rows;
  }

  get columns(): number {
    return this.#grid.columns;
  }

  /** Rows as seen, without trailing blanks; row and column of the cursor count from 0. */
  view(): { readonly lines: readonly string[]; readonly row: number; readonly column: number } {
    this.#drain();
    return { lines: this.#grid.lines(), row: this.#row, column: this.#column };
  }

  /** Where the cursor is in its row, from 0. */
  get column(): number {
    this.#drain();
    return this.#column;
  }

  /** Bytes that paint this screen on another terminal. */
  paint(): string {
    this.#drain();
    const start = this.alternate ? "\x1b[?1049h" : "";
    const keys = this.#applicationCursor ? "\x1b[?1h" : "";
    return `${start}${keys}\x1b[r\x1b[m\x1b[H\x1b[2J${this.#grid.lines().join("\r\n")}\x1b[${this.#row + 1};${this.#column + 1}H`;
  }

  resize(rows: number, columns: number): void {
    this.#drain();
    const skipped = Math.max(0, this.#row - rows + 1);
    this.#grid = this.#grid.resized(rows, columns, this.#row);
    if (this.#main) {
      const { grid, saved } = this.#main;
      this.#main = { grid: grid.resized(rows, columns, saved.row), saved, top: 0, bottom: rows - 1 };
    }
    this.#top = 0;
    this.#bottom = rows - 1;
    this.#moveTo(this.#row - skipped, this.#column);
  }

  /** Plain text is only looked at when somebody looks at the screen, or when there is much of it. */
  write(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pending.push(chunk);
    this.#pendingLength += chunk.length;
    if (this.#pendingLength > 4 * floodBytes || chunk.includes(0x1b)) this.#drain();
  }

  /** A program is over: modes it may have left behind are gone, as soon as somebody looks. */
  endProgram(): void {
    this.#pending.push(softReset);
    this.#pendingLength += softReset.length;
  }

  #drain(): void {
    if (this.#pendingLength === 0) return;
    const all = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingLength = 0;
    const plain = all.length > floodBytes && this.#parser.atGround && !all.includes(0x1b);
    const text = this.#decoder.write(plain ? all.subarray(-floodBytes) : all);
    this.#parser.write(text);
  }

  #print(character: string): void {
    const shown = this.#lineDrawing ? (lineDrawing[character] ?? character) : character;
    const width = widthOf(shown);
    if (width === 0) {
      this.#grid.combine(this.#row, this.#wrapPending ? this.#column : this.#column - 1, shown);
      return;
    }
    if (this.#wrapPending || this.#column + width > this.columns) {
      if (this.#autowrap) {
        this.#column = 0;
        this.#lineFeed();
      } else this.#column = Math.max(0, this.columns - width);
    }
    this.#wrapPending = false;
    if (this.#insert) this.#grid.insertCells(this.#row, this.#column, width);
    this.#grid.put(this.#row, this.#column, shown, width);
    this.#last = shown;
    if (this.#column + width >= this.columns) {
      this.#column = this.columns - 1;
      this.#wrapPending = true;
    } else this.#column += width;
  }

  #control(character: string): void {
    switch (character) {
      case "\n":
      case "\v":
      case "\f":
        this.#lineFeed();
        return;
      case "\r":
        this.#moveTo(this.#row, 0);
        return;
      case "\b":
        this.#moveTo(this.#row, this.#column - 1);
        return;
      case "\t":
        this.#moveTo(this.#row, (Math.floor(this.#column / 8) + 1) * 8);
        return;
      case "\x0e":
        this.#lineDrawing = true;
        return;
      case "\x0f":
        this.#lineDrawing = false;
    }
  }

  #escape(character: string): void {
    switch (character) {
      case "7":
        this.#save();
        return;
      case "8":
        this.#restore();
        return;
      case "D":
        this.#lineFeed();
        return;
      case "E":
        this.#column = 0;
        this.#lineFeed();
        return;
      case "M":
        if (this.#row === this.#top) this.#grid.scroll(this.#top, this.#bottom, -1);
        else this.#moveTo(this.#row - 1, this.#column);
        return;
      case "c":
        this.#reset();
    }
  }

  #csi(sequence: string, final: string): void {
    const mark = /^[<=>?]/.test(sequence) ? sequence.charAt(0) : "";
    if (/[ -/]/.test(sequence)) {
      if (final === "p" && sequence.includes("!")) this.#softReset();
      return;
    }
    const numbers = sequence
      .slice(mark.length)
      .split(";")
      .map((part) => Math.min(Number.parseInt(part, 10) || 0, 0xffff));
    if (mark === "?" && (final === "h" || final === "l")) {
      for (const mode of numbers) this.#mode(mode, final === "h");
      return;
    }
    if (mark !== "") {
      if (mark === ">" && final === "c") this.#reply("\x1b[>0;0;0c");
      return;
    }
    const first = numbers[0] ?? 0;
    const count = Math.max(1, first);
    switch (final) {
      case "A":
        this.#vertical(-count);
        return;
      case "B":
      case "e":
        this.#vertical(count);
        return;
      case "C":
      case "a":
        this.#moveTo(this.#row, this.#column + count);
        return;
      case "D":
        this.#moveTo(this.#row, this.#column - count);
        return;
      case "E":
        this.#column = 0;
        this.#vertical(count);
        return;
      case "F":
        this.#column = 0;
        this.#vertical(-count);
        return;
      case "G":
      case "`":
        this.#moveTo(this.#row, count - 1);
        return;
      case "d":
        this.#address(count - 1, this.#column);
        return;
      case "H":
      case "f":
        this.#address(count - 1, Math.max(1, numbers[1] ?? 0) - 1);
        return;
      case "J":
        this.#eraseScreen(first);
        return;
      case "K":
        this.#eraseLine(first);
        return;
      case "L":
        this.#shiftLines(-count);
        return;
      case "M":
        this.#shiftLines(count);
        return;
      case "P":
        this.#grid.deleteCells(this.#row, this.#column, count);
        return;
      case "@":
        this.#grid.insertCells(this.#row, this.#column, count);
        return;
      case "X":
        this.#grid.erase(this.#row, this.#column, this.#column + count);
        return;
      case "S":
        this.#grid.scroll(this.#top, this.#bottom, count);
        return;
      case "T":
        this.#grid.scroll(this.#top, this.#bottom, -count);
        return;
      case "b":
        for (let n = Math.min(count, this.columns * this.rows); n > 0 && this.#last !== ""; n--) this.#print(this.#last);
        return;
      case "r":
        this.#region(count - 1, (numbers[1] || this.rows) - 1);
        return;
      case "h":
      case "l":
        if (numbers.includes(4)) this.#insert = final === "h";
        return;
      case "s":
        this.#save();
        return;
      case "u":
        this.#restore();
        return;
      case "n":
        if (first === 6) this.#reply(`\x1b[${this.#row + 1};${this.#column + 1}R`);
        else if (first === 5) this.#reply("\x1b[0n");
        return;
      case "c":
        this.#reply("\x1b[?1;2c");
    }
  }

  #mode(mode: number, on: boolean): void {
    if (mode === 1) this.#applicationCursor = on;
    else if (mode === 6) {
      this.#origin = on;
      this.#address(0, 0);
    } else if (mode === 7) this.#autowrap = on;
    else if (mode === 47 || mode === 1047) this.#alternateScreen(on);
    else if (mode === 1049) {
      // Saved on the screen that is left, restored on the screen that is shown again.
      if (on) this.#save();
      this.#alternateScreen(on);
      if (!on) this.#restore();
    } else if (mode === 1048) {
      if (on) this.#save();
      else this.#restore();
    }
  }

  /** Each screen has its own scroll region and saved cursor; the cursor itself stays where it is. */
  #alternateScreen(on: boolean): void {
    if (on && !this.#main) {
      this.#main = { grid: this.#grid, saved: this.#saved, top: this.#top, bottom: this.#bottom };
      this.#grid = new Grid(this.rows, this.columns);
      this.#saved = { row: 0, column: 0, wrapPending: false };
      this.#top = 0;
      this.#bottom = this.rows - 1;
    } else if (!on && this.#main) {
      const { grid, saved, top, bottom } = this.#main;
      this.#main = undefined;
      this.#grid = grid;
      this.#saved = saved;
      this.#top = top;
      this.#bottom = bottom;
    }
  }

  #save(): void {
    this.#saved = { row: this.#row, column: this.#column, wrapPending: this.#wrapPending };
  }

  #restore(): void {
    this.#moveTo(this.#saved.row, this.#saved.column);
    this.#wrapPending = this.#saved.wrapPending;
  }

  #lineFeed(): void {
    this.#wrapPending = false;
    if (this.#row === this.#bottom) this.#grid.scroll(this.#top, this.#bottom, 1);
    else if (this.#row < this.rows - 1) this.#row += 1;
  }

  #moveTo(row: number, column: number): void {
    this.#wrapPending = false;
    this.#row = Math.min(Math.max(0, row), this.rows - 1);
    this.#column = Math.min(Math.max(0, column), this.columns - 1);
  }

  /** Up or down, held by the scroll region when it starts inside. */
  #vertical(by: number): void {
    const [low, high] = this.#inRegion() ? [this.#top, this.#bottom] : [0, this.rows - 1];
    this.#moveTo(Math.min(Math.max(low, this.#row + by), high), this.#column);
  }

  #address(row: number, column: number): void {
    this.addressed = true;
    this.#moveTo(this.#origin ? Math.min(this.#top + row, this.#bottom) : row, column);
  }

  #region(top: number, bottom: number): void {
    const last = Math.min(bottom, this.rows - 1);
    if (top >= last) return;
    this.#top = top;
    this.#bottom = last;
    this.#address(0, 0);
  }

  /** Inserts or deletes lines at the cursor, which goes to the first column. */
  #shiftLines(count: number): void {
    if (!this.#inRegion()) return;
    this.#grid.scroll(this.#row, this.#bottom, count);
    this.#column = 0;
  }

  #inRegion(): boolean {
    return this.#row >= this.#top && this.#row <= this.#bottom;
  }

  #eraseScreen(how: number): void {
    this.#wrapPending = false;
    if (how === 0) {
      this.#grid.erase(this.#row, this.#column, this.columns);
      this.#grid.eraseRows(this.#row + 1, this.rows);
    } else if (how === 1) {
      this.#grid.eraseRows(0, this.#row);
      this.#grid.erase(this.#row, 0, this.#column + 1);
    } else if (how === 2) this.#grid.eraseRows(0, this.rows);
  }

  #eraseLine(how: number): void {
    this.#wrapPending = false;
    if (how === 0) this.#grid.erase(this.#row, this.#column, this.columns);
    else if (how === 1) this.#grid.erase(this.#row, 0, this.#column + 1);
    else if (how === 2) this.#grid.erase(this.#row, 0, this.columns);
  }

  #softReset(): void {
    this.#top = 0;
    this.#bottom = this.rows - 1;
    this.#origin = false;
    this.#autowrap = true;
    this.#insert = false;
    this.#lineDrawing = false;
    this.#applicationCursor = false;
  }

  #reset(): void {
    this.#softReset();
    this.#main = undefined;
    this.#grid = new Grid(this.rows, this.columns);
    this.#moveTo(0, 0);
  }
}
