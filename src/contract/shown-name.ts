/** The name of a file where it stands in a line of text: whatever it holds, it stays one name in one line. */

/** Control, invisible and direction characters, and what would begin a quoted name. */
const misleading = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^"/u;
const unescaped = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** As it is where it is plain; otherwise as a JSON string, so that nobody takes a part of it for another line or another name. */
export function shownName(name: string): string {
  if (!misleading.test(name)) return name;
  return JSON.stringify(name).replace(unescaped, (character) =>
    [...Array(character.length).keys()].map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
