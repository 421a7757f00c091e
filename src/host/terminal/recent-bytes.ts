/** The last bytes a terminal printed, as they came, for people. */

const limit = 256 * 1024;

export class RecentBytes {
  #chunks: Buffer[] = [];
  #length = 0;

  push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    while (this.#length - (this.#chunks[0]?.length ?? 0) >= limit) this.#length -= this.#chunks.shift()?.length ?? 0;
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(Math.max(0, all.length - limit));
  }
}
