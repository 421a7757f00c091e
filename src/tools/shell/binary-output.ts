/** Whether what a command prints is binary, from its first 512 bytes: by magic number, NUL bytes, or bytes that are not UTF-8. */

interface Magic {
  readonly name: string;
  readonly bytes: readonly number[];
  readonly at?: number;
  readonly also?: { readonly bytes: readonly number[]; readonly at: number };
}

const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];

const magics: readonly Magic[] = [
  { name: "ELF", bytes: ascii("\x7fELF") },
  { name: "PNG", bytes: ascii("\x89PNG") },
  { name: "JPEG", bytes: [0xff, 0xd8, 0xff] },
  { name: "PDF", bytes: ascii("%PDF-") },
  { name: "GIF", bytes: ascii("GIF87a") },
  { name: "GIF", bytes: ascii("GIF89a") },
  { name: "GZIP", bytes: [0x1f, 0x8b] },
  { name: "ZIP", bytes: [0x50, 0x4b, 0x03, 0x04] },
  { name: "ZIP", bytes: [0x50, 0x4b, 0x05, 0x06] },
  { name: "TAR", bytes: ascii("ustar"), at: 257 },
  { name: "WASM", bytes: ascii("\0asm") },
  { name: "Mach-O 32-bit", bytes: [0xfe, 0xed, 0xfa, 0xce] },
  { name: "Mach-O 32-bit", bytes: [0xce, 0xfa, 0xed, 0xfe] },
  { name: "Mach-O 64-bit", bytes: [0xfe, 0xed, 0xfa, 0xcf] },
  { name: "Mach-O 64-bit", bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  // "BM" alone begins many a word: the four reserved bytes of the header must be zero too.
  { name: "BMP", bytes: ascii("BM"), also: { bytes: [0, 0, 0, 0], at: 6 } },
  { name: "WEBP", bytes: ascii("RIFF"), also: { bytes: ascii("WEBP"), at: 8 } },
  { name: "RIFF", bytes: ascii("RIFF"), also: { bytes: ascii("WAVE"), at: 8 } },
  { name: "RIFF", bytes: ascii("RIFF"), also: { bytes: ascii("AVI "), at: 8 } },
];

/** `cut`: more may follow these bytes, so a character that is incomplete at their end may be finished there. */
export function binaryName(head: Uint8Array, cut: boolean): string | undefined {
  const known = magics.find(
    (magic) => fits(head, magic.bytes, magic.at ?? 0) && (magic.also === undefined || fits(head, magic.also.bytes, magic.also.at)),
  );
  if (known) return known.name;
  if (head.includes(0)) return "data with NUL bytes";
  return isUtf8(head, cut) ? undefined : "bytes that are not UTF-8";
}

function fits(head: Uint8Array, bytes: readonly number[], at: number): boolean {
  return head.length >= at + bytes.length && bytes.every((byte, index) => head[at + index] === byte);
}

function isUtf8(head: Uint8Array, cut: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: cut });
    return true;
  } catch {
    return false;
  }
}
