/**
 * Text of words that bash would read differently than the tree says: a character that means something and was taken
 * for a letter, an expansion that does not end. Owns only the looking; what follows from it is decided by the caller.
 */

/** Said of a word that bash would read differently, or not at all. */
export const unreadable = "a word that cannot be parsed";
/** 1: means something to bash in unquoted text. */
const meaningful = new Uint8Array(128);
for (const char of "()<>|&; \t\n\v\f\r`\"'$\\") meaningful[char.charCodeAt(0)] = 1;
const afterDollar = new Uint8Array(128);
for (const char of "[({'\"@*#?$!-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") afterDollar[char.charCodeAt(0)] = 1;

/** Unquoted text in which the parser overlooked a character that means something to bash. */
export function overlooks(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) {
      if (/\s/.test(text.charAt(index))) return true;
    } else if (meaningful[code] === 0) continue;
    else if (code === 0x5c) index += 1;
    else if (code !== 0x24 || afterDollar[text.charCodeAt(index + 1)] === 1) return true;
  }
  return false;
}

/** The same inside double quotes, a here-document or another expansion, where only an expansion means something. */
export function overlooksExpansion(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index += 1;
    else if (code === 0x60) return true;
    else if (code === 0x24) {
      const next = text.charCodeAt(index + 1);
      if (next === 0x28 || next === 0x5b || next === 0x7b) return true;
    }
  }
  return false;
}

/** Every expansion ends with the bracket it began with. */
export function isClosed(text: string): boolean {
  if (text.startsWith("$((")) return text.endsWith("))") && text.length > 4;
  if (text.startsWith("$(") || text.startsWith("<(") || text.startsWith(">(")) return text.endsWith(")");
  if (text.startsWith("${")) return text.endsWith("}");
  if (text.startsWith("$[")) return text.endsWith("]");
  return !text.startsWith("`") || (text.length > 1 && text.endsWith("`"));
}
