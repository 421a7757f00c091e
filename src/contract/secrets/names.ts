/**
 * Owns how one name in a path is compared: folded the way the most forgiving file system would read it, so that
 * `.GIT`, `.git.`, `.g<ZWNJ>it`, `git~1` and `.git::$INDEX_ALLOCATION` are all `.git`.
 * Refuses to decide anything: folding is only ever used to find more, never to let something pass.
 */

/** Code points that HFS+ and several renderers skip: two names that differ only in these look and act alike. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const loneSurrogate = /\p{Cs}/u;

/** Space to tilde: such text has one spelling only and hides nothing. */
function isPrintableAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

export function foldName(name: string): string {
  let folded = isPrintableAscii(name)
    ? name.toLowerCase()
    : name.normalize("NFKC").replace(ignorable, "").replace(/[İı]/g, "i").toLowerCase();
  // An NTFS stream is part of the file it hangs on.
  const stream = folded.indexOf(":");
  if (stream > 0) folded = folded.slice(0, stream);
  if (folded.endsWith(".") || folded.endsWith(" ")) {
    const trimmed = folded.replace(/[. ]+$/, "");
    if (trimmed !== "") folded = trimmed;
  }
  return folded.startsWith("git~") && /^git~\d+$/.test(folded) ? ".git" : folded;
}

/** Control, bidirectional and zero-width characters: what a person reads on a card is not what is opened. */
export function isUnprintable(text: string): boolean {
  return !isPrintableAscii(text) && unprintable.test(text);
}

/** Half a surrogate pair cannot be encoded: the name on disk would be another one. */
export function isUnencodable(text: string): boolean {
  return !isPrintableAscii(text) && loneSurrogate.test(text);
}
