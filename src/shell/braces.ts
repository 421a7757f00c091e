/**
 * Brace expansion, which bash does on the text of a word before anything else.
 * Returns source texts to be parsed as words again; `undefined` where there would be too many or the form is not known.
 */

const limit = 256;
/** A sequence that expands, but into more than is worth following. */
const tooMany = Symbol("too many");
const sequence = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/;

export function expandBraces(source: string): readonly string[] | undefined {
  const open = findOpening(source, 0);
  if (open === undefined) return [source];
  if (open.alternatives === tooMany) return undefined;
  const head = source.slice(0, open.start);
  const tails = expandBraces(source.slice(open.end + 1));
  if (tails === undefined) return undefined;
  const middles: string[] = [];
  for (const alternative of open.alternatives) {
    const inner = open.isSequence ? [alternative] : expandBraces(alternative);
    if (inner === undefined) return undefined;
    for (const text of inner) middles.push(text);
    if (middles.length > limit) return undefined;
  }
  if (middles.length * tails.length > limit) return undefined;
  const result: string[] = [];
  for (const middle of middles) for (const tail of tails) result.push(head + middle + tail);
  return result;
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly alternatives: readonly string[] | typeof tooMany;
  readonly isSequence: boolean;
}

/** The first brace that really expands; one that does not is literal and the search goes on inside it. */
function findOpening(source: string, from: number): Brace | undefined {
  for (let index = from; index < source.length; index += 1) {
    const next = skipQuoted(source, index);
    if (next !== index) {
      index = next - 1;
      continue;
    }
    if (source[index] !== "{") continue;
    const brace = readBrace(source, index);
    if (brace !== undefined) return brace;
  }
  return undefined;
}

function readBrace(source: string, start: number): Brace | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let index = start; index < source.length; index += 1) {
    const next = skipQuoted(source, index);
    if (next !== index) {
      index = next - 1;
      continue;
    }
    const char = source[index];
    if (char === "{") depth += 1;
    else if (char === "," && depth === 1) commas.push(index);
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return closeBrace(source, start, index, commas);
    }
  }
  return undefined;
}

function closeBrace(source: string, start: number, end: number, commas: readonly number[]): Brace | undefined {
  if (commas.length > 0) {
    const alternatives: string[] = [];
    let from = start + 1;
    for (const comma of [...commas, end]) {
      alternatives.push(source.slice(from, comma));
      from = comma + 1;
    }
    return { start, end, alternatives, isSequence: false };
  }
  const values = expandSequence(source.slice(start + 1, end));
  return values === undefined ? undefined : { start, end, alternatives: values, isSequence: true };
}

function expandSequence(body: string): readonly string[] | typeof tooMany | undefined {
  const match = sequence.exec(body);
  if (match === null) return undefined;
  const [, first = "", last = "", by] = match;
  const numeric = /\d$/.test(first) && /\d$/.test(last);
  if (!numeric && (first.length !== 1 || last.length !== 1 || /\d/.test(first + last))) return undefined;
  // Between the two cases of the alphabet lie quoting characters.
  if (!numeric && /[a-z]/.test(first) !== /[a-z]/.test(last)) return tooMany;
  const a = numeric ? Number(first) : first.charCodeAt(0);
  const b = numeric ? Number(last) : last.charCodeAt(0);
  const step = Math.max(1, Math.abs(Number(by ?? "1")));
  if (Math.abs(b - a) / step > limit) return tooMany;
  const padded = numeric && (/^-?0\d/.test(first) || /^-?0\d/.test(last));
  const width = padded ? Math.max(first.length, last.length) : 0;
  const result: string[] = [];
  for (let value = a; a <= b ? value <= b : value >= b; value += a <= b ? step : -step) {
    if (!numeric) result.push(String.fromCharCode(value));
    else if (value < 0) result.push(`-${String(-value).padStart(width - 1, "0")}`);
    else result.push(String(value).padStart(width, "0"));
  }
  return result;
}

/** Index after a quoted or substituted stretch that starts here, or the same index. */
function skipQuoted(source: string, index: number): number {
  const char = source[index];
  if (char === "\\") return index + 2;
  if (char === "'") return closing(source, index + 1, "'");
  if (char === '"' || char === "`") return closingEscaped(source, index + 1, char);
  if (char !== "$") return index;
  const next = source[index + 1];
  if (next === "'") return closingEscaped(source, index + 2, "'");
  if (next === "{" || next === "(") return matching(source, index + 1);
  return index;
}

function closing(source: string, from: number, quote: string): number {
  const at = source.indexOf(quote, from);
  return at < 0 ? source.length : at + 1;
}

function closingEscaped(source: string, from: number, quote: string): number {
  for (let index = from; index < source.length; index += 1) {
    if (source[index] === "\\") index += 1;
    else if (source[index] === quote) return index + 1;
  }
  return source.length;
}

function matching(source: string, from: number): number {
  const open = source[from];
  const close = open === "{" ? "}" : ")";
  let depth = 0;
  for (let index = from; index < source.length; index += 1) {
    const char = source[index];
    if (char === "\\") index += 1;
    else if (char === "'") index = closing(source, index + 1, "'") - 1;
    else if (char === open) depth += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return source.length;
}
