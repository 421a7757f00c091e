/**
 * Owns the walk that lists a directory: depth first, names in order, ignore rules of every `.gitignore` on the way.
 * Never follows a link and never shows more than its bound; what it leaves out is counted.
 */
import { basename, dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { DirectoryEntry, FileReader, JsonObject, PathFacts, ToolOutput } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";

const maxListed = 2000;
/** Counting goes on past the listing, but not for ever. */
const maxCounted = 200_000;
const maxIgnoreFileBytes = 1 << 20;

export interface ListRequest {
  readonly depth: number;
  readonly includeIgnored: boolean;
}

interface ListContext {
  readonly files: FileReader;
  readonly signal: AbortSignal;
}

interface Listed extends JsonObject {
  readonly path: string;
  readonly kind: string;
  readonly size?: number;
  readonly target?: string;
}

/** Rules of one `.gitignore`, for what lies below its directory. */
interface Rules {
  readonly directory: string;
  readonly rules: Ignore;
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
  const above = request.includeIgnored ? [] : await rulesAbove(facts.real, context);
  // Who names an ignored directory wants to see what is in it.
  const rules = isIgnored(above, facts.real, { name: basename(facts.real), kind: "directory" }) ? [] : above;
  await visit(walk, facts.real, await context.files.list(facts.real), 1, rules);
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

async function visit(
  walk: Walk,
  directory: string,
  entries: readonly DirectoryEntry[],
  depth: number,
  above: readonly Rules[],
): Promise<void> {
  const rules = walk.request.includeIgnored ? above : await withOwnRules(walk, directory, entries, above);
  for (const entry of entries) {
    walk.context.signal.throwIfAborted();
    const path = join(directory, entry.name);
    if (isIgnored(rules, path, entry)) {
      walk.ignored += 1;
      continue;
    }
    if (walk.total >= maxCounted) {
      walk.open = true;
      return;
    }
    walk.total += 1;
    if (walk.entries.length < maxListed) await show(walk, path, entry, depth);
    if (entry.kind === "directory" && depth < walk.request.depth) await descend(walk, path, depth + 1, rules);
  }
}

async function descend(walk: Walk, directory: string, depth: number, rules: readonly Rules[]): Promise<void> {
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
  await visit(walk, directory, entries, depth, rules);
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

function isIgnored(rules: readonly Rules[], path: string, entry: Pick<DirectoryEntry, "name" | "kind">): boolean {
  if (rules.length > 0 && entry.name === ".git") return true;
  // The nearest file has the last word; one that says nothing leaves it to those above.
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const one = rules[index];
    if (one === undefined) continue;
    const name = relative(one.directory, path).split(sep).join("/");
    if (name === "") continue;
    const verdict = one.rules.test(entry.kind === "directory" ? `${name}/` : name);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

async function withOwnRules(
  walk: Walk,
  directory: string,
  entries: readonly DirectoryEntry[],
  above: readonly Rules[],
): Promise<readonly Rules[]> {
  if (!entries.some(({ name, kind }) => name === ".gitignore" && kind === "file")) return above;
  const own = await readRules(directory, ".gitignore", walk.context);
  return own === undefined ? above : [...above, own];
}

/** Ignore files of the directories above, up to the one that holds `.git`; none outside of a repository. */
async function rulesAbove(directory: string, context: ListContext): Promise<Rules[]> {
  const found: Rules[] = [];
  for (let current = directory; ; current = dirname(current)) {
    if (current !== directory) {
      const rules = await readRules(current, ".gitignore", context);
      if (rules !== undefined) found.unshift(rules);
    }
    if ((await context.files.stat(join(current, ".git"))) !== undefined) {
      const excluded = await readRules(current, join(".git", "info", "exclude"), context);
      return [...(excluded === undefined ? [{ directory: current, rules: ignore() }] : [excluded]), ...found];
    }
    // Outside of a repository only the listed directory's own files count.
    if (dirname(current) === current) return [];
  }
}

async function readRules(directory: string, name: string, { files }: ListContext): Promise<Rules | undefined> {
  const facts = await files.resolve(join(directory, name));
  if (facts.kind !== "file") return undefined;
  try {
    const { bytes } = await files.readAll(facts, maxIgnoreFileBytes);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
    return { directory, rules: ignore().add(text) };
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
