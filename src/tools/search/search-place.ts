/**
 * Where a search tool looks: resolved while planning, checked again before it runs, and named to people the way they would
 * name it themselves. Shared by Glob and Grep.
 */
import { isAbsolute, relative, sep } from "node:path";
import type { FileReader, JsonObject, PathFacts, Skipped } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { missingFile } from "../file/read-missing.ts";

export interface SearchPlan {
  readonly facts: PathFacts;
}

/** How long a search may take before it answers with what it has. */
export const deadlineMs = 20_000;
/** The engine's own limit comes only after that. */
export const timeoutMs = deadlineMs + 15_000;

/** The planned place, if it is still what was approved. */
export async function approvedPlace(data: SearchPlan | undefined, files: FileReader): Promise<PathFacts> {
  if (data === undefined) throw new Error("a search runs only with its own plan");
  const { facts } = data;
  if (facts.kind === "absent") throw await missingFile(facts, files);
  if (facts.kind === "unreadable") {
    throw new ToolFailure("tool_error", `${facts.asked} cannot be read`, { details: { reason: "no_permission", path: facts.asked } });
  }
  const now = await files.resolve(facts.spelled);
  if (now.real === facts.real && now.kind === facts.kind) return facts;
  throw new ToolFailure("tool_forbidden_path", `${facts.asked} leads somewhere else than when it was approved`, {
    details: { reason: "path_changed", path: facts.asked },
  });
}

/** From the working directory where it is inside, else in full; empty for the working directory itself. */
export function placeName({ lexical }: PathFacts, cwd: string): string {
  const path = relative(cwd, lexical);
  if (path === "") return "";
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? lexical : path.split(sep).join("/");
}

export function inPlace(place: string, path: string): string {
  if (place === "") return path;
  return place.endsWith("/") ? place + path : `${place}/${path}`;
}

/** What almost every name is, told in one pass. */
const plain = /^[!-~]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const odd = /[\u0000-\u001f\u007f\u0085\u2028\u2029]|^\s|\s$/;

/** A name as one line of output: what would break the line is written as in JSON. */
export function oneLine(name: string): string {
  return plain.test(name) || !odd.test(name) ? name : JSON.stringify(name);
}

/** The engine leaves data out when it is larger than a megabyte: what is long costs the last entries instead of the whole. */
export const maxDataLength = 1_000_000;

/** The first entries, as many as fit into so many characters. */
export function fitting<T>(entries: readonly T[], room: number, lengthOf: (entry: T) => number): readonly T[] {
  let left = room;
  for (const [index, entry] of entries.entries()) {
    left -= lengthOf(entry);
    if (left < 0) return entries.slice(0, index);
  }
  return entries;
}

export function skippedLength({ paths }: Skipped): number {
  return paths.reduce((length, { path }) => length + path.length + 60, 0);
}

export function skippedData({ paths, total }: Skipped): JsonObject {
  return { total, paths: paths.map(({ path, reason }) => ({ path, reason })) };
}

export function skippedNotice({ paths, total }: Skipped): readonly string[] {
  if (total === 0) return [];
  const shown = paths.slice(0, 3).map(({ path }) => oneLine(path));
  return [`Could not be looked at: ${total} (${shown.join(", ")}${total > shown.length ? ", …" : ""}).`];
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
