/**
 * Owns the body of an answer: decompressed on the way, counted after decompression, cut at a limit. A compression bomb
 * costs one chunk more than the limit. Refuses encodings it was not offered.
 */
import { pipeline, Readable } from "node:stream";
import zlib from "node:zlib";
import { broken } from "./failures.ts";

export interface Body {
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
}

/** A body that can also be had whole, which costs less than chunk by chunk. */
export type ResponseBody = Readable & { bytes(): Promise<Uint8Array> };

/** Some servers name a charset here, or that there is no compression; browsers read such pages as they come. */
const saysNothing = /^(?:|identity|none|binary|[78]bit|utf-?8|iso-8859-1|text\/\w+)$/;

/** Layers of compression that are undone. */
const maxLayers = 3;

export async function readBody(
  url: string,
  source: ResponseBody,
  headers: Readonly<Record<string, string>>,
  maxBytes: (head: Uint8Array) => number,
): Promise<Body> {
  const encodings = (headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !saysNothing.test(part));
  if (encodings.length > maxLayers) throw broken(url, `it is compressed ${encodings.length} times`);
  if (encodings.length === 0 && lengthTold(headers) <= maxBytes(new Uint8Array())) return { bytes: await source.bytes(), truncated: false };
  const stream = encodings.reduceRight<AsyncIterable<Buffer>>((inner, encoding) => decoded(url, encoding, inner), source);
  const chunks: Buffer[] = [];
  let length = 0;
  let limit: number | undefined;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      length += chunk.length;
      if (limit === undefined && length >= headBytes) limit = maxBytes(headOf(chunks));
      if (length > (limit ?? Number.POSITIVE_INFINITY)) break;
    }
  } finally {
    source.destroy();
  }
  limit ??= maxBytes(headOf(chunks));
  const whole = Buffer.concat(chunks, length);
  return length > limit ? { bytes: whole.subarray(0, limit), truncated: true } : { bytes: whole, truncated: false };
}

/** Infinite if nothing holds the server to it. */
function lengthTold(headers: Readonly<Record<string, string>>): number {
  const told = headers["content-length"] ?? "";
  return /^\d+$/.test(told) && headers["transfer-encoding"] === undefined ? Number(told) : Number.POSITIVE_INFINITY;
}

/** Enough to tell what a body is. */
const headBytes = 1024;

function headOf(chunks: readonly Buffer[]): Uint8Array {
  return Buffer.concat(chunks).subarray(0, headBytes);
}

type Decoder = zlib.Gunzip | zlib.BrotliDecompress | zlib.Inflate | zlib.InflateRaw;

/** One layer of compression less. A body without a single byte is empty, whatever it says about its compression. */
async function* decoded(url: string, encoding: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const make = decoders.get(encoding);
  if (make === undefined) throw broken(url, `it is compressed as '${encoding.slice(0, 40)}', which nobody asked for`);
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const decoder = make(first.value[0] ?? 0);
  let failure: unknown;
  pipeline(Readable.from(prepended(first.value, chunks)), decoder, (error) => {
    failure ??= error;
  });
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    throw failure ?? error;
  }
}

async function* prepended(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

const decoders: ReadonlyMap<string, (firstByte: number) => Decoder> = new Map(
  Object.entries({
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    br: () => zlib.createBrotliDecompress(),
    // Some servers leave the wrapper out that the standard asks for; its first byte names the method.
    deflate: (firstByte: number) => ((firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  }),
);
