/**
 * Grep: file contents by regular expression (G2), as lines, files or counts. Matches are marked `>>…<<`, long lines are cut
 * around the match, counts are exact past the limit, and at its deadline it gives what it has and says so.
 * Files whose names say that they hold secrets are not searched as part of a directory.
 */

import { z } from "zod";
import type { GrepAnswer, GrepLine, GrepRequest, JsonObject } from "../../contract/index.ts";
import { defineTool } from "../../contract/index.ts";
import { grepData } from "../data/file-data.ts";
import {
  approvedPlace,
  deadlineMs,
  fitting,
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

const defaultLimit = 250;

const input = z.object({
  pattern: z.string().min(1).describe("Regular expression as ripgrep takes it; escape literal braces."),
  path: z.string().min(1).default(".").describe("File or directory to search in."),
  glob: z.string().min(1).optional().describe('Only files that match: "*.{ts,tsx}", "src/**", "!*.test.ts".'),
  type: z.string().min(1).optional().describe("Such as ts, py, go, md"),
  output_mode: z.enum(["content", "files_with_matches", "count"]).default("content").describe("Lines, paths, or counts."),
  context: z.number().int().min(0).max(100).default(0).describe("Lines around each match."),
  case_insensitive: z.boolean().default(false).describe("Ignore case."),
  multiline: z.boolean().default(false).describe("Matches may span lines."),
  head_limit: z.number().int().min(1).max(100_000).default(defaultLimit).describe("Most lines or files."),
  include_ignored: z.boolean().default(false).describe("Also ignored files."),
});

type Input = z.infer<typeof input>;

/** What a caller gives Grep. */
export type GrepGiven = z.input<typeof input>;

export const grepTool = defineTool<Input, "files" | "search", SearchPlan>({
  name: "Grep",
  aliases: ["grep_search", "search_files", "search_file_content"],
  description:
    "Searches file contents with a regular expression and shows path:line:text with the matches marked >>…<<. Leaves out ignored, binary and secret files.",
  input,
  dataSchema: grepData,
  synonyms: {
    query: "pattern",
    regex: "pattern",
    search: "pattern",
    include: "glob",
    file_pattern: "glob",
    include_pattern: "glob",
    file_type: "type",
    file_path: "path",
    directory: "path",
    dir: "path",
    mode: "output_mode",
    "-i": "case_insensitive",
    ignore_case: "case_insensitive",
    "-C": "context",
    "-A": "context",
    "-B": "context",
    context_lines: "context",
    max_results: "head_limit",
    limit: "head_limit",
    no_ignore: "include_ignored",
  },
  example: { pattern: "export function \\w+", path: "src", glob: "*.ts" },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "search text content regex find in files rg ripgrep match lines" },
  needs: ["files", "search"],
  timeoutMs,
  async plan({ pattern, path }, { files }) {
    const facts = await files.resolve(path);
    const tree = facts.kind === "file" ? {} : { tree: true };
    return { summary: `Grep ${pattern} in ${path}`, effects: [{ kind: "read", path: facts, ...tree }], data: { facts } };
  },
  async run(request, { plan, files, search, session, signal }) {
    const facts = await approvedPlace(plan.data, files);
    const answer = await search.grep({ ...portRequest(request), target: facts.real, signal, deadlineMs });
    const place = placeName(facts, session.cwd);
    const named = facts.kind === "file" ? () => place || facts.lexical : (path: string) => inPlace(place, path);
    const lines = answer.lines.map((line) => ({ ...line, path: named(line.path) }));
    const counted = answer.files.map((file) => ({ ...file, path: named(file.path) }));
    const shown = shownOf(request, lines, counted);
    const notices = noticesOf(request, answer, shown.length);
    const room = maxDataLength - skippedLength(answer.skipped);
    const keptFiles = fitting(counted, room / 3, ({ path }) => path.length + 50);
    const matches = fitting(
      lines,
      (room / 3) * 2,
      ({ path, text, matches: ranges }) => path.length + text.length + 120 + 30 * ranges.length,
    );
    return {
      output: [...shown, ...(shown.length > 0 && notices.length > 0 ? [""] : []), ...notices].join("\n"),
      ...(request.output_mode === "content" ? { unmarked: shownOf(request, lines.map(withoutMarks), answer.files).join("\n") } : {}),
      data: {
        ...(request.output_mode === "content" ? { matches: matches.map(lineData) } : {}),
        ...(matches.length < lines.length ? { matches_left_out: lines.length - matches.length } : {}),
        files: keptFiles,
        ...(keptFiles.length < counted.length ? { files_left_out: counted.length - keptFiles.length } : {}),
        total_matches: answer.totalMatches,
        total_files: answer.totalFiles,
        ...(request.output_mode === "content" ? { total_lines: answer.totalLines } : {}),
        truncated: isCut(request, answer),
        partial: answer.partial,
        backend: answer.backend,
        skipped: skippedData(answer.skipped),
        secrets_left_out: answer.secretsLeftOut,
      },
    };
  },
});

