/** Unified diffs of text for the sandbox; the library is loaded when the first one is made. */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const timeLimitMs = 400;

export function makeDiff(path: string, before: string, after: string): string {
  const { createTwoFilesPatch } = load("diff") as typeof import("diff");
  const name = path.replace(/^\/+/, "");
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, { context: 3, timeout: timeLimitMs });
  // The line of `=` belongs to a header that other tools print.
  return patch?.replace(/^=+\n/, "") ?? "";
}
