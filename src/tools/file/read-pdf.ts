/**
 * Owns PDF documents: number of pages, and their text page by page, bounded.
 * A document that cannot be opened (encrypted, damaged) is still named by kind and size, with the reason.
 */
import type { JsonObject, ToolOutput } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { sizeText } from "./read-kind.ts";

export const maxPdfFileBytes = 128 << 20;
/** Without a wish, so many pages are read. */
const defaultPages = 20;
const maxPages = 200;
const maxPageCharacters = 50_000;

/** `2`, `1-5`, `3-`; first and last, from 1. */
function parsePages(text: string): { first: number; last: number } {
  const parts = /^\s*(\d+)\s*(?:(-)\s*(\d*)\s*)?$/.exec(text);
  const first = Number(parts?.[1]);
  const last = parts?.[2] === undefined ? first : parts[3] === "" ? Number.POSITIVE_INFINITY : Number(parts[3]);
  if (parts === null || first < 1 || last < first) {
    throw new ToolFailure("invalid_tool_input", `pages must be like "3", "1-5" or "4-", not ${JSON.stringify(text)}`, {
      details: { reason: "bad_pages", pages: text },
    });
  }
  return { first, last };
}

export async function readPdf(path: string, bytes: Uint8Array, pages: string | undefined, signal: AbortSignal): Promise<ToolOutput> {
  const wish = pages === undefined ? undefined : parsePages(pages);
  const size = bytes.byteLength;
  const facts: JsonObject = { path, kind: "pdf", size };
  const { getDocumentProxy } = await import("unpdf");
  let document: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    // The parser takes its bytes away from the caller.
    document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, isEvalSupported: false });
  } catch (error) {
    const encrypted = error instanceof Error && error.name === "PasswordException";
    const why = encrypted ? "it is protected by a password" : "it is damaged";
    return {
      output: `PDF document, ${sizeText(size)}. Its text cannot be read: ${why}.`,
      data: { ...facts, readable: false, reason: encrypted ? "encrypted" : "damaged" },
    };
  }
  try {
    const total = document.numPages;
    const first = wish?.first ?? 1;
    if (first > total) {
      throw new ToolFailure("invalid_tool_input", `${path} has ${total} ${total === 1 ? "page" : "pages"}; there is no page ${first}`, {
        details: { reason: "bad_pages", pages: total },
      });
    }
    const last = Math.min(total, wish?.last ?? defaultPages, first + maxPages - 1);
    const parts = [`PDF document, ${total} ${total === 1 ? "page" : "pages"}, ${sizeText(size)}`];
    for (let number = first; number <= last; number += 1) {
      signal.throwIfAborted();
      parts.push(`--- Page ${number} of ${total} ---`, bounded(await pageText(await document.getPage(number))));
    }
    if (last < total)
      parts.push(
        `(Pages ${last + 1} to ${total} are not shown; ask for them with pages "${last + 1}-${Math.min(total, last + defaultPages)}".)`,
      );
    return {
      output: parts.join("\n"),
      data: { ...facts, readable: true, page_count: total, first_page: first, last_page: last, eof: last === total },
    };
  } finally {
    await document.destroy();
  }
}

const maxWholePages = 500;

/** All pages of a document in one text, with its title; what cannot be opened is said. */
export async function pdfText(bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly title: string; readonly text: string }> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, isEvalSupported: false }).catch(
    (error: unknown) => error as Error,
  );
  if (document instanceof Error) {
    const why = document.name === "PasswordException" ? "it is protected by a password" : "it is damaged or incomplete";
    return { title: "", text: `PDF document, ${sizeText(bytes.byteLength)}. Its text cannot be read: ${why}.` };
  }
  try {
    const total = document.numPages;
    const parts: string[] = [];
    for (let number = 1; number <= Math.min(total, maxWholePages); number += 1) {
      signal.throwIfAborted();
      parts.push(`--- Page ${number} of ${total} ---`, bounded(await pageText(await document.getPage(number))));
    }
    if (total > maxWholePages) parts.push(`(Pages ${maxWholePages + 1} to ${total} are not shown.)`);
    const { info } = await document.getMetadata().catch(() => ({ info: {} }));
    const { Title: title } = info as { Title?: unknown };
    return { title: typeof title === "string" ? title.trim() : "", text: parts.join("\n") };
  } finally {
    await document.destroy();
  }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof import("unpdf")["getDocumentProxy"]>>["getPage"]>>;

async function pageText(page: Page): Promise<string> {
  const { items } = await page.getTextContent();
  let text = "";
  for (const item of items) {
    if (!("str" in item)) continue;
    text += item.str;
    if (item.hasEOL) text += "\n";
  }
  page.cleanup();
  const trimmed = text.trim();
  return trimmed === "" ? "(no text on this page)" : trimmed;
}

function bounded(text: string): string {
  if (text.length <= maxPageCharacters) return text;
  return `${text.slice(0, maxPageCharacters)}… [${text.length - maxPageCharacters} more characters on this page]`;
}
