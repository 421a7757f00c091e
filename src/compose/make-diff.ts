/** Unified diffs of text for the sandbox; the library is loaded when the first one is made. */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const timeLimitMs = 400;

/** A side that is absent is a file that does not exist. Empty if the texts are the same, or comparing takes longer than `limitMs`. */
export function makeDiff(path: string, before: string | undefined, after: string | undefined, limitMs = timeLimitMs): string {
  const { createTwoFilesPatch } = load("diff") as typeof import("diff");
  const side = (mark: "a" | "b", text: string | undefined) => (text === undefined ? "/dev/null" : `${mark}/${path.replace(/^\/+/, "")}`);
  const patch = createTwoFilesPatch(side("a", before), side("b", after), before ?? "", after ?? "", undefined, undefined, {
    context: 3,
    timeout: limitMs,
  });
  if (patch === undefined) return "";
  // The line of `=` belongs to a header that other tools print.
  const [old = "", now = "", ...rest] = patch.replace(/^=+\n/, "").split("\n");
  return [named(old, "---", side("a", before)), named(now, "+++", side("b", after)), ...rest].join("\n");
}

/** The library writes letters outside ASCII as octal bytes, which nobody can read and no tool needs. */
function named(line: string, mark: string, name: string): string {
  return line.startsWith(`${mark} "`) && !/[\p{Cc}"\\]/u.test(name) ? `${mark} ${name}` : line;
}
