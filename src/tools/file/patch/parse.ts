/** Reads a patch in either notation; fences around it and CRLF of the transport are taken off first. */
import { parseEnvelope } from "./envelope.ts";
import type { FilePatch } from "./patch.ts";
import { badPatch } from "./patch.ts";
import { parseUnified } from "./unified.ts";

export function parsePatch(text: string): readonly FilePatch[] {
  const lines = withoutFence(withoutTransportReturns(text.split("\n")));
  const begin = lines.findIndex((line) => line.trim() === "*** Begin Patch");
  const files = begin === -1 ? parseUnified(lines) : parseEnvelope(lines.slice(begin), begin);
  if (files.length === 0) throw badPatch("There is no file section in the patch");
  return files;
}

/** A patch all of whose lines end in CR was sent with CRLF; where only some do, the CR belongs to the files. */
function withoutTransportReturns(lines: readonly string[]): readonly string[] {
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const isTransport = last > 0 && lines.slice(0, last).every((line) => line.endsWith("\r"));
  return isTransport ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : lines;
}

function withoutFence(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const isFenced = first !== -1 && /^```\w*$/.test(lines[first]?.trim() ?? "") && lines[last]?.trim() === "```" && last > first;
  // Blanked, not removed: line numbers in messages stay those of the call.
  return isFenced ? lines.map((line, index) => (index === first || index === last ? "" : line)) : lines;
}
