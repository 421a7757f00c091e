/**
 * Owns the question what a file is, from its first bytes: text, an image, a PDF, or binary of a known name.
 * Magic numbers that are plain letters count only beside bytes that no text has.
 */

export type FileKind =
  | { readonly kind: "text" }
  | { readonly kind: "pdf" }
  | { readonly kind: "image"; readonly format: ImageFormat }
  | { readonly kind: "binary"; readonly type: string };

export type ImageFormat = "jpeg" | "png" | "gif" | "webp" | "tiff" | "heif" | "bmp" | "svg";

/** How much of a file decides. */
const sniffBytes = 512;

interface Magic {
  readonly at?: number;
  readonly bytes: string;
  readonly type: string;
  /** The bytes could begin a text: binary only if the head holds a NUL. */
  readonly wordy?: boolean;
}

const magics: readonly Magic[] = [
  { bytes: "\x7fELF", type: "ELF executable or library" },
  { bytes: "\xfe\xed\xfa\xce", type: "Mach-O 32-bit" },
  { bytes: "\xfe\xed\xfa\xcf", type: "Mach-O 64-bit" },
  { bytes: "\xce\xfa\xed\xfe", type: "Mach-O 32-bit" },
  { bytes: "\xcf\xfa\xed\xfe", type: "Mach-O 64-bit" },
  { bytes: "\xca\xfe\xba\xbe", type: "Java class or Mach-O universal binary" },
  { bytes: "MZ", type: "Windows executable", wordy: true },
  { bytes: "\0asm", type: "WebAssembly module" },
  { bytes: "\x1f\x8b", type: "GZIP archive" },
  { bytes: "PK\x03\x04", type: "ZIP archive" },
  { bytes: "PK\x05\x06", type: "ZIP archive (empty)" },
  { bytes: "BZh", type: "BZIP2 archive", wordy: true },
  { bytes: "\xfd7zXZ\0", type: "XZ archive" },
  { bytes: "\x28\xb5\x2f\xfd", type: "Zstandard archive" },
  { bytes: "7z\xbc\xaf\x27\x1c", type: "7z archive" },
  { bytes: "Rar!\x1a\x07", type: "RAR archive" },
  { at: 257, bytes: "ustar", type: "TAR archive" },
  { bytes: "SQLite format 3\0", type: "SQLite database" },
  { bytes: "ID3", type: "MP3 audio", wordy: true },
  { bytes: "OggS", type: "Ogg media", wordy: true },
  { bytes: "fLaC", type: "FLAC audio", wordy: true },
  { bytes: "RIFF", type: "RIFF media (WAV or AVI)", wordy: true },
  { bytes: "\x1a\x45\xdf\xa3", type: "Matroska or WebM media" },
  { at: 4, bytes: "ftyp", type: "MP4 media", wordy: true },
  { bytes: "wOFF", type: "WOFF font", wordy: true },
  { bytes: "wOF2", type: "WOFF2 font", wordy: true },
  { bytes: "\0\x01\0\0\0", type: "TrueType font" },
  { bytes: "OTTO", type: "OpenType font", wordy: true },
  { bytes: "PAR1", type: "Parquet data", wordy: true },
  { bytes: "\0\0\x01\0", type: "Windows icon" },
  { bytes: "\xff\x0a", type: "JPEG XL image" },
  { bytes: "\0\0\0\x0cjP  ", type: "JPEG 2000 image" },
  { bytes: "8BPS", type: "Photoshop image", wordy: true },
];

/** `isWide`: the bytes were recognised as UTF-16, whose NULs are text. */
export function kindOf(bytes: Uint8Array, isWide: boolean): FileKind {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, sniffBytes)).toString("latin1");
  const hasNul = head.includes("\0");
  const format = imageFormat(head, hasNul);
  if (format !== undefined) return { kind: "image", format };
  if (/^\s{0,16}%PDF-\d/.test(head)) return { kind: "pdf" };
  const magic = magics.find((one) => head.startsWith(one.bytes, one.at ?? 0) && (one.wordy !== true || (hasNul && !isWide)));
  if (magic !== undefined) return { kind: "binary", type: magic.type };
  return !isWide && (hasNul || isNoise(head)) ? { kind: "binary", type: "binary data" } : { kind: "text" };
}

function imageFormat(head: string, hasNul: boolean): ImageFormat | undefined {
  if (head.startsWith("\xff\xd8\xff")) return "jpeg";
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (/^GIF8[79]a/.test(head) && head.length > 12) return "gif";
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "webp";
  if (head.startsWith("II*\0") || head.startsWith("MM\0*")) return "tiff";
  if (head.startsWith("ftyp", 4) && /^(hei[cxms]|hev[cxms]|mif1|msf1|avi[fs])/.test(head.slice(8, 12))) return "heif";
  if (head.startsWith("BM") && hasNul && [12, 40, 52, 56, 64, 108, 124].includes(littleEndian(head, 14))) return "bmp";
  if (!head.includes("<svg")) return undefined;
  if (/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/.test(head.replace(/^\xef\xbb\xbf/, "")))
    return "svg";
  return undefined;
}

/** No text has this many control characters, whatever its encoding. */
function isNoise(head: string): boolean {
  let controls = 0;
  for (let at = 0; at < head.length; at += 1) {
    const code = head.charCodeAt(at);
    if ((code < 0x20 && (code < 0x08 || code > 0x0d) && code !== 0x1b) || code === 0x7f) controls += 1;
  }
  return controls > 2 && controls > head.length / 20;
}

function littleEndian(head: string, at: number): number {
  return (head.charCodeAt(at) | (head.charCodeAt(at + 1) << 8) | (head.charCodeAt(at + 2) << 16)) + head.charCodeAt(at + 3) * 2 ** 24;
}

/** `1,234 bytes (1.2 KB)`. */
export function sizeText(bytes: number): string {
  const exact = `${bytes.toLocaleString("en-US")} ${bytes === 1 ? "byte" : "bytes"}`;
  if (bytes < 1024) return exact;
  const units = ["KB", "MB", "GB", "TB", "PB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${exact} (${value.toFixed(1)} ${units[unit]})`;
}
