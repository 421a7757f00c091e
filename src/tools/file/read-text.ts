/**
 * Owns the reading of a text file: encoding, page, numbering, and what is said about the rest.
 * Remembers what was read: by hash when it was the whole file, by size and time when it was a page.
 */
import { createHash } from "node:crypto";
import type { Fingerprint, JsonObject, OpenFile, ToolOutput } from "../../contract/index.ts";
import { maxLineCharacters, numberLines, type PageBytes, takePage } from "./read-lines.ts";
import { type DetectedEncoding, detectEncoding, readableText, showable, type TextEncoding } from "./text/encoding.ts";

export interface TextRequest {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface TextAnswer extends ToolOutput {
  readonly fingerprint: Fingerprint;
}

/** `head` is the beginning of the file, all of it where it is small. */
export async function readText(file: OpenFile, head: Buffer, headEncoding: DetectedEncoding, request: TextRequest): Promise<TextAnswer> {
  const { size, mtimeMs } = file.stat;
  const isWhole = head.length >= size;
  if (head.length === headEncoding.bom.length && isWhole) {
    const fingerprint = { size: head.length, mtimeMs, hash: hashOf(head) };
    const data = { path: request.path, kind: "text", encoding: "utf-8", size: head.length, line_count_shown: 0, total_lines: 0, eof: true };
    return { output: "File exists but is empty", data, fingerprint };
  }
  const unit = headEncoding.encoding === "utf-16le" || headEncoding.encoding === "utf-16be" ? headEncoding.encoding : "byte";
  const page = await takePage(file, head, { ...request, unit, start: headEncoding.bom.length });
  // A head of plain ASCII says nothing about a page far behind it.
  const detected =
    isWhole || headEncoding.encoding !== "utf-8"
      ? headEncoding
      : { ...(await detectEncoding(page.bytes, { partial: true })), bom: headEncoding.bom };
  const encoding = unit === "byte" && detected.encoding.startsWith("utf-16") ? "utf-8" : detected.encoding;
  const text = page.endless ? await beginning(page.bytes, encoding) : await readableText(page.bytes, encoding);
  const firstLine = page.skipped + 1;
  const numbered = numberLines(text, firstLine);
  const data: JsonObject = {
    path: request.path,
    kind: "text",
    encoding,
    ...(headEncoding.bom.length > 0 ? { bom: true } : {}),
    ...(encoding === "utf-8" ? {} : { confidence: Math.round(detected.confidence * 100) / 100 }),
    size: Math.max(size, head.length),
    first_line: firstLine,
    line_count_shown: page.lines,
    ...(page.totalLines === undefined ? {} : { total_lines: page.totalLines }),
    ...(numbered.cut > 0 ? { lines_cut: numbered.cut } : {}),
    line_endings: lineEndings(text),
    eof: page.eof,
    ...(page.eof || page.endless ? {} : { next_offset: page.skipped + page.lines }),
  };
  const output = numbered.text + note(page, request, numbered.text);
  return { output, data, fingerprint: isWhole ? { size: head.length, mtimeMs, hash: hashOf(head) } : { size, mtimeMs } };
}

/** What is shown of a line without an end. */
async function beginning(bytes: Buffer, encoding: TextEncoding): Promise<string> {
  const text = await readableText(bytes.subarray(0, maxLineCharacters * 4), encoding);
  return showable(text.slice(0, maxLineCharacters));
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function lineEndings(text: string): "lf" | "crlf" | "mixed" | "none" {
  const first = text.indexOf("\n");
  if (first < 0) return "none";
  if (!text.includes("\r\n")) return "lf";
  return /(^|[^\r])\n/.test(text) ? "mixed" : "crlf";
}

/** What the page does not show; empty when it shows everything from the offset on. */
function note(page: PageBytes, request: TextRequest, shown: string): string {
  if (page.lines === 0) {
    const total = page.totalLines ?? page.skipped;
    return `(No lines: the file has ${total} ${total === 1 ? "line" : "lines"}, offset ${request.offset} is past its end.)`;
  }
  if (page.endless) return `\n(Line ${page.skipped + 1} goes on for more than ${page.bytes.length} bytes; its end was not looked for.)`;
  if (page.eof) return "";
  const next = page.skipped + page.lines;
  const rest =
    page.totalLines === undefined
      ? "More lines follow"
      : `${page.totalLines - next} more ${page.totalLines - next === 1 ? "line follows" : "lines follow"}`;
  return `${shown.endsWith("\n") ? "" : "\n"}(${rest}; go on with offset ${next}.)`;
}