function portRequest(request: Input): Omit<GrepRequest, "target" | "signal" | "deadlineMs"> {
  return {
    pattern: request.pattern,
    ...(request.glob === undefined ? {} : { glob: request.glob }),
    ...(request.type === undefined ? {} : { type: request.type }),
    mode: request.output_mode,
    context: request.output_mode === "content" ? request.context : 0,
    caseInsensitive: request.case_insensitive,
    multiline: request.multiline,
    includeIgnored: request.include_ignored,
    limit: request.head_limit,
  };
}

function shownOf(request: Input, lines: readonly GrepLine[], files: GrepAnswer["files"]): readonly string[] {
  if (request.output_mode === "files_with_matches") return files.map(({ path }) => oneLine(path));
  if (request.output_mode === "count") return files.map(({ path, matches }) => `${oneLine(path)}:${matches}`);
  const shown: string[] = [];
  let previous: GrepLine | undefined;
  for (const line of lines) {
    // As grep does: groups of lines that do not touch are set apart.
    if (request.context > 0 && previous !== undefined && (previous.path !== line.path || previous.line + 1 !== line.line)) shown.push("--");
    const sign = line.context === true ? "-" : ":";
    shown.push(`${oneLine(line.path)}${sign}${line.line}${sign}${marked(line)}`);
    previous = line;
  }
  return shown;
}

function withoutMarks(line: GrepLine): GrepLine {
  return { ...line, matches: [] };
}

function marked({ text, matches, cut }: GrepLine): string {
  let result = "";
  let at = 0;
  for (const [start, end] of matches) {
    result += `${text.slice(at, start)}>>${text.slice(start, end)}<<`;
    at = end;
  }
  result += text.slice(at);
  if (cut === undefined) return result;
  return `${cut.before > 0 ? `[${cut.before} characters cut]…` : ""}${result}${cut.after > 0 ? `…[${cut.after} characters cut]` : ""}`;
}

function lineData({ path, line, text, matches, context, cut }: GrepLine): JsonObject {
  return {
    path,
    line,
    text,
    ranges: matches.map(([start, end]) => [start, end]),
    ...(context === true ? { context } : {}),
    ...(cut === undefined ? {} : { cut: { ...cut } }),
  };
}

function isCut({ output_mode }: Input, { lines, files, totalLines, totalFiles }: GrepAnswer): boolean {
  return output_mode === "content" ? lines.filter(({ context }) => context !== true).length < totalLines : files.length < totalFiles;
}

function noticesOf(request: Input, answer: GrepAnswer, shown: number): readonly string[] {
  const notices: string[] = [];
  if (shown === 0 && !answer.partial) notices.push("No matches found.");
  if (isCut(request, answer)) {
    const total =
      request.output_mode === "content"
        ? `${plural(answer.totalLines, "matching line")} in ${plural(answer.totalFiles, "file")}`
        : `${plural(answer.totalFiles, "file")} with ${plural(answer.totalMatches, "match", "matches")}`;
    notices.push(`Cut at head_limit ${request.head_limit}; in all ${total}.`);
  }
  if (answer.partial) {
    notices.push(
      `Incomplete: the search ended at its limit of ${deadlineMs / 1_000} s; ${plural(answer.totalFiles, "file")} with matches so far.`,
    );
  }
  if (answer.secretsLeftOut > 0) {
    notices.push(
      `Not searched: ${plural(answer.secretsLeftOut, "file")} that may hold secrets (.env, keys). Name such a file as path to search it.`,
    );
  }
  return [...notices, ...skippedNotice(answer.skipped)];
}
