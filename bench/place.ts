/** A throw-away workspace with an engine on it, closed and removed when the benchmark file is done. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
// The library as it is shipped: the test runner puts a detour before every import of a source, on our side only.
import * as shipped from "../dist/index.js";
import type { createEngine as CreateEngine, EngineOptions, KaryiEngine, Result, SessionHandle } from "../src/index.ts";

// Types come from the source: those of an earlier build would not fit it.
const createEngine = shipped.createEngine as unknown as typeof CreateEngine;

/** A smoke run only sees that every question can be asked, so it may ask smaller ones. */
export const smoke = process.env.KARYI_BENCH_SMOKE === "1";

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "karyi-bench-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface Place {
  readonly workspace: string;
  readonly engine: KaryiEngine;
  readonly session: SessionHandle;
}

/** Whatever asks is approved by the mode, as an agent that edits would be run: asking is a person's time, not the engine's. */
export async function benchPlace(options: EngineOptions = {}): Promise<Place> {
  const workspace = options.workspace ?? temporaryDirectory();
  const home = options.home ?? temporaryDirectory();
  const engine = await createEngine({ mode: "accept-edits", env: {}, ...options, workspace, home });
  afterAll(() => engine.close());
  return { workspace, engine, session: await engine.openSession() };
}

/** A benchmark of a call that fails would be fast and mean nothing. */
export function succeeded(result: Result): Result {
  if (result.status !== "ok") throw new Error(`${result.tool} is ${result.status}: ${result.output}`);
  return result;
}

export function numberedLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index}: the quick brown fox jumps over the lazy dog\n`).join("");
}
