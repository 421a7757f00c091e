/** Text in columns: how wide it is on a terminal, and how it goes on below itself. */
import { stripVTControlCharacters } from "node:util";

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += wide.test(character) ? 2 : 1;
  return width;
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(1, width - widthOf(text)));
}

/** Broken at blanks, and between Chinese characters, where the terminal ends; each further line begins at `column`. */
export function indented(text: string, column: number, columns = process.stdout.columns): string {
  if (columns === undefined || columns < column + 20) return text;
  const lines: string[] = [];
  let line = "";
  for (const part of text.split(/(?<=\s)|(?<=[\u2e80-\ua4cf\uff00-\uff60])/u)) {
    if (line !== "" && column + widthOf(line + part.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += part;
  }
  return [...lines, line].join(`\n${" ".repeat(column)}`);
}
