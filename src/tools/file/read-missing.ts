/**
 * Owns the help for a path that does not exist: names near it in the nearest directory that does.
 */
import { basename, dirname, join } from "node:path";
import { distance } from "fastest-levenshtein";
import type { FileReader, PathFacts } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";

const maxNames = 3;
const maxCompared = 5000;

export async function missingFile(facts: PathFacts, files: Pick<FileReader, "list" | "stat">): Promise<ToolFailure> {
  const near = await nearestNames(facts.real, files);
  const names = near.map((name) => JSON.stringify(name)).join(", ");
  return new ToolFailure("tool_not_found", `No such file: ${facts.asked}`, {
    hint: near.length > 0 ? `Did you mean ${names}?` : "Use List or Glob to see what is there.",
    details: { reason: "file_not_found", path: facts.asked, ...(near.length > 0 ? { nearest: near } : {}) },
  });
}

/** Absolute paths, best first. */
async function nearestNames(real: string, files: Pick<FileReader, "list" | "stat">): Promise<string[]> {
  let wanted = basename(real);
  let directory = dirname(real);
  while ((await files.stat(directory)) === undefined && dirname(directory) !== directory) {
    wanted = basename(directory);
    directory = dirname(directory);
  }
  try {
    const entries = (await files.list(directory)).slice(0, maxCompared);
    const ranked = entries.map(({ name }) => ({ name, far: farness(wanted, name) })).filter(({ far }) => far <= 1);
    ranked.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1));
    return ranked.slice(0, maxNames).map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}

/** 0: the same but for case, spaces or composition of characters; up to 1: alike; more: something else. */
function farness(wanted: string, name: string): number {
  const a = plain(wanted);
  const b = plain(name);
  if (a === b) return 0;
  if (a.length >= 3 && stem(a) === stem(b)) return 0.3;
  const far = Math.min(apart(a, b), apart(stem(a), stem(b)) + 0.1);
  if (far <= 1) return 0.2 + far * 0.7;
  return a.length >= 4 && (b.includes(a) || a.includes(stem(b))) && stem(b).length >= 4 ? 1 : 2;
}

/** Up to 1 while a third of the letters or less differ. */
function apart(a: string, b: string): number {
  return distance(a, b) / Math.max(2, Math.ceil(Math.max(a.length, b.length) / 3));
}

function plain(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
}

function stem(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}
