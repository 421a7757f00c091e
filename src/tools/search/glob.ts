/**
 * Glob: files by name, newest first, with sizes (G1). Ignore files count unless `include_ignored`; past 10,000 files the answer
 * is cut and says so. Reads names, sizes and times, never content.
 */

import { posix, resolve } from "node:path";
import { z } from "zod";
import type { FindAnswer } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { globData } from "../data/file-data.ts";
import {
  approvedPlace,
  deadlineMs,
  inPlace,
  maxDataLength,
  oneLine,
  placeName,
  plural,
  type SearchPlan,
  skippedData,
  skippedLength,
  skippedNotice,
  timeoutMs,
} from "./search-place.ts";

const maxFiles = 10_000;
/** Names, numbers and punctuation of one entry of data, beside its path. */
const entryLength = 56;

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('Glob: "**/*.ts", "src/**/*.{js,jsx}", "docs/*.md". "**" spans directories; without it only the given level matches.'),
  path: z.string().min(1).default(".").describe("Where to search."),
  include_ignored: z.boolean().default(false).describe("Also what is left out otherwise."),
});

interface GlobPlan extends SearchPlan {
  readonly pattern: string;
}

/** What a caller gives Glob. */
export type GlobGiven = z.input<typeof input>;

export const globTool = defineTool<z.infer<typeof input>, "files" | "search", GlobPlan>({
  name: "Glob",
  aliases: ["find_files", "glob_files", "file_search"],
  description:
    "Finds files by name pattern and lists them with their sizes, newest first. Leaves out what .gitignore names, node_modules, dist and the like.",
  input,
  dataSchema: globData,
  synonyms: { glob: "pattern", query: "pattern", directory: "path", dir: "path", file_path: "path", no_ignore: "include_ignored" },
  example: { pattern: "src/**/*.ts" },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "find files by name pattern wildcard ls path" },
  needs: ["files", "search"],
  timeoutMs,
  async plan(request, { files, session }) {
    const place = placeOf(request, session.cwd);
    const facts = await files.resolve(place.path);
    return {
      summary: `Glob ${request.pattern} in ${place.path}`,
      effects: [{ kind: "read", path: facts, tree: true }],
      data: { facts, pattern: place.pattern },
    };
  },
  async run(request, { plan, files, search, session, signal }) {
    const facts = await approvedPlace(plan.data, files);
    const answer = await search.find({
      directory: facts.real,
      pattern: plan.data?.pattern ?? request.pattern,
      includeIgnored: request.include_ignored,
      limit: maxFiles,
      signal,
      deadlineMs,
    });
    const place = placeName(facts, session.cwd);
    const matches: { readonly path: string; readonly size: number; readonly mtime_ms: number }[] = [];
    let output = "";
    let room = maxDataLength - skippedLength(answer.skipped);
    for (const { path: found, size, mtimeMs } of answer.hits) {
      const path = inPlace(place, found);
      room -= path.length + entryLength;
      if (room >= 0) matches.push({ path, size, mtime_ms: mtimeMs });
      output += `${output === "" ? "" : "\n"}${oneLine(path)} (${sizeText(size)})`;
    }
    const notices = noticesOf(request.pattern, answer);
    if (notices.length > 0) output += `${output === "" ? "" : "\n\n"}${notices.join("\n")}`;
    return {
      output,
      data: {
        matches,
        ...(matches.length < answer.hits.length ? { matches_left_out: answer.hits.length - matches.length } : {}),
        total: answer.total,
        truncated: answer.total > answer.hits.length,
        partial: answer.partial,
        backend: answer.backend,
        skipped: skippedData(answer.skipped),
      },
    };
  },
});

/**
 * A pattern may itself say where to look: an absolute one, one from home, or one that starts by going up. What leads there moves into the path,
 * where it is judged like any other path.
 */
function placeOf({ path, pattern }: { readonly path: string; readonly pattern: string }, cwd: string): { path: string; pattern: string } {
  const parts = pattern.split("/");
  const isRooted = pattern.startsWith("/") || pattern.startsWith("~/");
  if (!isRooted && !parts.includes("..")) return { path, pattern };
  const base = resolve(cwd, path);
  if (pattern.startsWith(`${base}/`)) return { path, pattern: pattern.slice(base.length + 1) };
  const wild = parts.findIndex((part) => /[*?[{\\]/.test(part));
  const fixed = parts.slice(0, wild < 0 ? parts.length - 1 : wild);
  const rest = parts.slice(fixed.length);
  if (rest.includes("..")) {
    throw new ToolFailure("invalid_tool_input", `The pattern ${JSON.stringify(pattern)} goes up after a wildcard`, {
      hint: "Give the directory as path.",
      details: { reason: "invalid_glob" },
    });
  }
  // Not normalized: where `..` leads through a link is for the file port to say.
  const lead = fixed.join("/");
  const start = isRooted ? lead || "/" : `${path}/${lead}`;
  return { path: start, pattern: posix.join(...rest) };
}

function noticesOf(pattern: string, { hits, total, partial, skipped }: FindAnswer): readonly string[] {
  const notices: string[] = [];
  if (total === 0 && !partial) {
    notices.push(`No files match ${pattern}.`);
    if (!pattern.includes("/") && !pattern.includes("**"))
      notices.push(`It was looked for in this directory only; **/${pattern} searches below it, too.`);
  }
  if (total > hits.length)
    notices.push(`Cut: the newest ${plural(hits.length, "file")} of ${total.toLocaleString("en-US")}. Narrow the pattern or the path.`);
  if (partial) notices.push(`Incomplete: the search ended at its limit of ${deadlineMs / 1_000} s; ${plural(total, "file")} found so far.`);
  return [...notices, ...skippedNotice(skipped)];
}

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1_024;
  let unit = 0;
  for (; value >= 1_024 && unit < units.length - 1; unit++) value /= 1_024;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
