/**
 * Terminal output as text for a model: colours and control sequences gone, what was overwritten
 * (carriage returns, backspaces, cursor moves of progress bars) resolved to what was left standing.
 * Linear in its input; the caller bounds it.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const needsWork = /[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]/;
const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x1f\x7f\x80-\x9f]|[^\x00-\x1f\x7f\x80-\x9f]+/g;

/** How far back a cursor can go up to change a line. */
const window = 100;
/** How much of a line a sequence can change: wider than any terminal, and little enough that many of them cost little. */
const reach = 500;

export function cleanText(raw: string): string {
  const plain = raw.replaceAll("\r\n", "\n");
  if (!needsWork.test(plain)) return plain;
  const page = new Page();
  for (const match of plain.matchAll(token)) {
    const [text, parameters, final] = match;
    if (final !== undefined) page.sequence(parameters ?? "", final);
    else if (text.startsWith("\x1b")) continue;
    else if (text.length === 1 && needsWork.test(text)) page.control(text);
    else if (text === "\n" || text === "\t") page.control(text);
    else page.print(text);
  }
  return page.text();
}

class Page {
  readonly #done: string[] = [];
  readonly #lines: string[][] = [[]];
  #row = 0;
  #column = 0;

  print(text: string): void {
    const line = this.#line();
    while (line.length < this.#column) line.push(" ");
    for (const character of text) {
      line[this.#column] = character;
      this.#column += 1;
    }
  }

  control(character: string): void {
    if (character === "\n") this.#down();
    else if (character === "\r") this.#column = 0;
    else if (character === "\b") this.#column = Math.max(0, this.#column - 1);
    else if (character === "\t") this.print("\t");
  }

  sequence(parameters: string, final: string): void {
    const count = Math.min(Math.max(1, Number.parseInt(parameters, 10) || 1), 1000);
    if (final === "K") this.#eraseLine(parameters);
    else if (final === "G") this.#column = count - 1;
    else if (final === "C") this.#column = Math.max(this.#column, Math.min(this.#column + count, 1000));
    else if (final === "D") this.#column = Math.max(0, this.#column - count);
    else if (final === "A" || final === "F") {
      this.#row = Math.max(0, this.#row - count);
      if (final === "F") this.#column = 0;
    } else if (final === "B" || final === "E") {
      this.#row = Math.min(this.#lines.length - 1, this.#row + count);
      if (final === "E") this.#column = 0;
    } else if (final === "P") this.#deleteCharacters(Math.min(count, reach));
    else if (final === "J" && (parameters === "" || parameters === "0")) {
      this.#eraseLine("");
      this.#lines.length = this.#row + 1;
    } else if (final === "H" || final === "f" || final === "J") this.#fresh();
  }

  text(): string {
    return [...this.#done, ...this.#lines.map((line) => line.join("").replace(/ +$/, ""))].join("\n");
  }

  #line(): string[] {
    const line = this.#lines[this.#row] ?? [];
    this.#lines[this.#row] = line;
    return line;
  }

  #down(): void {
    this.#column = 0;
    this.#row += 1;
    if (this.#row === this.#lines.length) this.#lines.push([]);
    if (this.#lines.length > window) {
      this.#done.push((this.#lines.shift() ?? []).join("").replace(/ +$/, ""));
      this.#row -= 1;
    }
  }

  /** A place on the screen is no place in the text: what follows starts a line of its own. */
  #fresh(): void {
    this.#row = this.#lines.length - 1;
    if (this.#line().length > 0) this.#down();
    this.#column = 0;
  }

  #deleteCharacters(count: number): void {
    const line = this.#line();
    const end = this.#column + reach;
    if (line.length <= end) line.splice(this.#column, count);
    else for (let at = this.#column; at < end; at++) line[at] = at + count < end ? (line[at + count] ?? " ") : " ";
  }

  #eraseLine(parameters: string): void {
    const line = this.#line();
    if (parameters === "" || parameters === "0") line.length = Math.min(line.length, this.#column);
    else if (parameters === "1") line.fill(" ", Math.max(0, this.#column - reach), Math.min(this.#column + 1, line.length));
    else line.length = 0;
  }
}
