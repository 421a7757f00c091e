/** Before- and after-images: what undo restores and how it notices later edits (C11). */
import type { Fingerprint } from "./path.ts";

/** When a path was changed last, in nanoseconds since 1970 as decimal digits. */
interface Time {
  readonly mtimeNs: string;
}

/** Journals of earlier versions are silent about it. */
interface Dress extends Partial<Time> {
  readonly uid?: number;
  readonly gid?: number;
}

export type FileImage =
  | { readonly kind: "absent" }
  | (Partial<Time> & {
      readonly kind: "file";
      readonly hash: string;
      readonly size: number;
      readonly mode: number;
      readonly mtimeMs: number;
      readonly uid: number;
      readonly gid: number;
      /** Which file it was, where that is known: one that has other names is written in place only while it is the same. */
      readonly inode?: string;
      /** Equal for contents that say the same, where equal bytes would ask too much. */
      readonly meaning?: string;
      /** The contents themselves, base64, when they are short: they are on disk with the row that holds the image. */
      readonly bytes?: string;
      /** They are encrypted: the value of a secure variable is in them. */
      readonly sealed?: true;
    })
  | (Dress & { readonly kind: "directory"; readonly mode: number })
  | (Dress & { readonly kind: "link"; readonly target: string })
  /** A named pipe: nothing but its name and mode can be kept of it. */
  | (Dress & { readonly kind: "pipe"; readonly mode: number })
  /** Of a path that is only touched, or of a directory in which something changes: nothing but its time is kept. */
  | (Time & { readonly kind: "time"; readonly directory?: true });

/** One path a call was about to change; `after` is absent until the call has settled. */
export interface JournalEntry {
  /** Absolute, links of the parents resolved. */
  readonly path: string;
  readonly before: FileImage;
  readonly after?: FileImage;
}

/** Bytes that are being kept: they survive a power cut when `onDisk` has resolved. */
export interface KeptBytes {
  readonly hash: string;
  readonly size: number;
  readonly onDisk: Promise<void>;
}

/** Content-addressed bytes of before-images: mode 0600, local, on disk before anything changes. */
export interface Blobs {
  /** Keeps the file's current bytes. A known fingerprint that still fits saves reading them. */
  keepFile(path: string, known?: Fingerprint): Promise<KeptBytes>;
  read(hash: string): Promise<Uint8Array>;
  /** Writes the bytes to `path` (a temporary name chosen by the caller) without loading them whole. */
  copyTo(hash: string, path: string): Promise<void>;
  /** Removes every blob that is not in `used`; answers the bytes freed. */
  sweep(used: ReadonlySet<string>): Promise<number>;
}

/** Takes and restores images; the only writer that undo uses. */
export interface Images {
  /** The image of what is there now. Short contents are part of it, longer ones go to the blobs. */
  capture(path: string): Promise<FileImage>;
  /** The same for whoever has other things to do until it is on disk: nothing may change before `onDisk` has resolved. */
  beginCapture(path: string, known?: Fingerprint): Promise<{ readonly image: FileImage; readonly onDisk: Promise<void> }>;
  /** The image without keeping the bytes: for comparing. A known fingerprint that still fits saves reading the file. */
  inspect(path: string, known?: Fingerprint): Promise<FileImage>;
  /** Only when the path was changed last, without looking into it. */
  time(path: string): Promise<FileImage>;
  /** Makes the path be what the image says. Atomic for each path. Times of directories come last: every entry changes them again. */
  restore(path: string, image: FileImage): Promise<void>;
}
