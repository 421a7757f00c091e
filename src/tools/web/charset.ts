/** Owns which charset a body is in: byte order mark, then the header's word, then the page's own, then detection. */
import { detectEncoding } from "../file/text/encoding.ts";

/** Pages say it at their very beginning, or not at all. */
const metaBytes = 4096;

export async function decodeBody(bytes: Uint8Array, contentType: string, isMarkup: boolean, truncated: boolean): Promise<string> {
  const marked = byMark(bytes);
  const labels = [marked, charsetOf(contentType), isMarkup ? declaredIn(bytes) : undefined];
  for (const label of labels) {
    const text = label === undefined ? undefined : await decodeAs(bytes, label);
    if (text !== undefined) return whole(text, truncated);
  }
  const { encoding } = await detectEncoding(bytes, { partial: truncated });
  return whole((await decodeAs(bytes, encoding)) ?? Buffer.from(bytes).toString("utf8"), truncated);
}

function byMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1];
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, metaBytes))
    .toString("latin1")
    .replace(/<!--.*?(?:-->|$)/gs, "");
  const label =
    /<meta[^>]+?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1] ?? /^\s*<\?xml[^>]+?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  // A page that could be read up to here is not in UTF-16, whatever it says.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

async function decodeAs(bytes: Uint8Array, label: string): Promise<string | undefined> {
  let name: string;
  try {
    name = new TextDecoder(label).encoding;
  } catch {
    const iconv = (await import("iconv-lite")).default;
    return iconv.encodingExists(label) ? iconv.decode(Buffer.from(bytes), label) : undefined;
  }
  // What is called Latin-1 on the web is windows-1252, and not every Node decodes that one right.
  if (name === "windows-1252") return (await import("iconv-lite")).default.decode(Buffer.from(bytes), "windows-1252");
  // On the web GBK means GB18030, its superset; not every Node decodes the characters of four bytes under the old name.
  return new TextDecoder(name === "gbk" ? "gb18030" : name).decode(bytes);
}

/** The character that the cut went through is no character. */
function whole(text: string, truncated: boolean): string {
  return truncated ? text.replace(/\ufffd+$/, "") : text;
}
