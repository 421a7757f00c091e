/** Keys by name and escapes in text, as the bytes a terminal would send. */

const named: Readonly<Record<string, string>> = {
  enter: "\r",
  return: "\r",
  tab: "\t",
  escape: "\x1b",
  esc: "\x1b",
  space: " ",
  backspace: "\x7f",
  delete: "\x1b[3~",
  insert: "\x1b[2~",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  pageup: "\x1b[5~",
  pagedown: "\x1b[6~",
  f1: "\x1bOP",
  f2: "\x1bOQ",
  f3: "\x1bOR",
  f4: "\x1bOS",
  f5: "\x1b[15~",
  f6: "\x1b[17~",
  f7: "\x1b[18~",
  f8: "\x1b[19~",
  f9: "\x1b[20~",
  f10: "\x1b[21~",
  f11: "\x1b[23~",
  f12: "\x1b[24~",
};

export const keyNames: readonly string[] = Object.keys(named);

/** The bytes of a key: a name in any case, or a letter or one of `@[\]^_` for that control key, with or without `ctrl+`. */
export function keyBytes(key: string): string | undefined {
  const name = key
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "")
    .replace(/^arrow|^key/, "")
    .replace(/arrow$/, "");
  const found = Object.hasOwn(named, name) ? named[name] : undefined;
  if (found !== undefined) return found;
  const control = /^(?:(?:ctrl|control|c)[\s+-]+|\^)?([a-z@[\\\]^_])$/i.exec(key.trim());
  return control ? String.fromCharCode((control[1] ?? "").toUpperCase().charCodeAt(0) & 0x1f) : undefined;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", e: "\x1b", "\\": "\\" };

/** Decodes `\n \t \r \e \xNN \uNNNN \\`; any other backslash stands for itself. */
export function decodeKeys(text: string): string {
  return text.replace(/\\(?:([ntre\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/g, (_, simple?: string, byte?: string, unit?: string) =>
    simple !== undefined ? (escapes[simple] ?? "") : String.fromCharCode(Number.parseInt(byte ?? unit ?? "0", 16)),
  );
}
