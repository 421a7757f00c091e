/**
 * A long output of a call that changed nothing is written beside the database, once and as it is: as
 * part of a row it would go through the log page by page, and again at the checkpoint. The row keeps
 * everything else. Named by the call's number, so a file that a crash left behind is written over.
 */
import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../contract/index.ts";

const longUnits = 16 * 1024;

export interface PackedResult {
  readonly text: string;
  /** Present when the output is in a file. */
  readonly outputBytes: number | null;
}

/** Inside the transaction that settles the call. */
export function packResult(directory: string, n: number, result: Result, durable: boolean): PackedResult {
  if (durable || result.output.length < longUnits) return { text: JSON.stringify(result), outputBytes: null };
  const bytes = Buffer.from(result.output);
  try {
    writeFileSync(pathOf(directory, n), bytes, { mode: 0o600 });
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(join(directory, "results"), { recursive: true, mode: 0o700 });
    writeFileSync(pathOf(directory, n), bytes, { mode: 0o600 });
  }
  return { text: JSON.stringify({ ...result, output: "" }), outputBytes: bytes.length };
}

export function unpackResult(directory: string, n: number, { text, outputBytes }: PackedResult): Result {
  const result = JSON.parse(text) as Result;
  if (outputBytes === null) return result;
  try {
    const bytes = readFileSync(pathOf(directory, n));
    if (bytes.length === outputBytes) return { ...result, output: bytes.toString() };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return { ...result, output: `[The output of ${outputBytes} bytes is no longer there.]` };
}

/** After the rows are gone. */
export function removeLongOutputs(directory: string, calls: readonly number[]): void {
  for (const n of calls) {
    try {
      unlinkSync(pathOf(directory, n));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

function pathOf(directory: string, n: number): string {
  return join(directory, "results", String(n));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
