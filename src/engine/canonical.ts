/** Canonical JSON and hashes of it: the same value gives the same text whatever the order of its keys. */
import { createHash } from "node:crypto";
import type { Json } from "../contract/index.ts";

function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

export function hashOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

/** A plain JSON copy; what JSON cannot hold becomes null or is left out. */
export function asJson(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value) ?? "null") as Json);
}
