/**
 * Secrets that are told by what stands before them: `DB_PASSWORD=…`, `"apiKey": "…"`, `Authorization: Bearer …`,
 * `https://user:…@host`. All of them have a `=` or a `:` in front, so those are where to look.
 */
import { type CharClass, charClass, dotted, endOfRun, isIn, swallowClass, token68, urlSafe } from "../mask/char-class.ts";
import { type Findings, lookBack, rank, type Window } from "../mask/findings.ts";
import { isPlaceholder, looksSecret, type SecretKind, type Style, secretKind } from "./secret-words.ts";

const longestName = 80;
/** A longer value is judged by its beginning. */
const longestBare = 96;
const longestQuoted = 256;

const colon = 0x3a;
const equals = 0x3d;
const slash = 0x2f;
const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join("");
const without = (stops: string): CharClass => charClass([...printable].filter((char) => !stops.includes(char)).join(""));
const nonAscii = 128;

/** A bare value ends at blanks and quotes; outside of environment files at punctuation too. */
const environmentValue = without("\"'`");
const looseValue = without("\"'`,;)]}<>&|");
const quotedEnds: Readonly<Record<string, CharClass>> = { '"': without('"'), "'": without("'"), "`": without("`") };

export function findAssignments(window: Window, findings: Findings): void {
  const { text, bytes, from } = window;
  const earliest = Math.max(0, from - lookBack);
  for (let mark = text.indexOf("=", earliest); mark >= 0; mark = text.indexOf("=", mark + 1)) {
    if (endsLikeSecret(bytes, mark)) judge(window, mark, equals, findings);
  }
  for (let mark = text.indexOf(":", earliest); mark >= 0; mark = text.indexOf(":", mark + 1)) {
    if (bytes[mark + 1] === slash) judgeUrl(window, mark, findings);
    else if (endsLikeSecret(bytes, mark)) judge(window, mark, colon, findings);
  }
}

/** How names end that can hold a secret, to leave nearly all other marks at once: by three letters, the one before them. */
const lastLetters = new Uint8Array(1 << 15);
const anyLetter = 255;
for (const ending of ["word", "sswd", "rase", " pwd", "cret", "rets", "oken", " key", "tial", "ials", "auth", "tion"]) {
  const [before, first, second, third] = [0, 1, 2, 3].map((index) => ending.charCodeAt(index) & 31);
  lastLetters[((first ?? 0) << 10) | ((second ?? 0) << 5) | (third ?? 0)] = ending[0] === " " ? anyLetter : (before ?? 0);
}

function endsLikeSecret(bytes: Uint8Array, mark: number): boolean {
  const end = endOfName(bytes, mark);
  if (end < 4) return false;
  const before = lastLetters[letters(bytes, end)];
  return before !== 0 && (before === anyLetter || before === ((bytes[end - 4] as number) & 31));
}

function letters(bytes: Uint8Array, end: number): number {
  return (((bytes[end - 3] as number) & 31) << 10) | (((bytes[end - 2] as number) & 31) << 5) | ((bytes[end - 1] as number) & 31);
}

function judge(window: Window, mark: number, code: number, findings: Findings): void {
  const { text, bytes } = window;
  const nameEnd = endOfName(bytes, mark);
  let nameStart = nameEnd;
  while (nameStart > 0 && nameEnd - nameStart < longestName && isIn(dotted, text.charCodeAt(nameStart - 1))) nameStart -= 1;
  if (nameEnd - nameStart < 4) return;
  const name = text.slice(nameStart, nameEnd);
  const kind = secretKind(name);
  if (kind !== undefined) judgeValue(window, { mark, code, name, nameStart, tight: nameEnd === mark }, kind, findings);
  else if (/^(?:proxy-)?authorization$/i.test(name)) judgeHeader(window, mark + 1, findings);
}

