/** Unified diffs of text for the sandbox; the library is loaded when the first one is made. */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const timeLimitMs = 400;

export function makeDiff(path: string, before: string, after: string): string {
  const { createTwoFilesPatch } = load("diff") as typeof import("diff");
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 3, timeout: timeLimitMs }) ?? "";
}
