/**
 * Owns the walk that lists a directory: depth first, names in order, without what ignore files name. Those are read by the search
 * port, so that `List` and `Glob` leave out the same.
 * Never follows a link and never shows more than its bound; what it leaves out is counted.
 */
import { join, relative, sep } from "node:path";
import type { DirectoryEntry, FileReader, JsonObject, PathFacts, Search, ToolOutput } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";

const maxListed = 2000;
/** Counting goes on past the listing, but not for ever. */
const maxCounted = 200_000;

export interface ListRequest {
  readonly depth: number;
  readonly includeIgnored: boolean;
}

interface ListContext {
  readonly files: FileReader;
  readonly search: Pick<Search, "ignoredIn" | "mayEnter">;
  readonly signal: AbortSignal;
}

interface Listed extends JsonObject {
  readonly path: string;
  readonly kind: string;
  readonly size?: number;
  readonly target?: string;
}

interface Walk {
  readonly context: ListContext;
  readonly request: ListRequest;
  readonly root: string;
  readonly entries: Listed[];
  readonly lines: string[];
  total: number;
  ignored: number;
  /** The count itself was given up. */
  open: boolean;
  unreadable: number;
}

export async function listDirectory(facts: PathFacts, request: ListRequest, context: ListContext): Promise<ToolOutput> {
  await checkPlace(facts.real, context);
  const walk: Walk = { context, request, root: facts.real, entries: [], lines: [], total: 0, ignored: 0, open: false, unreadable: 0 };
  await visit(walk, facts.real, await context.files.list(facts.real), 1);
  await checkPlace(facts.real, context);
  const left = walk.total - walk.entries.length;
  const notes = [
    ...(walk.total === 0 ? ["(empty)"] : []),
    ...(left > 0 ? [`(${walk.open ? "at least " : ""}${left} more entries; list a directory further down, or less deep.)`] : []),
    ...(walk.ignored > 0 ? [`(${walk.ignored} ignored by .gitignore; include_ignored shows them.)`] : []),
    ...(walk.unreadable > 0 ? [`(${walk.unreadable} directories could not be read.)`] : []),
  ];
  return {
    output: [`${facts.real}${facts.real.endsWith(sep) ? "" : sep}`, ...walk.lines, ...notes].join("\n"),
    data: {
      path: facts.real,
      kind: "directory",
      entries: walk.entries,
      total: walk.total,
      ...(left > 0 ? { left_out: left } : {}),
      ...(walk.open ? { total_is_lower_bound: true } : {}),
      ...(walk.ignored > 0 ? { ignored: walk.ignored } : {}),
    },
  };
}

/** The directory must still be where it was when the listing was allowed. */
async function checkPlace(real: string, context: ListContext): Promise<void> {
  const now = await context.files.resolve(real);
  if (now.real === real) return;
  throw new ToolFailure("tool_forbidden_path", `${real} is no longer the directory that was looked at`, {
    details: { reason: "path_changed", path: real, now: now.real },
  });
}

async function visit(walk: Walk, directory: string, entries: readonly DirectoryEntry[], depth: number): Promise<void> {
  const { search, signal } = walk.context;
  const ignored = walk.request.includeIgnored
    ? undefined
    : search.ignoredIn(
        directory,
        entries.map(({ name, kind }) => ({ name, isDirectory: kind === "directory" })),
      );
  for (const entry of entries) {
    signal.throwIfAborted();
    const path = join(directory, entry.name);
    if (ignored?.has(entry.name)) {
      walk.ignored += 1;
      continue;
    }
    if (walk.total >= maxCounted) {
      walk.open = true;
      return;
    }
    walk.total += 1;
    if (walk.entries.length < maxListed) await show(walk, path, entry, depth);
    if (entry.kind === "directory" && depth < walk.request.depth) await descend(walk, path, depth + 1);
  }
}

async function descend(walk: Walk, directory: string, depth: number): Promise<void> {
  // A directory that may not be read is named; what is in it is not.
  if (!walk.context.search.mayEnter(directory)) {
    walk.unreadable += 1;
    return;
  }
  let entries: readonly DirectoryEntry[];
  try {
    // A directory swapped for a link since it was listed is not entered.
    await checkPlace(directory, walk.context);
    entries = await walk.context.files.list(directory);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    walk.unreadable += 1;
    return;
  }
  await visit(walk, directory, entries, depth);
}

async function show(walk: Walk, path: string, entry: DirectoryEntry, depth: number): Promise<void> {
  const target = entry.kind === "link" ? (await walk.context.files.resolve(path)).real : undefined;
  walk.entries.push({
    path: relative(walk.root, path),
    kind: entry.kind,
    ...(entry.kind === "file" ? { size: entry.size } : {}),
    ...(target === undefined ? {} : { target }),
  });
  const name = "  ".repeat(depth) + printable(entry.name);
  walk.lines.push(`${name}${suffix(entry, target)}`);
}

function suffix(entry: DirectoryEntry, target: string | undefined): string {
  if (entry.kind === "directory") return "/";
  if (entry.kind === "file") return `  ${entry.size}`;
  return target === undefined ? `  (${entry.kind})` : ` -> ${printable(target)}`;
}

/** One entry, one line: a name with a line break or a control character is quoted. */
function printable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}
