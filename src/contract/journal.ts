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

/** Extended attributes by name, access control lists among them; values are base64. */
export type Attributes = Readonly<Record<string, string>>;

/** Present where there are any, or where there were some before or after. */
interface Attributed {
  readonly attributes?: Attributes;
}

export type FileImage =
  | { readonly kind: "absent" }
  | (Partial<Time> &
      Attributed & {
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
        /** Or where they lie among the contents of other images. */
        readonly packed?: Packed;
        /** They are encrypted: the value of a secure variable is in them. */
        readonly sealed?: true;
      })
  | (Dress & Attributed & { readonly kind: "directory"; readonly mode: number })
  | (Dress & { readonly kind: "link"; readonly target: string })
  /** A named pipe: nothing but its name and mode can be kept of it. */
  | (Dress & { readonly kind: "pipe"; readonly mode: number })
  /** A version of an artifact; `hash` is equal for equal contents, so a version that was given back counts as the old one. */
  | { readonly kind: "artifact"; readonly version: number; readonly hash: string }
  /** Of a path that is only touched, or of a directory in which something changes: nothing but its time is kept. */
  | (Time & { readonly kind: "time"; readonly directory?: true });

/** One path a call was about to change; `after` is absent until it is known what the call left there. */
export interface JournalEntry {
  /** Absolute, links of the parents resolved. */
  readonly path: string;
  readonly before: FileImage;
  readonly after?: FileImage;
  /** Until then, where the plan says it: sha256 of the bytes that the call is going to leave there; `null`: nothing. */
  readonly intended?: string | null;
}

/** A place in a pack: one file that holds the short contents of many images. */
export interface Packed {
  readonly file: string;
  readonly at: number;
}

/** Bytes that are being kept: they survive a power cut when `onDisk` has resolved. */
export interface KeptBytes {
  readonly hash: string;
  readonly size: number;
  readonly packed?: Packed;
  readonly onDisk: Promise<void>;
}

/** Content-addressed bytes of before-images: mode 0600, local, on disk before anything changes. */
export interface Blobs {
  /** Keeps the file's current bytes. A known fingerprint that still fits saves reading them. */
  keepFile(path: string, known?: Fingerprint): Promise<KeptBytes>;
  read(hash: string): Promise<Uint8Array>;
  /** The bytes of a place in a pack; throws a ToolFailure if they are gone or damaged. */
  readPacked(packed: Packed, size: number, hash: string): Uint8Array;
  /** Writes the bytes to `path` (a temporary name chosen by the caller) without loading them whole. */
  copyTo(hash: string, path: string): Promise<void>;
  /** Throws a ToolFailure if the bytes are gone or damaged. */
  check(hash: string): Promise<void>;
  /** The same bytes, kept without a sync of their own: on disk when `onDisk` has resolved. */
  batch(): { readonly blobs: Pick<Blobs, "keepFile">; onDisk(): Promise<void> };
  /** Removes every blob and pack that is not in `used`; answers the bytes freed. */
  sweep(used: ReadonlySet<string>): Promise<number>;
}

/** Captures and restores many files with one sync for all: what was captured or restored is on disk when `onDisk` has resolved. */
interface ImageBatch {
  /** Contents are not part of the images. */
  capture(path: string): Promise<FileImage>;
  /**
   * With `expected`, only while that is what is there, up to the moment of the change: false if it was not, and the path stays.
   * It is told by what a look shows (size, time, which file), not by reading.
   */
  restore(path: string, image: FileImage, callId?: string, expected?: FileImage): Promise<boolean>;
  onDisk(): Promise<void>;
}

/** Takes and restores images; the only writer that undo uses. */
export interface Images {
  /** The image of what is there now. Short contents are part of it, longer ones go to the blobs. */
  capture(path: string): Promise<FileImage>;
  /** The same for whoever has other things to do until it is on disk: nothing may change before `onDisk` has resolved. */
  beginCapture(path: string, known?: Fingerprint): Promise<{ readonly image: FileImage; readonly onDisk: Promise<void> }>;
  /** For many files at once. */
  batch(): ImageBatch;
  /** Throws a ToolFailure if the image could not be restored: its bytes are gone or damaged. */
  check(image: FileImage): Promise<void>;
  /** The image without keeping the bytes: for comparing. A known fingerprint that still fits saves reading the file. */
  inspect(path: string, known?: Fingerprint): Promise<FileImage>;
  /** Extended attributes of those paths that have any. */
  attributes(paths: readonly string[]): Promise<ReadonlyMap<string, Attributes>>;
  /** Only when the path was changed last, without looking into it. */
  time(path: string): Promise<FileImage>;
  /** Makes the path be what the image says, on behalf of the call named. Atomic for each path. Times of directories come last: every entry changes them again. */
  restore(path: string, image: FileImage, callId?: string): Promise<void>;
}
