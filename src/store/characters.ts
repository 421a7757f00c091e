/** Where characters begin and end: in UTF-8 bytes and in UTF-16 text that is cut anywhere. */

/** Ends with the first half of a surrogate pair. */
export function endsInHalf(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The last place between characters at or before `at`. */
export function cutBefore(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  let cut = Math.max(0, at);
  while (cut > 0 && isInside(bytes, cut)) cut -= 1;
  return cut;
}

/** The first place between characters at or after `at`. */
export function cutAfter(bytes: Uint8Array, at: number): number {
  let cut = Math.min(at, bytes.length);
  while (cut < bytes.length && isInside(bytes, cut)) cut += 1;
  return cut;
}

function isInside(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
