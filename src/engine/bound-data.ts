/**
 * Bounds `data` of a result (C2): long lists and long texts are cut, small fields always stay. Each cut is counted exactly
 * beside the field (`changes_total`, `stdout_total`), and the whole is kept as JSON under a reference (`data_ref`).
 * Refuses to drop `data` as a whole.
 */
import type { Json, JsonObject, Masker, OutputWriter } from "../contract/index.ts";

/** Data up to this many bytes stays as it is. */
const maxDataBytes = 4 << 20;

/** First and last cut: how many items a list, and how many characters a text may keep. */
const firstBound: Bound = { items: 2000, characters: 1 << 20 };
const lastBound: Bound = { items: 1, characters: 64 };
const maxDepth = 32;

interface Bound {
  readonly items: number;
  readonly characters: number;
}

export async function boundData(
  data: Json | undefined,
  masker: Masker,
  createOutput: () => Promise<OutputWriter>,
): Promise<Json | undefined> {
  if (data === undefined) return undefined;
  if (fitsIn(data, maxDataBytes)) return masker.maskJson(data);
  const writer = await createOutput();
  await keepWhole(data, masker, writer);
  await writer.close();
  let bound = firstBound;
  let cut = cutDown(data, bound);
  while (!fitsIn(cut, maxDataBytes) && bound.items > lastBound.items) {
    bound = { items: Math.max(lastBound.items, bound.items >> 1), characters: Math.max(lastBound.characters, bound.characters >> 1) };
    cut = cutDown(data, bound);
  }
  const masked = masker.maskJson(cut);
  return isObject(masked) ? { ...masked, data_ref: writer.ref } : { value: masked, data_ref: writer.ref };
}

/** Parts of a large object are masked and written one after the other, so that the text is never built as a whole. */
async function keepWhole(data: Json, masker: Masker, writer: OutputWriter): Promise<void> {
  const stream = masker.stream();
  const pieces = isObject(data)
    ? Object.entries(data).flatMap(([key, value]) => ({ head: `${JSON.stringify(key)}:`, value }))
    : [{ head: "", value: data }];
  await writer.write(stream.push(isObject(data) ? "{" : ""));
  for (const [index, { head, value }] of pieces.entries()) {
    await writer.write(stream.push((index > 0 ? "," : "") + head));
    if (Array.isArray(value)) {
      await writer.write(stream.push("["));
      for (const [at, item] of value.entries()) await writer.write(stream.push((at > 0 ? "," : "") + JSON.stringify(item)));
      await writer.write(stream.push("]"));
    } else await writer.write(stream.push(JSON.stringify(value)));
  }
  await writer.write(stream.push(isObject(data) ? "}" : ""));
  await writer.write(stream.end());
}

function cutDown(value: Json, bound: Bound, depth = 0): Json {
  if (typeof value === "string") return value.length > bound.characters ? value.slice(0, bound.characters) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return null;
  if (Array.isArray(value)) return value.slice(0, bound.items).map((item) => cutDown(item, bound, depth + 1));
  const fields: [string, Json][] = [];
  for (const [key, part] of Object.entries(value as JsonObject)) {
    if (part === undefined) continue;
    fields.push([key, cutDown(part, bound, depth + 1)]);
    const size = sizeOf(part);
    if (size > (typeof part === "string" ? bound.characters : bound.items) && !Object.hasOwn(value, `${key}_total`))
      fields.push([`${key}_total`, size]);
  }
  return Object.fromEntries(fields);
}

/** Length of a list or a text; 0 for everything else. */
function sizeOf(value: Json): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True if a value is JSON of about `limit` bytes at most; stops looking as soon as it is not. */
function fitsIn(value: unknown, limit: number): boolean {
  let room = limit;
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const item = stack.pop();
    room -= 2;
    if (typeof item === "string") room -= item.length + 2;
    else if (Array.isArray(item)) {
      if (item.length > room) return false;
      for (const part of item) stack.push(part);
    } else if (typeof item === "object" && item !== null) {
      for (const [key, part] of Object.entries(item)) {
        room -= key.length + 4;
        stack.push(part);
      }
    } else room -= 8;
    if (room < 0) return false;
  }
  return true;
}
