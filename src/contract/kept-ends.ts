/** The first and the last bytes of a stream, in memory that does not grow with its length or with the number of its pieces. */

export class KeptEnds {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = Buffer.alloc(0);
  #headLength = 0;
  /** A ring: the byte number `n` after the head stands at `n % tailLimit`. */
  #tail: Buffer | undefined;
  #total = 0;

  constructor(headLimit: number, tailLimit: number) {
    this.#headLimit = headLimit;
    this.#tailLimit = tailLimit;
  }

  get total(): number {
    return this.#total;
  }

  /** Bytes between the ends that are not kept. */
  get lost(): number {
    return Math.max(0, this.#total - this.#headLength - this.#tailLimit);
  }

  push(chunk: Uint8Array): void {
    const inHead = Math.min(chunk.length, this.#headLimit - this.#headLength);
    if (inHead > 0) this.#fillHead(chunk.subarray(0, inHead));
    this.#total += chunk.length;
    if (chunk.length > inHead) this.#fillTail(chunk.subarray(Math.max(inHead, chunk.length - this.#tailLimit)));
  }

  head(): Buffer {
    return this.#head.subarray(0, this.#headLength);
  }

  /** In order. */
  tail(): Buffer {
    const after = this.#total - this.#headLength;
    if (this.#tail === undefined || after === 0) return Buffer.alloc(0);
    if (after <= this.#tailLimit) return this.#tail.subarray(0, after);
    const cut = after % this.#tailLimit;
    return Buffer.concat([this.#tail.subarray(cut), this.#tail.subarray(0, cut)]);
  }

  #fillHead(bytes: Uint8Array): void {
    const length = this.#headLength + bytes.length;
    if (length > this.#head.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#headLimit, Math.max(length, 2 * this.#head.length)));
      this.#head.copy(larger, 0, 0, this.#headLength);
      this.#head = larger;
    }
    this.#head.set(bytes, this.#headLength);
    this.#headLength = length;
  }

  /** The last bytes pushed, at most a ring full. */
  #fillTail(bytes: Uint8Array): void {
    if (this.#tailLimit === 0) return;
    this.#tail ??= Buffer.allocUnsafe(this.#tailLimit);
    const start = (this.#total - this.#headLength - bytes.length) % this.#tailLimit;
    const first = Math.min(bytes.length, this.#tailLimit - start);
    this.#tail.set(bytes.subarray(0, first), start);
    this.#tail.set(bytes.subarray(first), 0);
  }
}