/** Over blanks and a closing quote, escaped or not, to the end of the name. */
function endOfName(bytes: Uint8Array, mark: number): number {
  let end = mark;
  while (end > 0 && mark - end < 2 && isBlank(bytes[end - 1] as number)) end -= 1;
  if (end > 0 && (bytes[end - 1] === 0x22 || bytes[end - 1] === 0x27)) {
    end -= 1;
    if (end > 0 && bytes[end - 1] === 0x5c) end -= 1;
  }
  return end;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

interface Assignment {
  readonly mark: number;
  readonly code: number;
  readonly name: string;
  readonly nameStart: number;
  /** The name stands right before its mark. */
  readonly tight: boolean;
}

function judgeValue(window: Window, { mark, code, name, nameStart, tight }: Assignment, kind: SecretKind, findings: Findings): void {
  const { text, from, final } = window;
  let at = mark + 1;
  const next = text.charCodeAt(at);
  if (next === code) return;
  if ((code === equals && next === 0x3e) || (code === colon && next === equals)) at += 1;
  const afterMark = at;
  while (at < text.length && at - afterMark < 16 && isBlank(text.charCodeAt(at))) at += 1;
  const escaped = text[at] === "\\" ? 1 : 0;
  const quote = quotedEnds[text[at + escaped] ?? ""];
  const start = quote === undefined ? at : at + escaped + 1;
  if (start < from || start >= text.length) return;
  const label = `[masked:${kind}]`;
  if (quote !== undefined) {
    const limit = start + longestQuoted;
    let end = start;
    while (end < text.length && end < limit && (isIn(quote, text.charCodeAt(end)) || text.charCodeAt(end) >= nonAscii)) end += 1;
    if (end === text.length && end < limit && !final) {
      findings.hold(start);
      return;
    }
    const closed = escaped === 1 && text[end - 1] === "\\" ? end - 1 : end;
    // A quote that is never closed is no quote.
    if (end < limit && !isQuote(text[end])) return;
    if (!looksSecret(text.slice(start, closed), "quoted", kind)) return;
    if (end < limit) findings.add({ start, end: closed, label, rank: rank.context });
    else findings.addSwallowed(window, { start, label, rank: rank.context }, end, swallowClass(quote));
    return;
  }
  const atLineStart = nameStart === 0 || /[\n\r?&;-]/.test(text[nameStart - 1] ?? "") || text.startsWith("export ", nameStart - 7);
  const capitals = !/[a-z]/.test(name);
  const isTight = tight && code === equals && at === afterMark;
  const style: Style = isTight && (capitals || atLineStart) ? "environment" : "loose";
  const body = style === "environment" && capitals ? environmentValue : looseValue;
  const limit = start + longestBare;
  let end = start;
  while (end < text.length && end < limit && (isIn(body, text.charCodeAt(end)) || text.charCodeAt(end) >= nonAscii)) end += 1;
  if (end === text.length && end < limit && !final) {
    findings.hold(start);
    return;
  }
  if (!looksSecret(text.slice(start, end), style, kind)) return;
  // Loose values of configuration files end their line; in a program something follows.
  if (style === "loose" && end < limit && end < text.length && !/[\s&]/.test(text[end] ?? "")) return;
  if (end < limit) findings.add({ start, end, label, rank: rank.context });
  else findings.addSwallowed(window, { start, label, rank: rank.context }, end, swallowClass(body));
}

function isQuote(char: string | undefined): boolean {
  return char === '"' || char === "'" || char === "`";
}

const scheme = /(?:\s{0,4}["'`]?\s?)(?:(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|Key|Bot)\s{1,4})?/iy;
const longestScheme = 32;
const shortestCredential = 8;

/** `Authorization: Bearer …`: the credential after the scheme, or a bare one that can be nothing else. */
function judgeHeader(window: Window, after: number, findings: Findings): void {
  const { text, from, final } = window;
  scheme.lastIndex = after;
  const found = scheme.exec(text);
  const start = after + (found?.[0].length ?? 0);
  const end = endOfRun(text, start, token68, start + longestScheme);
  if (start >= from && end === text.length && end - start < longestScheme && !final) {
    findings.hold(start);
    return;
  }
  if (start < from || end - start < shortestCredential) return;
  const value = text.slice(start, end);
  const named = /[A-Za-z]/.test(found?.[0] ?? "");
  if (isPlaceholder(value) || !(named || (value.length >= 16 && /\d/.test(value)))) return;
  findings.addSwallowed(window, { start, label: "[masked:authorization]", rank: rank.context }, end, swallowClass(token68));
}

/** Together with the scheme within what is kept for looking back. */
const longestUser = 200;
const longestPassword = 512;
const userChar = without("/@\"'`<>\\?#:");
const passwordChar = without("/@\"'`<>\\");

/** `scheme://user:password@host`: the password; or a long user that is a token. */
function judgeUrl(window: Window, mark: number, findings: Findings): void {
  const { text, from, final } = window;
  if (!text.startsWith("://", mark)) return;
  const at = mark + 3;
  // A bracket begins an address, or a mask.
  if (text[at] === "[") return;
  const userEnd = endOfRun(text, at, userChar, at + longestUser);
  if (text[userEnd] === ":") {
    judgePassword(window, userEnd + 1, findings);
    return;
  }
  if (at < from || endOfRun(text, at, urlSafe, userEnd) < userEnd) return;
  if (userEnd === text.length && userEnd > at && userEnd - at < longestUser && !final) {
    findings.hold(at);
    return;
  }
  const user = text.slice(at, userEnd);
  if (text[userEnd] === "@" && user.length >= 20 && /\d/.test(user) && /[A-Za-z]/.test(user) && !isPlaceholder(user)) {
    findings.add({ start: at, end: userEnd, label: "[masked:url-credential]", rank: rank.context });
  }
}

function judgePassword({ text, from, final }: Window, start: number, findings: Findings): void {
  if (start < from) return;
  const end = endOfRun(text, start, passwordChar, start + longestPassword);
  if (end === text.length && end > start && end - start < longestPassword && !final) {
    findings.hold(start);
    return;
  }
  if (text[end] !== "@" || end === start) return;
  const password = text.slice(start, end);
  if (/^(?:\$|\{|%[({]|\[)/.test(password) || /^[*x•.]+$/i.test(password)) return;
  findings.add({ start, end, label: "[masked:url-credential]", rank: rank.context });
}
