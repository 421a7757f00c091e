/** Sets of characters as tables, and the spans that go on as long as their characters do. */

export type CharClass = Uint8Array;

export function charClass(members: string): CharClass {
  const table = new Uint8Array(128);
  for (let at = 0; at < members.length; at++) table[members.charCodeAt(at)] = 1;
  return table;
}

export function isIn(table: CharClass, code: number): boolean {
  return code < 128 && table[code] === 1;
}

/** The first position from `at` whose character is not in the class; at most `limit`. */
export function endOfRun(text: string, at: number, table: CharClass, limit: number = text.length): number {
  const last = Math.min(limit, text.length);
  let end = at;
  while (end < last && isIn(table, text.charCodeAt(end))) end += 1;
  return end;
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export const alnum = charClass(digits + lower + upper);
export const upperAlnum = charClass(digits + upper);
export const hexDigits = charClass(`${digits}abcdefABCDEF`);
export const word = charClass(`${digits}${lower}${upper}_`);
export const urlSafe = charClass(`${digits}${lower}${upper}_-`);
export const dotted = charClass(`${digits}${lower}${upper}_-.`);
export const base64 = charClass(`${digits}${lower}${upper}+/_-`);
/** The body of a PEM block. */
export const pemBody = charClass(`${digits}${lower}${upper}+/=`);
/** What a credential in a header is made of. */
export const token68 = charClass(`${digits}${lower}${upper}_-.~+/=`);

/**
 * How far a masked span goes on into text that was not there when it began: answers the end of what
 * belongs to it, and where the window must be held because the rest could change that.
 */
export type Swallow = (text: string, at: number, final: boolean) => { readonly end: number; readonly held?: number };

/** The same function for the same class, so that what it took is remembered under it. */
export function swallowClass(table: CharClass): Swallow {
  const known = swallows.get(table);
  if (known !== undefined) return known;
  const swallow: Swallow = (text, at) => ({ end: endOfRun(text, at, table) });
  swallows.set(table, swallow);
  return swallow;
}

const swallows = new Map<CharClass, Swallow>();
