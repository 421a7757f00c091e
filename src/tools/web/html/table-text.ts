/** Tables as Markdown; tables that only lay the page out become what stands in their cells. */
import type { PageElement } from "./dom.ts";
import { namesOf } from "./dom.ts";
import type { MarkdownWriter } from "./to-markdown.ts";

interface Cell {
  readonly element: PageElement;
  readonly columns: number;
  readonly rows: number;
}

const maxSpan = 60;
/** In a wider row spans add nothing but empty cells. */
const maxColumns = 200;
/** Beyond so many empty cells rows are not filled up to the widest one: one long row could make every other as long. */
const sparseCells = 20_000;

export function tableText(table: PageElement, writer: MarkdownWriter, depth: number): string {
  const rows = rowsOf(table).filter((row) => !writer.skips(row));
  const cells = rows.map((row) => cellsOf(row).filter(({ element }) => !writer.skips(element)));
  const filled = cells.map((row, index) => ({ row, element: rows[index] })).filter(({ row }) => row.length > 0);
  const caption = [...children(table)].find(({ localName }) => localName === "caption");
  const title = caption === undefined || writer.skips(caption) ? "" : writer.flat(caption, depth);
  if (filled.length === 0) return title;
  if (isCode(table)) return writer.blocks(lastCell(filled.map(({ row }) => row)), depth);
  if (isLayout(table, cells)) {
    const texts = filled.flatMap(({ row }) => row.map(({ element }) => writer.blocks(element, depth + 1)));
    return [title, ...texts].filter((text) => text !== "").join("\n\n");
  }
  const grid = gridOf(
    filled.map(({ row }) => row),
    (element) => writer.flat(element, depth + 1).replaceAll("|", "\\|"),
  );
  const width = widestOf(grid);
  const cellCount = grid.reduce((total, row) => total + row.length, 0);
  const isLopsided = width * grid.length > 4 * cellCount + sparseCells;
  const lines = grid.map((row, index) => line(row, isLopsided && index > 0 ? row.length : width));
  lines.splice(1, 0, line([], width, "---"));
  return [...(title === "" ? [] : [title, ""]), ...lines].join("\n");
}

function line(cells: readonly string[], width: number, empty = ""): string {
  return `| ${Array.from({ length: width }, (_, column) => cells[column] ?? empty).join(" | ")} |`;
}

function widestOf(rows: readonly { readonly length: number }[]): number {
  return rows.reduce((widest, { length }) => Math.max(widest, length), 0);
}

/** Spans leave empty cells, so that columns stay under their heads. */
function gridOf(rows: readonly (readonly Cell[])[], text: (element: PageElement) => string): string[][] {
  const grid: string[][] = [];
  const below = new Map<number, number>();
  for (const row of rows) {
    const line: string[] = [];
    const place = (value: string): void => {
      while ((below.get(line.length) ?? 0) > 0) {
        below.set(line.length, (below.get(line.length) ?? 0) - 1);
        line.push("");
      }
      line.push(value);
    };
    for (const cell of row) {
      const columns = line.length < maxColumns ? cell.columns : 1;
      for (let column = 0; column < columns; column++) {
        place(column === 0 ? text(cell.element) : "");
        if (cell.rows > 1) below.set(line.length - 1, cell.rows - 1);
      }
    }
    grid.push(line);
  }
  return grid;
}

function* children(element: PageElement): Generator<PageElement> {
  for (let child = element.firstElementChild; child !== null; child = child.nextElementSibling) yield child;
}

function rowsOf(table: PageElement): PageElement[] {
  const rows: PageElement[] = [];
  for (const child of children(table)) {
    if (child.localName === "tr") rows.push(child);
    else if (/^t(?:head|body|foot)$/.test(child.localName)) for (const row of children(child)) if (row.localName === "tr") rows.push(row);
  }
  return rows;
}

function cellsOf(row: PageElement): Cell[] {
  return [...children(row)]
    .filter(({ localName }) => localName === "td" || localName === "th")
    .map((element) => ({ element, columns: spanOf(element, "colspan"), rows: spanOf(element, "rowspan") }));
}

function spanOf(element: PageElement, name: string): number {
  const span = Number.parseInt(element.getAttribute(name) ?? "", 10);
  return Number.isNaN(span) || span < 1 ? 1 : Math.min(span, maxSpan);
}

function isLayout(table: PageElement, rows: readonly (readonly Cell[])[]): boolean {
  const role = table.getAttribute("role");
  if (role === "presentation" || role === "none") return true;
  if (table.querySelector("table") !== null) return true;
  const widest = widestOf(rows);
  if (table.querySelector("th") !== null) return false;
  if (widest <= 1) return true;
  return table.querySelector("h1, h2, h3, article, section, main, pre") !== null;
}

/** Code with its line numbers in a column of their own. */
function isCode(table: PageElement): boolean {
  return (
    /\b(?:highlighttable|rouge-table|codehilitetable|lntable|highlight-table)\b/.test(namesOf(table)) && table.querySelector("pre") !== null
  );
}

function lastCell(rows: readonly (readonly Cell[])[]): PageElement {
  const cell = rows[0]?.at(-1);
  if (cell === undefined) throw new Error("a table without cells has no last one");
  return cell.element;
}
