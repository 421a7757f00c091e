/** Half characters: a text that was cut within a surrogate pair becomes JSON that providers refuse. */

/** The same value with U+FFFD in the place of each lone surrogate; what is sound stays the same object. */
export function wellFormed<T>(value: T): T {
  return isSound(value) ? value : (mended(value) as T);
}

function mended(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\p{Surrogate}/gu, "\ufffd");
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(mended);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [mended(key), mended(one)]));
}

function isSound(value: unknown): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return true;
  if (Array.isArray(value)) return value.every(isSound);
  return Object.entries(value).every(([key, one]) => isWellFormed(key) && isSound(one));
}

/** Node 20 has it; the types of ES2023 do not say so. */
function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}
