/** Unified diffs of text for the sandbox; the library is loaded when the first one is made. */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const timeLimitMs = 400;

/** A side that is absent is a file that does not exist. */
export function makeDiff(path: string, before: string | undefined, after: string | undefined): string {
  const { createTwoFilesPatch } = load("diff") as typeof import("diff");
  const side = (mark: "a" | "b", text: string | undefined) => (text === undefined ? "/dev/null" : `${mark}/${path.replace(/^\/+/, "")}`);
  const patch = createTwoFilesPatch(side("a", before), side("b", after), before ?? "", after ?? "", undefined, undefined, {
    context: 3,
    timeout: timeLimitMs,
  });
  // The line of `=` belongs to a header that other tools print.
  return patch?.replace(/^=+\n/, "") ?? "";
}
