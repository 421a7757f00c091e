/**
 * The cells of a screen and what terminals do to them: write, erase, insert, delete, scroll.
 * Every position is clamped, so no sequence of calls can leave the grid or make it grow.
 */

/** The right half of a wide character. */
const rest = "";
const blank = " ";

export class Grid {
  readonly rows: number;
  readonly columns: number;
  #cells: string[][];

  constructor(rows: number, columns: number) {
    this.rows = rows;
    this.columns = columns;
    this.#cells = Array.from({ length: rows }, () => this.#emptyRow());
  }

  /** The same content in another size; what no longer fits is lost, as on a terminal. */
  resized(rows: number, columns: number, keepRow: number): Grid {
    const grid = new Grid(rows, columns);
    const skipped = Math.max(0, keepRow - rows + 1);
    for (let row = 0; row < rows; row++) {
      const from = this.#cells[row + skipped];
      const to = grid.#cells[row];
      if (!from || !to) continue;
      for (let column = 0; column < Math.min(columns, this.columns); column++) to[column] = from[column] ?? blank;
      grid.#mend(to);
    }
    return grid;
  }

  lines(): string[] {
    return this.#cells.map((row) => row.join("").trimEnd());
  }

  put(row: number, column: number, character: string, width: 1 | 2): void {
    const cells = this.#cells[row];
    if (!cells || column < 0 || column + width > this.columns) return;
    this.#split(cells, column);
    if (width === 2) this.#split(cells, column + 1);
    cells[column] = character;
    if (width === 2) cells[column + 1] = rest;
    // What stood here may have been the left half of a wide character.
    if (cells[column + width] === rest) cells[column + width] = blank;
  }

  /** Adds a mark to the character before; a bounded number, since a stream may hold nothing else. */
  combine(row: number, column: number, mark: string): void {
    const cells = this.#cells[row];
    if (!cells) return;
    const at = cells[column] === rest ? column - 1 : column;
    const base = cells[at];
    if (base !== undefined && base !== "" && base.length < 16) cells[at] = base + mark;
  }

  /** Blanks columns `from` to before `to`. */
  erase(row: number, from: number, to: number): void {
    const cells = this.#cells[row];
    if (!cells) return;
    const end = Math.min(to, this.columns);
    for (let column = Math.max(0, from); column < end; column++) cells[column] = blank;
    this.#mend(cells);
  }

  eraseRows(from: number, to: number): void {
    for (let row = Math.max(0, from); row < Math.min(to, this.rows); row++) this.#cells[row] = this.#emptyRow();
  }

  insertCells(row: number, column: number, count: number): void {
    const cells = this.#cells[row];
    if (!cells) return;
    const n = Math.min(count, this.columns - column);
    cells.splice(column, 0, ...Array.from({ length: n }, () => blank));
    cells.length = this.columns;
    this.#mend(cells);
  }

  deleteCells(row: number, column: number, count: number): void {
    const cells = this.#cells[row];
    if (!cells) return;
    const n = Math.min(count, this.columns - column);
    cells.splice(column, n);
    while (cells.length < this.columns) cells.push(blank);
    this.#mend(cells);
  }

  /** Moves rows `top` to `bottom` (inclusive) up; negative counts move down. */
  scroll(top: number, bottom: number, count: number): void {
    const height = bottom - top + 1;
    const n = Math.min(Math.abs(count), height);
    if (n <= 0) return;
    const fresh = Array.from({ length: n }, () => this.#emptyRow());
    if (count > 0) {
      this.#cells.splice(top, n);
      this.#cells.splice(bottom - n + 1, 0, ...fresh);
    } else {
      this.#cells.splice(bottom - n + 1, n);
      this.#cells.splice(top, 0, ...fresh);
    }
  }

  #emptyRow(): string[] {
    return new Array<string>(this.columns).fill(blank);
  }

  /** Before a cell is written: a wide character whose right half it is loses its left half too. */
  #split(cells: string[], column: number): void {
    if (cells[column] === rest && column > 0) cells[column - 1] = blank;
  }

  /** After cells moved or were blanked: no half of a wide character stands alone. */
  #mend(cells: string[]): void {
    for (let column = 0; column < cells.length; column++) {
      if (cells[column] === rest && (column === 0 || cells[column - 1] === blank || cells[column - 1] === rest)) cells[column] = blank;
    }
  }
}
