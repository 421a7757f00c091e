/**
 * XML character references and CDATA, both ways.
 * Decoding knows the five XML names and numeric references only: `&nbsp;` in a web page stays what it is.
 */
import type { Repairs } from "../types.ts";

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

interface Unescaped {
  readonly text: string;
  /** An `&` stood there that starts no reference. */
  readonly bare: boolean;
}

export function unescapeXml(text: string): Unescaped {
  let at = text.indexOf("&");
  if (at < 0) return { text, bare: false };
  let out = "";
  let from = 0;
  let bare = false;
  while (at >= 0) {
    const found = reference(text, at);
    if (found === undefined) bare = true;
    else {
      out += text.slice(from, at) + found.value;
      from = found.end;
    }
    at = text.indexOf("&", found?.end ?? at + 1);
  }
  return { text: out + text.slice(from), bare };
}

function reference(text: string, at: number): { readonly value: string; readonly end: number } | undefined {
  // The longest reference is &#1114111; so a window keeps a text full of `&` linear.
  const window = text.slice(at + 1, at + 12);
  const stop = window.indexOf(";");
  if (stop < 1) return undefined;
  const body = window.slice(0, stop);
  const end = at + 2 + stop;
  if (body[0] !== "#") {
    const value = named[body];
    return value === undefined ? undefined : { value, end };
  }
  const hex = body[1] === "x" || body[1] === "X";
  const digits = body.slice(hex ? 2 : 1);
  if (!(hex ? /^[0-9a-fA-F]+$/ : /^[0-9]+$/).test(digits)) return undefined;
  const code = Number.parseInt(digits, hex ? 16 : 10);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return { value: String.fromCodePoint(code), end };
}

/**
 * Text that stood outside CDATA. Where it holds raw tags the writer did not escape at all, so it is taken
 * as it is; otherwise references are decoded. Either way a stray `<` or `&` is a repair.
 */
export function textOutsideCdata(raw: string, repairs: Repairs): string {
  let bare = false;
  for (let at = raw.indexOf("<"); at >= 0; at = raw.indexOf("<", at + 1)) {
    bare = true;
    if (startsTag(raw.charCodeAt(at + 1))) {
      repairs.add("unescaped markup");
      return raw;
    }
  }
  const decoded = unescapeXml(raw);
  if (bare || decoded.bare) repairs.add("unescaped markup");
  return decoded.text;
}

function startsTag(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 47 || code === 33 || code === 63 || code === 95;
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => (character === "&" ? "&amp;" : character === "<" ? "&lt;" : "&gt;"));
}

/** For a double-quoted attribute; line breaks survive attribute normalisation as references. */
export function escapeAttribute(text: string): string {
  return escapeXml(text).replace(/["\n\r\t]/g, (character) => (character === '"' ? "&quot;" : `&#${character.charCodeAt(0)};`));
}

/** `]]>` cannot stand in CDATA: the section is closed in its middle and opened again. */
export function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}
