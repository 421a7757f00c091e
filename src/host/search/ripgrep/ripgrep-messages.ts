/**
 * Reads ripgrep's two answers as they come: JSON messages (lines of matches) and `path NUL count` (counting).
 * A message whose lines nobody will see is only counted, not parsed. Knows nothing of processes.
 */

import type { GrepLine } from "../../../contract/index.ts";
import { toDisplay } from "../byte-path.ts";
import type { FileFilter } from "../file-filter.ts";
import type { GrepResults } from "../grep-results.ts";
import { decodeLine, type Span, shownLine, splitLines } from "../line-text.ts";

/** Text, or base64 where it is not UTF-8. */
type Arbitrary = { readonly text: string } | { readonly bytes: string };

interface LineMessage {
  readonly data: {
    readonly lines: Arbitrary;
    readonly line_number: number;
    readonly submatches: readonly { readonly start: number; readonly end: number }[];
  };
}

interface EndMessage {
  readonly data: { readonly binary_offset: number | null; readonly stats: { readonly matched_lines: number; readonly matches: number } };
}

export interface MessageReader {
  push(chunk: Buffer): void;
  /** The stream has ended, perhaps too early: what is unfinished counts as far as it goes. */
  end(): void;
}

export interface ReaderOptions {
  readonly results: GrepResults;
  readonly filter: FileFilter | undefined;
  readonly limit: number;
  /** Count lines instead of matches. */
  readonly countLines: boolean;
  /** Relative byte path of a file with matches; false drops it. */
  accept(relative: string): boolean;
}

const newline = 10;

/** A message longer than this holds a line nobody can read; what it says is counted, not parsed. */
const maxMessageBytes = 64 * 1024 * 1024;

/** Cuts a stream into lines and hands them out; of one that is too long, the start. */
class Splitter {
  readonly #onPiece: (piece: Buffer, whole: boolean) => void;
  #pending: Buffer[] = [];
  #length = 0;

  constructor(onPiece: (piece: Buffer, whole: boolean) => void) {
    this.#onPiece = onPiece;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (this.#pending.length === 0) {
        this.#onPiece(piece, true);
        continue;
      }
      this.#hold(piece);
      const whole = this.#length <= maxMessageBytes;
      const message = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#length = 0;
      this.#onPiece(message, whole);
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  #hold(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length <= maxMessageBytes) this.#pending.push(piece);
    else this.#pending.length = 1;
  }
}

interface OpenFile {
  readonly path: string;
  readonly relative: string;
  readonly wanted: boolean;
  readonly lines: GrepLine[];
  messages: number;
}

export class JsonReader implements MessageReader {
  readonly #options: ReaderOptions;
  readonly #splitter = new Splitter((piece, whole) => this.#message(piece, whole));
  #file: OpenFile | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
  }

  end(): void {
    const file = this.#file;
    if (file === undefined || file.messages === 0 || !this.#options.accept(file.relative)) return;
    this.#options.results.add({ path: file.path, matches: file.messages, matchingLines: file.messages, lines: file.lines });
  }

  /** `{"type":"begin"…`, `match`, `context`, `end`, and last `{"data":…,"type":"summary"}`: the tenth byte tells. */
  #message(piece: Buffer, whole: boolean): void {
    const kind = piece[9];
    if (kind === 98) this.#begin(JSON.parse(piece.toString("utf8")) as { data: { path: Arbitrary } });
    else if (kind === 109) this.#lines(piece, true, whole);
    else if (kind === 99) this.#lines(piece, false, whole);
    else if (kind === 101) this.#end(JSON.parse(piece.toString("utf8")) as EndMessage);
  }

  #begin({ data }: { data: { path: Arbitrary } }): void {
    const relative = withoutDot(asciiOf(data.path) ?? bytesOf(data.path).toString("latin1"));
    const path = toDisplay(relative);
    const { filter, results } = this.#options;
    this.#file =
      filter === undefined || filter.accepts(path) ? { path, relative, wanted: results.wants(path), lines: [], messages: 0 } : undefined;
  }

  #lines(piece: Buffer, matching: boolean, whole: boolean): void {
    const file = this.#file;
    if (file !== undefined && matching) file.messages++;
    if (!whole || file === undefined || !file.wanted || file.lines.length >= this.#options.limit) return;
    const { data } = JSON.parse(piece.toString("utf8")) as LineMessage;
    // An empty match may stand inside a character and marks nothing.
    const spans = matching
      ? data.submatches.filter(({ start, end }) => start < end).map(({ start, end }): Span => [start, end])
      : undefined;
    const plain = asciiOf(data.lines);
    const decoded = plain === undefined ? decodeLine(bytesOf(data.lines), spans) : { text: plain, spans };
    for (const line of splitLines(decoded.text, data.line_number, decoded.spans)) {
      if (file.lines.length < this.#options.limit) file.lines.push(shownLine(file.path, line));
    }
  }

  #end({ data }: EndMessage): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined || data.binary_offset !== null || !this.#options.accept(file.relative)) return;
    const { matched_lines: matchingLines, matches } = data.stats;
    this.#options.results.add({
      path: file.path,
      matches: this.#options.countLines ? matchingLines : matches,
      matchingLines,
      lines: file.lines,
    });
  }
}

export class CountReader implements MessageReader {
  readonly #options: ReaderOptions;
  #pending: Buffer = Buffer.alloc(0);

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    let start = 0;
    for (;;) {
      const nul = bytes.indexOf(0, start);
      const end = nul < 0 ? -1 : bytes.indexOf(newline, nul);
      if (end < 0) break;
      this.#record(bytes.toString("latin1", start, nul), Number(bytes.toString("latin1", nul + 1, end)));
      start = end + 1;
    }
    this.#pending = bytes.subarray(start);
  }

  end(): void {
    this.#pending = Buffer.alloc(0);
  }

  #record(name: string, matches: number): void {
    const relative = withoutDot(name);
    const path = toDisplay(relative);
    const { filter, results, accept } = this.#options;
    if ((filter !== undefined && !filter.accepts(path)) || !accept(relative)) return;
    results.add({ path, matches, matchingLines: 0, lines: [] });
  }
}

/** The text where it is the same in every encoding, which it almost always is. */
function asciiOf(value: Arbitrary): string | undefined {
  return "text" in value && Buffer.byteLength(value.text) === value.text.length ? value.text : undefined;
}

function bytesOf(value: Arbitrary): Buffer {
  return "text" in value ? Buffer.from(value.text, "utf8") : Buffer.from(value.bytes, "base64");
}

function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
