/**
 * Finds the shell's own marks in its output: OSC 133 sequences that carry a nonce, so that a file which
 * happens to hold such a sequence, or another program's, is output like any other.
 */

export type Mark =
  | { readonly kind: "start" }
  | { readonly kind: "end"; readonly exitCode: number; readonly cwd: string | undefined }
  /** The hook is done. `saved`: the state is written; `told`: PS0 will say that a command starts; `short`: the alias can be used. */
  | { readonly kind: "ready"; readonly saved: boolean; readonly told: boolean; readonly short: boolean }
  /** A prompt is drawn, for the first time or again. */
  | { readonly kind: "prompt" };

const introducer = "\x1b]133;";
/** A mark holds a path; nothing longer can be one. */
const maxMark = 8 * 1024;

export class MarkScanner {
  readonly #needle: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(nonce: string) {
    this.#needle = Buffer.from(`${introducer}${nonce};`);
  }

  /** Hands over output and marks in order; keeps back only what may be the start of a mark. */
  push(chunk: Buffer, onBytes: (bytes: Buffer) => void, onMark: (mark: Mark) => void): void {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    for (;;) {
      const at = rest.indexOf(this.#needle);
      if (at < 0) break;
      const end = rest.indexOf(0x07, at);
      if (end < 0 && rest.length - at < maxMark) {
        if (at > 0) onBytes(rest.subarray(0, at));
        this.#held = rest.subarray(at);
        return;
      }
      const mark = end < 0 ? undefined : readMark(rest.subarray(at + this.#needle.length, end).toString("utf8"));
      const next = mark ? end + 1 : at + this.#needle.length;
      const before = rest.subarray(0, mark ? at : next);
      if (before.length > 0) onBytes(before);
      if (mark) onMark(mark);
      rest = rest.subarray(next);
    }
    const kept = this.#possibleStart(rest);
    if (kept < rest.length) onBytes(kept === 0 ? rest : rest.subarray(0, rest.length - kept));
    this.#held = kept === 0 ? Buffer.alloc(0) : Buffer.from(rest.subarray(rest.length - kept));
  }

  /** How many bytes at the end may begin a mark. */
  #possibleStart(bytes: Buffer): number {
    const start = bytes.lastIndexOf(0x1b);
    if (start < 0) return 0;
    const length = bytes.length - start;
    return length < this.#needle.length && bytes.subarray(start).equals(this.#needle.subarray(0, length)) ? length : 0;
  }
}

function readMark(text: string): Mark | undefined {
  if (text === "C") return { kind: "start" };
  if (text === "B") return { kind: "prompt" };
  const ready = /^P;([01])([01])([01])$/.exec(text);
  if (ready) return { kind: "ready", saved: ready[1] === "1", told: ready[2] === "1", short: ready[3] === "1" };
  const end = /^D;(\d{1,3});([\s\S]*)$/.exec(text);
  if (!end) return undefined;
  const [, exitCode = "", cwd = ""] = end;
  return { kind: "end", exitCode: Number(exitCode), cwd: cwd.startsWith("/") ? cwd : undefined };
}
