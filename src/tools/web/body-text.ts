/** A fetched body as text for a model: Markdown of pages, formatted JSON, PDF by page, other text as it is, binaries in a line. */
import type { HttpAnswer } from "../../contract/index.ts";
import { pdfText } from "../file/read-pdf.ts";
import { decodeBody } from "./charset.ts";
import { formatJson } from "./format-json.ts";

export interface BodyText {
  readonly mediaType: string;
  readonly title: string;
  readonly text: string;
}

export interface BodyOptions {
  readonly mode: "main" | "page";
  readonly links: boolean;
  readonly signal: AbortSignal;
}

const textBytes = 1_048_576;
const pdfBytes = 20 * 1_048_576;

/** How much of a body is read. */
export function maxBytesOf(mediaType: string, head: Uint8Array): number {
  return mediaType === "application/pdf" || startsWith(head, "%PDF-") ? pdfBytes : textBytes;
}

type Kind = "html" | "json" | "pdf" | "text" | "binary";

export async function bodyText(answer: HttpAnswer, options: BodyOptions): Promise<BodyText> {
  const contentType = answer.headers["content-type"] ?? "";
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const kind = kindOf(mediaType, contentType, answer.body);
  if (kind === "pdf") {
    const { title, text } = await pdfText(answer.body, options.signal);
    return { mediaType: mediaType === "" ? "application/pdf" : mediaType, title, text };
  }
  if (kind === "binary") return { mediaType, title: "", text: binaryLine(mediaType, answer) };
  const isMarkup = kind === "html" || /xml/.test(mediaType) || mediaType === "";
  const decoded = withoutTags(await decodeBody(answer.body, contentType, isMarkup, answer.truncated));
  if (kind === "json") return { mediaType, title: "", text: formatJson(decoded) };
  if (kind === "text") return { mediaType: mediaType === "" ? "text/plain" : mediaType, title: "", text: decoded };
  const { pageText } = await import("./html/page-text.ts");
  const { title, markdown } = pageText(decoded, { url: answer.url, mode: options.mode, links: options.links });
  return { mediaType: mediaType === "" ? "text/html" : mediaType, title: withoutTags(title), text: withoutTags(markdown) };
}

function kindOf(mediaType: string, contentType: string, body: Uint8Array): Kind {
  if (mediaType === "application/pdf" || startsWith(body, "%PDF-")) return "pdf";
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return "html";
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(mediaType)) return "json";
  const isOpen = mediaType === "" || mediaType === "application/octet-stream" || mediaType === "binary/octet-stream";
  if (isOpen) {
    if (/^<(?:!doctype html|html|head|body)\b/i.test(withoutFirstComments(body))) return "html";
    return looksLikeText(body) ? "text" : "binary";
  }
  if (
    mediaType.startsWith("text/") ||
    /[/+](?:xml|yaml|x-yaml|toml|javascript|ecmascript|x-sh|sql|graphql|x-ndjson|jsonl|csv|markdown)$/.test(mediaType)
  )
    // Servers call what they do not know text. Only in these charsets a text has zeros.
    return looksLikeText(body) || /charset\s*=\s*["']?(?:utf-?16|utf-?32|ucs-?2|iso-10646)/i.test(contentType) ? "text" : "binary";
  return "binary";
}

function withoutFirstComments(body: Uint8Array): string {
  let head = Buffer.from(body.subarray(0, 1024))
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart();
  while (head.startsWith("<!--")) {
    const end = head.indexOf("-->", 4);
    if (end === -1) return "";
    head = head.slice(end + 3).trimStart();
  }
  return head;
}

function looksLikeText(body: Uint8Array): boolean {
  const head = body.subarray(0, 4096);
  const marked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return marked || !head.includes(0);
}

function binaryLine(mediaType: string, { body, truncated, headers }: HttpAnswer): string {
  const told = Number(headers["content-length"]);
  const size = !truncated ? body.length : Number.isSafeInteger(told) && told > body.length ? told : undefined;
  const shown = size === undefined ? `over ${body.length.toLocaleString("en-US")} bytes` : `${size.toLocaleString("en-US")} bytes`;
  return `Binary content (${mediaType === "" ? "unknown kind" : mediaType}), ${shown}; not shown.`;
}

/** Unicode tag characters show nothing and can spell out anything. */
function withoutTags(text: string): string {
  return text.replace(/[\u{e0000}-\u{e007f}]/gu, "");
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return bytes.length >= text.length && Buffer.from(bytes.subarray(0, text.length)).toString("latin1") === text;
}
