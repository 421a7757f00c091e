/** How much of one message of a server is taken, over lines and over HTTP: what is longer would fill the memory of everybody's engine. */

const maxMegabytes = 16;
const lineFeed = 10;
const carriageReturn = 13;
export const maxMessageBytes = maxMegabytes * 1024 * 1024;
export const tooLongText = `it sent a message of more than ${maxMegabytes} MB, the limit of one message`;

/** Of a response's whole body; of a stream of events each event counts for itself. */
export function limitBody(response: Response, maxBytes: number, onTooLong: () => void): Response {
  if (response.body === null || response.status < 200) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const event = new EventLength();
  let whole = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      whole += chunk.length;
      if ((isStream ? event.after(chunk) : whole) > maxBytes) {
        onTooLong();
        controller.error(new Error(tooLongText));
      } else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}

/** An event ends with an empty line. */
class EventLength {
  #event = 0;
  #line = 0;
  #last = lineFeed;

  /** The longest event there was within this chunk, or is by its end. */
  after(chunk: Uint8Array): number {
    let longest = 0;
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      const line = this.#line + end - from;
      this.#event += end - from + 1;
      longest = Math.max(longest, this.#event);
      const isEmpty = line === 0 || (line === 1 && (end > 0 ? chunk[end - 1] : this.#last) === carriageReturn);
      if (isEmpty) this.#event = 0;
      this.#line = 0;
      from = end + 1;
    }
    this.#line += chunk.length - from;
    this.#event += chunk.length - from;
    this.#last = chunk.at(-1) ?? this.#last;
    return Math.max(longest, this.#event);
  }
}
