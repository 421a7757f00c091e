/**
 * Values of secure variables in the output of a command that used them, where a program took them apart: reversed, in other cases,
 * spaced out (`od -c`), wrapped anew (`fold`), dumped beside their letters (`xxd`), more than half of one. Forms that keep the
 * value in one piece are masked where everything leaves. Refuses to look for values so short that half of all text would be one.
 */

import type { MaskPage, PrintedPage } from "../../contract/index.ts";

export interface UsedValue {
  readonly name: string;
  readonly value: string;
}

const shortest = 8;
/** Fewer characters of a value than these are shown while nobody knows whether more of it follows. */
const fewest = 4;
/** Blanks, and what programs put between the characters of a dump. */
const between = /[\s'"|,]/;
const stderrMark = /^(?:\[stderr\] )?/;
/** Offsets that dumps begin their lines with. */
const offset = /^(?:[0-9a-fA-F]{6,8}:?(?=\s|$))?/;
/** A line of `xxd` or `hexdump -C`: an offset, bytes in groups, and the same bytes as letters. */
const dumped = /^([0-9a-fA-F]{7,8}:?\s+)((?:[0-9a-fA-F]{2,8} {1,2}){1,16}) *(?:\|(.*)\||(\S.*))$/;

/** A text without what stands between the letters of a value, and where each of them stands. */
interface View {
  readonly compact: string;
  readonly places: readonly number[];
}

interface Views {
  readonly letters: View;
  readonly bytes: View;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** How a value may stand in one of the views, and how much of it is too much. */
interface Form {
  readonly name: string;
  readonly view: "letters" | "bytes";
  readonly form: string;
  readonly least: number;
}

export function maskSpread(text: string, used: readonly UsedValue[]): string {
  const forms = formsOf(used);
  return forms.length === 0 || text === "" ? text : replaced(text, spansOf(viewsOf(text), forms));
}

/**
 * Of a command that may still run: what lies across the edges of the page is masked on both sides. What may become too much of a
 * value when more is printed is held back, so that reading in small steps shows no more than the whole does.
 */
export function maskSpreadPage({ before, text, after, goesOn }: PrintedPage, used: readonly UsedValue[]): ReturnType<MaskPage> {
  const forms = formsOf(used);
  if (forms.length === 0 || text === "") return { text, held: 0 };
  const whole = before + text + after;
  const views = viewsOf(whole);
  const start = before.length;
  const end = start + text.length;
  const found = spansOf(views, forms);
  const shownTo = goesOn ? Math.max(start, Math.min(end, openFrom(whole, views, forms, found))) : end;
  const spans = found
    .filter((span) => span.end > start && span.start < shownTo)
    .map((span) => ({ ...span, start: Math.max(span.start, start) - start, end: Math.min(span.end, shownTo) - start }));
  return { text: replaced(whole.slice(start, shownTo), spans), held: end - shownTo };
}

function formsOf(used: readonly UsedValue[]): readonly Form[] {
  return used.flatMap(({ name, value }) =>
    partsOf(value).flatMap((part): Form[] => {
      const folded = foldedOf(part);
      const hex = Buffer.from(part, "utf8").toString("hex");
      return [
        ...[folded, [...folded].reverse().join("")].map((form) => ({ name, view: "letters" as const, form, least: halfOf(form) })),
        ...base64Of(part).map((form) => ({ name, view: "letters" as const, form, least: Math.min(64, form.length) })),
        ...(["letters", "bytes"] as const).map((view) => ({ name, view, form: hex, least: halfOf(hex, 2 * shortest) })),
      ];
    }),
  );
}

function spansOf(views: Views, forms: readonly Form[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { name, view, form, least } of forms) find(views[view], form, least, name, spans);
  return spans;
}

/** Where the end of the text begins that is a part of a value, though not yet too much of it. */
function openFrom(text: string, views: Views, forms: readonly Form[], masked: readonly Span[]): number {
  const lastLetter = views.letters.places.at(-1) ?? 0;
  if (masked.some(({ end }) => end > lastLetter)) return text.length;
  const lastByte = views.bytes.places.at(-1);
  const endsInDump = lastByte !== undefined && !/\n.*\S/.test(text.slice(lastByte));
  return Math.min(
    ...forms.map(({ view, form, least }) => {
      if (view === "bytes" && !endsInDump) return text.length;
      const { compact, places } = views[view];
      const few = view === "bytes" ? 2 * fewest : fewest;
      for (let length = Math.min(least - 1, compact.length); length >= few; length -= 1)
        if (form.includes(compact.slice(-length))) return places[places.length - length] ?? text.length;
      return text.length;
    }),
  );
}

/** The value and each of its lines, as the compact text has them. */
function partsOf(value: string): readonly string[] {
  const whole = value.trim();
  return [whole, ...whole.split(/\r?\n/)]
    .map((part) => [...part].filter((char) => !between.test(char)).join(""))
    .filter((part) => part.length >= shortest);
}

/** One character may become two in the other case: only what stays one is folded. */
function foldedOf(text: string): string {
  return [...text].map((char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join("");
}

/** What is surely in the base64 of any text that holds the value, by where in it the value begins. */
function base64Of(part: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from("\0".repeat(before) + part, "utf8")
      .toString("base64")
      .replace(/=+$/, "");
    return foldedOf(encoded.slice(Math.ceil((before * 4) / 3), -1));
  });
}

/** Every stretch of `least` characters that `form` has too. */
function find({ compact, places }: View, form: string, least: number, name: string, spans: Span[]): void {
  if (form.length < least || compact.length < least) return;
  const pieces = new Set<string>();
  for (let at = 0; at + least <= form.length; at += 1) pieces.add(form.slice(at, at + least));
  for (let at = 0; at + least <= compact.length; at += 1) {
    if (pieces.has(compact.slice(at, at + least))) spans.push({ start: places[at] ?? 0, end: (places[at + least - 1] ?? 0) + 1, name });
  }
}

/** Half of it, but not less than what is looked for at all; of a long one less than half tells enough. */
function halfOf(form: string, atLeast = shortest): number {
  return Math.min(64, Math.max(atLeast, Math.ceil(form.length / 2)));
}

function viewsOf(text: string): Views {
  const letters = { compact: "", places: [] as number[] };
  const bytes = { compact: "", places: [] as number[] };
  const take = (view: { compact: string; places: number[] }, line: string, from: number, to: number, base: number) => {
    for (let index = from; index < to; index += 1) {
      const char = line[index] ?? "";
      if (between.test(char)) continue;
      const low = char.toLowerCase();
      view.compact += low.length === 1 ? low : char;
      view.places.push(base + index);
    }
  };
  let lineAt = 0;
  for (const line of text.split("\n")) {
    const mark = stderrMark.exec(line)?.[0].length ?? 0;
    const dump = dumped.exec(line.slice(mark));
    if (dump === null) take(letters, line, mark + (offset.exec(line.slice(mark))?.[0].length ?? 0), line.length, lineAt);
    else {
      const [, head = "", groups = ""] = dump;
      take(bytes, line, mark + head.length, mark + head.length + groups.length, lineAt);
      take(letters, line, mark + head.length + groups.length, line.length, lineAt);
    }
    lineAt += line.length + 1;
  }
  return { letters, bytes };
}

function replaced(text: string, spans: readonly Span[]): string {
  let result = "";
  let at = 0;
  let last = "";
  for (const { start, end, name } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    // What goes on where the last one ended is the same one.
    if (start > at || name !== last || at === 0) result += `${text.slice(at, Math.max(start, at))}$KARYI{${name}}`;
    at = end;
    last = name;
  }
  return result + text.slice(at);
}
