/**
 * The ways a value is written where programs print it: plain, escaped for JSON, shells, URLs and markup, and in base64.
 * Hexadecimal is not here: it is compared digit by digit, see hex-view.ts.
 */

/** Values below this cannot be told from ordinary text in every form: only whole words of the plain value are masked. */
export const shortestMaskable = 8;
/** Below this not even whole words: half of all text would be masked. */
export const shortestWord = 4;
/** Lines of a value with several lines are masked one by one from this length on. */
const shortestLine = shortestMaskable;

/** Texts to look for, longest forms included; `tail`: base64 whose last character and padding depend on what follows. */
export interface Forms {
  readonly plain: ReadonlySet<string>;
  readonly base64: ReadonlyMap<string, { readonly tail: boolean }>;
}

export function formsOf(value: string): Forms {
  const core = value.trim();
  const plain = new Set<string>();
  for (const text of [core, ...linesOf(core)]) {
    plain.add(text);
    for (const form of escaped(text)) plain.add(form);
  }
  return { plain, base64: base64Forms(Buffer.from(core, "utf8")) };
}

/** Tools print texts line by line, with numbers or marks in between. */
function linesOf(value: string): string[] {
  if (!value.includes("\n")) return [];
  return value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestLine && !line.startsWith("-----"));
}

const plainEverywhere = /^[A-Za-z0-9]+$/;

function* escaped(text: string): Iterable<string> {
  yield* percentForms(text);
  if (/^[A-Za-z0-9_]+$/.test(text)) return;
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = asciiEscaped(json);
  for (const form of [json, ascii, ascii.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`)]) {
    yield form;
    yield form.replaceAll("/", "\\/");
    // JSON inside JSON.
    yield JSON.stringify(form).slice(1, -1);
  }
  yield text.replaceAll("\n", "\r\n");
  yield* shellForms(text);
  yield* markupForms(text);
}

function asciiEscaped(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Each way to percent-encode: what it leaves alone, and what it makes of a blank. */
const percentWays: readonly (readonly [RegExp, string])[] = [
  [/[A-Za-z0-9_.!~*'()-]/, "%20"],
  [/[A-Za-z0-9_.~-]/, "%20"],
  [/[A-Za-z0-9_.*-]/, "+"],
  [/[A-Za-z0-9_.~-]/, "+"],
  [/[A-Za-z0-9_.!~*'();,/?:@&=+$#-]/, "%20"],
  [/[A-Za-z0-9_.~/-]/, "%20"],
  [/[A-Za-z0-9]/, "%20"],
  [/(?!)/, "%20"],
];
const percentTables = percentWays.flatMap(([keeps, blank]) => [percentTable(keeps, blank, true), percentTable(keeps, blank, false)]);
/** Of a text that every way but the last leaves alone. */
const plainPercentTables = percentTables.slice(-2);

function percentTable(keeps: RegExp, blank: string, capitals: boolean): readonly string[] {
  return Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    if (byte === 0x20) return blank;
    if (byte < 0x80 && keeps.test(char)) return char;
    const code = byte.toString(16).padStart(2, "0");
    return `%${capitals ? code.toUpperCase() : code}`;
  });
}

function* percentForms(text: string): Iterable<string> {
  const bytes = Buffer.from(text, "utf8");
  for (const table of plainEverywhere.test(text) ? plainPercentTables : percentTables) {
    let form = "";
    for (const byte of bytes) form += table[byte];
    yield form;
    // Encoded twice, as in a URL that carries a URL.
    if (form.length > text.length && form.length < text.length * 3) yield form.replaceAll("%", "%25");
  }
}

function* shellForms(text: string): Iterable<string> {
  yield text.replaceAll("'", "'\\''");
  yield text.replaceAll("'", `'"'"'`);
  yield text.replace(/["$`\\]/g, "\\$&");
  yield text.replace(/["$`\\!]/g, "\\$&");
  // As `printf %q` and completion write it.
  yield text.replace(/[^A-Za-z0-9_@%+=:,./-]/g, "\\$&");
  yield text.replace(/[^A-Za-z0-9_@%+=:,./~^-]/g, "\\$&");
  yield text.replace(/[^A-Za-z0-9]/g, "\\$&");
  const ansi = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  yield ansi;
  yield ansi.replaceAll("'", "\\'");
  yield text.replaceAll("'", "''");
}

function* markupForms(text: string): Iterable<string> {
  const base = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  yield base;
  const quoted = base.replaceAll('"', "&quot;");
  yield quoted;
  for (const apostrophe of ["&#39;", "&#x27;", "&#039;", "&apos;"]) yield quoted.replaceAll("'", apostrophe);
}

/** What base64 makes of the bytes wherever they begin within a group of three, without the characters that their neighbours share. */
function base64Forms(bytes: Buffer): Map<string, { readonly tail: boolean }> {
  const forms = new Map<string, { readonly tail: boolean }>();
  for (const before of [0, 1, 2]) {
    const bits = 8 * (before + bytes.length);
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const core = text.slice(before === 0 ? 0 : before + 1, Math.floor(bits / 6));
    const tail = bits % 6 !== 0;
    forms.set(core, { tail });
    forms.set(core.replaceAll("+", "-").replaceAll("/", "_"), { tail });
  }
  return forms;
}
