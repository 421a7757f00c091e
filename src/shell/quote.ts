/** How a value is written as one shell word: as it is where that is safe, in single quotes otherwise. */

/** 1: means itself wherever it stands in a word, and so needs no quotes. */
const inert = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./^-") inert[char.charCodeAt(0)] = 1;

/** A word of such characters only is its own value: nothing in it is quoted, expanded or matched. */
export function isInert(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127 || inert[code] === 0) return false;
  }
  return text !== "";
}

export function quote(value: string): string {
  if (isInert(value) || value === "[" || value === "]" || value === "{}") return value;
  return `'${value.replaceAll("'", "'\\''")}'`;
}
