/**
 * The thread that matches without ripgrep. It reads files and runs the expression; whoever started it can end it at any moment,
 * which is the only cure for an expression that backtracks for ever. Line by line like ripgrep, or over the whole file.
 * `matchWorker` is started by its text: it uses nothing from outside itself but the types.
 */

export interface MatchSettings {
  readonly source: string;
  readonly flags: string;
  readonly multiline: boolean;
  /** Lines to hand back of one file; 0 counts only. */
  readonly limit: number;
  readonly context: number;
  /** Files above this are not searched whole. */
  readonly maxWholeBytes: number;
}

/** Line number, text or bytes, and flat pairs of start and end (none: a context line). Offsets are bytes where bytes are given. */
export type MatchedLine = readonly [line: number, content: string | Uint8Array, spans: readonly number[] | undefined];

export type FileOutcome =
  | { readonly kind: "searched"; readonly matches: number; readonly matchingLines: number; readonly lines: readonly MatchedLine[] }
  | { readonly kind: "skipped"; readonly reason: "no_permission" | "too_large" | "unreadable" }
  | { readonly kind: "passed" };

/** Byte paths in, outcomes in the same order out. */
type MatchJob = readonly string[];
export type MatchAnswer = readonly FileOutcome[];

export function matchWorker(require: NodeJS.Require): void {
  const fs = require("node:fs") as typeof import("node:fs");
  const { isAscii, isUtf8 } = require("node:buffer") as typeof import("node:buffer");
  const { parentPort, workerData } = require("node:worker_threads") as typeof import("node:worker_threads");
  const settings = workerData as MatchSettings;
  const expression = new RegExp(settings.source, settings.flags);
  const blockBytes = 32 * 1024 * 1024;

  interface Tally {
    matches: number;
    matchingLines: number;
    lines: MatchedLine[];
    /** Number and end of the last line handed back. */
    shownLine: number;
    matchedLine: number;
  }

  /** Every byte that is not UTF-8 becomes U+DC80 + its low bits, so that it matches nothing and can be written back. */
  const decodeBroken = (bytes: Buffer): string => {
    let text = "";
    let good = 0;
    for (let at = 0; at < bytes.length; ) {
      const lead = bytes[at] as number;
      const length =
        lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
      if (length === 1 || (length > 1 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)))) {
        at += length;
        continue;
      }
      text += bytes.toString("utf8", good, at) + String.fromCharCode(0xdc00 + lead);
      good = ++at;
    }
    return text + bytes.toString("utf8", good);
  };
  const encodeBroken = (text: string): Buffer => {
    const parts: Buffer[] = [];
    let good = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0xd800 && code <= 0xdbff) at++;
      else if (code >= 0xdc80 && code <= 0xdcff) {
        parts.push(Buffer.from(text.slice(good, at), "utf8"), Buffer.of(code - 0xdc00));
        good = at + 1;
      }
    }
    parts.push(Buffer.from(text.slice(good), "utf8"));
    return Buffer.concat(parts);
  };

  const keep = (tally: Tally, broken: boolean, line: number, text: string, spans: readonly number[] | undefined): void => {
    if (tally.lines.length >= settings.limit) return;
    tally.shownLine = line;
    if (!broken) {
      tally.lines.push([line, text, spans]);
      return;
    }
    const inBytes = spans?.map((at) => encodeBroken(text.slice(0, at)).length);
    tally.lines.push([line, new Uint8Array(encodeBroken(text)), inBytes]);
  };

  /** Where the line that holds `position` starts. */
  const lineStartOf = (text: string, position: number): number => (position === 0 ? 0 : text.lastIndexOf("\n", position - 1) + 1);
  const lineEndOf = (text: string, position: number): number => {
    const end = text.indexOf("\n", position);
    return end < 0 ? text.length : end + 1;
  };

  /** Context lines owed to the last match, from line `line` at `from` up to the line `before`. */
  const showAfter = (tally: Tally, broken: boolean, text: string, from: number, line: number, before: number): void => {
    let start = from;
    for (let at = line; at < before && at <= tally.matchedLine + settings.context && start < text.length; at++) {
      const next = lineEndOf(text, start);
      if (at > tally.shownLine) keep(tally, broken, at, text.slice(start, next), undefined);
      start = next;
    }
  };
  const showBefore = (tally: Tally, broken: boolean, text: string, lineStart: number, line: number): void => {
    const starts = [lineStart];
    for (let at = line - 1; at >= line - settings.context && at > tally.shownLine && (starts[0] as number) > 0; at--) {
      starts.unshift(lineStartOf(text, (starts[0] as number) - 1));
    }
    for (let i = 0; i < starts.length - 1; i++) {
      keep(tally, broken, line - starts.length + 1 + i, text.slice(starts[i], starts[i + 1]), undefined);
    }
  };
  const showRegion = (
    tally: Tally,
    broken: boolean,
    text: string,
    from: number,
    to: number,
    line: number,
    spans: readonly number[],
  ): void => {
    let number = line;
    for (let start = from; start < to && tally.lines.length < settings.limit; number++) {
      const next = lineEndOf(text, start);
      const inside: number[] = [];
      for (let i = 0; i < spans.length; i += 2) {
        const first = Math.max(spans[i] as number, start);
        const last = Math.min(spans[i + 1] as number, next);
        if (first < last) inside.push(first - start, last - start);
      }
      keep(tally, broken, number, text.slice(start, next), inside);
      start = next;
    }
  };

  /**
   * Matches from `from` on; what stands before it is there as context only. `firstLine` is the number of the text's first line.
   * Works by regions: the lines of a match together with those of every further match that starts on them.
   */
  const matchText = (tally: Tally, text: string, broken: boolean, from: number, firstLine: number): void => {
    let line = firstLine;
    let counted = 0;
    const lineOf = (position: number): number => {
      for (let at = text.indexOf("\n", counted); at >= 0 && at < position; at = text.indexOf("\n", counted)) {
        line++;
        counted = at + 1;
      }
      return line;
    };
    const matchFrom = (position: number): RegExpExecArray | null => {
      if (position > text.length) return null;
      expression.lastIndex = position;
      const match = expression.exec(text);
      // After the last line end there is no line any more.
      return match !== null && match.index === text.length && (text === "" || text.endsWith("\n")) ? null : match;
    };
    const wantsLines = settings.limit > 0;
    let afterFrom = from;
    let afterLine = lineOf(from);
    let match = matchFrom(from);
    while (match !== null) {
      const regionStart = lineStartOf(text, match.index);
      let regionEnd = lineEndOf(text, match.index);
      const spans: number[] = [];
      do {
        const start: number = match.index;
        const end: number = start + match[0].length;
        const empty = end === start;
        if (!empty) {
          regionEnd = Math.max(regionEnd, lineEndOf(text, end - 1));
          tally.matches++;
          if (wantsLines && tally.lines.length < settings.limit) spans.push(start, end);
        }
        match = matchFrom(empty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end);
        // The end of an unfinished last line is still on that line, and was dealt with.
        if (match?.index === text.length && regionEnd === text.length) match = null;
      } while (match !== null && match.index < regionEnd);
      const regionLine = lineOf(regionStart);
      if (wantsLines && tally.lines.length < settings.limit) {
        showAfter(tally, broken, text, afterFrom, afterLine, regionLine);
        showBefore(tally, broken, text, regionStart, regionLine);
        showRegion(tally, broken, text, regionStart, regionEnd, regionLine, spans);
      }
      const nextLine = text.endsWith("\n") || regionEnd < text.length ? lineOf(regionEnd) : lineOf(regionEnd) + 1;
      tally.matchingLines += nextLine - regionLine;
      tally.matchedLine = nextLine - 1;
      afterFrom = regionEnd;
      afterLine = nextLine;
    }
    if (wantsLines && tally.matchedLine > 0) showAfter(tally, broken, text, afterFrom, afterLine, Number.MAX_SAFE_INTEGER);
  };

  /** UTF-16, by its mark. */
  const isWide = (bytes: Buffer): boolean => (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const hasMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

  const searchWhole = (bytes: Buffer, tally: Tally): boolean => {
    if (isWide(bytes)) {
      const text = new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
      if (text.includes("\0")) return false;
      matchText(tally, text, false, 0, 1);
      return true;
    }
    const body = hasMark(bytes) ? bytes.subarray(3) : bytes;
    if (body.includes(0)) return false;
    const broken = !isUtf8(body);
    const text = broken ? decodeBroken(body) : body.toString(isAscii(body) ? "latin1" : "utf8");
    matchText(tally, text, broken, 0, 1);
    return true;
  };

  /** Blocks that end with a line; the last context lines of one stand again at the head of the next. */
  const searchBlocks = (descriptor: number, tally: Tally): boolean | undefined => {
    let pending: Buffer = Buffer.alloc(0);
    let carried = 0;
    let firstLine = 1;
    for (let position = 0; ; ) {
      const block = Buffer.allocUnsafe(blockBytes);
      const got = fs.readSync(descriptor, block, 0, blockBytes, position);
      const fresh = block.subarray(position === 0 && hasMark(block) ? 3 : 0, got);
      position += got;
      if (fresh.includes(0)) return false;
      const bytes = Buffer.concat([pending, fresh]);
      const end = got === 0 ? bytes.length : bytes.lastIndexOf(10) + 1;
      if (end <= carried && got > 0) {
        if (bytes.length > settings.maxWholeBytes) return undefined;
        pending = bytes;
        continue;
      }
      const head = bytes.subarray(0, end);
      const broken = !isUtf8(head);
      const decode = (part: Buffer): string => (broken ? decodeBroken(part) : part.toString("utf8"));
      const lead = decode(head.subarray(0, carried));
      matchText(tally, lead + decode(head.subarray(carried)), broken, lead.length, firstLine);
      if (got === 0) return true;
      let keepFrom = end;
      for (let i = 0; i < settings.context && keepFrom > 0; i++) keepFrom = keepFrom < 2 ? 0 : head.lastIndexOf(10, keepFrom - 2) + 1;
      for (let at = head.indexOf(10); at >= 0 && at < keepFrom; at = head.indexOf(10, at + 1)) firstLine++;
      carried = end - keepFrom;
      pending = bytes.subarray(keepFrom);
    }
  };

  /** At most the size seen: a file that grows meanwhile is read as it was. */
  const readFrom = (descriptor: number, size: number): Buffer => {
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    for (let got = -1; got !== 0 && length < size; length += got) got = fs.readSync(descriptor, bytes, length, size - length, length);
    return bytes.subarray(0, length);
  };

  const search = (path: string): FileOutcome => {
    let descriptor: number;
    try {
      const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
      descriptor = fs.openSync(Buffer.from(path, "latin1"), O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EACCES" || code === "EPERM") return { kind: "skipped", reason: "no_permission" };
      return code === "ENOENT" || code === "ELOOP" ? { kind: "passed" } : { kind: "skipped", reason: "unreadable" };
    }
    try {
      const stat = fs.fstatSync(descriptor);
      if (!stat.isFile()) return { kind: "passed" };
      const tally: Tally = { matches: 0, matchingLines: 0, lines: [], shownLine: 0, matchedLine: Number.NEGATIVE_INFINITY };
      let text: boolean | undefined;
      const mark = Buffer.alloc(2);
      fs.readSync(descriptor, mark, 0, 2, 0);
      if (stat.size <= blockBytes || settings.multiline || isWide(mark)) {
        if (stat.size > settings.maxWholeBytes) return { kind: "skipped", reason: "too_large" };
        text = searchWhole(readFrom(descriptor, stat.size), tally);
      } else {
        text = searchBlocks(descriptor, tally);
      }
      if (text === undefined) return { kind: "skipped", reason: "too_large" };
      if (!text || tally.matchingLines === 0) return { kind: "passed" };
      return { kind: "searched", matches: tally.matches, matchingLines: tally.matchingLines, lines: tally.lines };
    } catch {
      return { kind: "skipped", reason: "unreadable" };
    } finally {
      fs.closeSync(descriptor);
    }
  };

  parentPort?.on("message", (job: MatchJob) => parentPort?.postMessage(job.map(search) satisfies MatchAnswer));
}
