/**
 * Gitignore: adds patterns to a `.gitignore`, or says whether a path is ignored and by which rule (F6).
 * Adding keeps every byte that is there, its line endings and whether the last line ends; a pattern that is there already is
 * not added again. Never runs git.
 */

import { isAbsolute, posix, relative } from "node:path";
import { z } from "zod";
import type { FileChange, IgnoreVerdict, PathFacts, Plan, PlanContext, ToolOutput } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { gitignoreData } from "../data/file-data.ts";
import { binaryFailure, codecOf } from "./match/codec.ts";
import { commitWrites } from "./write-commit.ts";
import { changesData, changesOf, displayPath, intentsOf, type PlannedWrite, previewOf, WriteSet } from "./write-set.ts";

const input = z.object({
  action: z.enum(["add", "check"]).describe("What to do."),
  dir: z.string().min(1).default(".").describe("Where the .gitignore is and path starts."),
  patterns: z.array(z.string()).min(1).max(1_000).optional().describe('For add: patterns such as "*.log" or "dist/".'),
  path: z.string().min(1).optional().describe("For check; a trailing / means a directory."),
});

type Input = z.infer<typeof input>;

interface GitignorePlan {
  readonly facts: PathFacts;
  /** For `add`. */
  readonly writes: readonly PlannedWrite[];
  readonly changes: readonly FileChange[];
  readonly added: readonly string[];
  readonly present: readonly string[];
}

type Needs = "files" | "search";

/** What a caller gives Gitignore. */
export type GitignoreGiven = z.input<typeof input>;

export const gitignoreTool = defineTool<Input, Needs, GitignorePlan>({
  name: "Gitignore",
  aliases: ["git_ignore", "gitignore"],
  description: "Adds patterns to a .gitignore, each once, or checks whether a path is ignored and by which rule.",
  input,
  dataSchema: gitignoreData,
  synonyms: { directory: "dir", pattern: "patterns", file_path: "path" },
  example: { action: "add", patterns: ["*.log", "dist/"] },
  traits: { readOnly: false, concurrencySafe: false, searchHint: "git ignore exclude untracked pattern" },
  needs: ["files", "search"],
  plan: (request, context) => (request.action === "add" ? planAdd(request, context) : planCheck(request, context)),
  async run(request, context) {
    const { data } = context.plan;
    if (data === undefined) throw new Error("Gitignore runs only with its own plan");
    if (request.action === "check") return checked(request, await context.search.ignored(asked(data.facts, request)), context.session.cwd);
    await commitWrites(data.writes, context);
    const name = displayPath(data.facts, context.session.cwd);
    const told = [
      ...(data.added.length > 0 ? [`Added to ${name}: ${data.added.join(", ")}`] : []),
      ...(data.present.length > 0 ? [`Already in ${name}: ${data.present.join(", ")}`] : []),
    ];
    return {
      output: told.join("\n"),
      data: { path: data.facts.real, added: data.added, present: data.present, changes: changesData(data.changes) },
    };
  },
});

async function planAdd({ dir, patterns = [] }: Input, context: PlanContext<Needs>): Promise<Plan<GitignorePlan>> {
  if (patterns.length === 0) throw missing("patterns", "add");
  for (const pattern of patterns) checkPattern(pattern);
  const directory = await context.files.resolve(dir);
  if (directory.kind !== "directory" && directory.kind !== "absent") {
    throw new ToolFailure("invalid_tool_input", `${dir} is not a directory`, { details: { reason: "not_a_directory", path: dir } });
  }
  const files = new WriteSet(context);
  const draft = await files.open(`${dir.replace(/\/+$/, "")}/.gitignore`);
  if (draft.before !== null && draft.codec?.unit !== 1) throw binaryFailure(draft.facts.asked);
  const { text, added, present } = withPatterns(draft.before?.toString("latin1") ?? "", patterns);
  if (added.length > 0) {
    draft.after = Buffer.from(text, "latin1");
    draft.codec ??= codecOf("utf-8", 0);
  }
  const writes = files.writes();
  const { cwd } = context.session;
  const changes = await changesOf(writes, cwd);
  const name = displayPath(draft.facts, cwd);
  return {
    summary: added.length === 0 ? `Gitignore: ${name} has them already` : `Gitignore: add ${added.join(", ")} to ${name}`,
    effects: files.effects().length > 0 ? files.effects() : [{ kind: "read", path: draft.facts }],
    preview: { type: "diff", text: previewOf(changes) },
    changes,
    intends: intentsOf(writes),
    data: { facts: draft.facts, writes, changes, added, present },
    report: { path: draft.facts.real, added, present },
  };
}

/** Works on byte strings, so that nothing that is there is decoded and encoded again. */
function withPatterns(old: string, patterns: readonly string[]): { text: string; added: readonly string[]; present: readonly string[] } {
  const known = new Set(
    old
      .replace(/^\u00ef\u00bb\u00bf/, "")
      .split(/\r?\n/)
      .map(significant),
  );
  const added: string[] = [];
  const present: string[] = [];
  for (const pattern of patterns) {
    const bytes = significant(Buffer.from(pattern, "utf8").toString("latin1"));
    if (known.has(bytes)) {
      if (!added.includes(pattern) && !present.includes(pattern)) present.push(pattern);
      continue;
    }
    known.add(bytes);
    added.push(pattern);
  }
  const ending = /\r\n/.test(old) && !/(?:^|[^\r])\n/.test(old) ? "\r\n" : "\n";
  const lines = added.map((pattern) => Buffer.from(pattern, "utf8").toString("latin1"));
  const endsOpen = old !== "" && !old.endsWith("\n");
  const text = endsOpen ? old + lines.map((line) => ending + line).join("") : old + lines.map((line) => line + ending).join("");
  return { text, added, present };
}

/** Without the trailing spaces that mean nothing. */
function significant(line: string): string {
  return line.replace(/((?:^|[^\\])(?:\\\\)*) +$/, "$1");
}

function checkPattern(pattern: string): void {
  const wrong =
    pattern.trim() === ""
      ? "is empty"
      : /[\r\n\0]/.test(pattern)
        ? "holds a line end"
        : pattern.startsWith("#")
          ? "would be a comment"
          : undefined;
  if (wrong === undefined) return;
  throw new ToolFailure("invalid_tool_input", `The pattern ${JSON.stringify(pattern)} ${wrong}`, {
    ...(pattern.startsWith("#") ? { hint: `Write \\${pattern} for a name that starts with #.` } : {}),
    details: { reason: "invalid_pattern" },
  });
}

async function planCheck({ dir, path }: Input, { files }: PlanContext<Needs>): Promise<Plan<GitignorePlan>> {
  if (path === undefined) throw missing("path", "check");
  const full = (isAbsolute(path) ? path : `${dir.replace(/\/+$/, "")}/${path}`).replace(/\/+$/, "");
  const facts = await files.resolve(full);
  // What is read are the ignore files around it, not the path itself: asking about `.env` is no look into it.
  const plain = !full.split("/").includes("..");
  return {
    summary: `Gitignore: is ${path} ignored?`,
    effects: [{ kind: "read", path: plain ? await files.resolve(posix.dirname(full)) : facts }],
    data: { facts, writes: [], changes: [], added: [], present: [] },
  };
}

/** The path as written, since git's rules are about names, not about where links lead. */
function asked({ lexical }: PathFacts, { path = "" }: Input): string {
  return path.endsWith("/") ? `${lexical}/` : lexical;
}

function checked({ path = "" }: Input, { ignored, rule, tracked }: IgnoreVerdict, cwd: string): ToolOutput {
  if (tracked === true) return { output: `${path} is tracked by git, so no rule ignores it.`, data: { ignored, tracked } };
  if (rule === undefined) return { output: `${path} is not ignored.`, data: { ignored } };
  const near = relative(cwd, rule.source);
  const source = near === "" || near.startsWith("..") ? rule.source : near;
  // As `git check-ignore -v` writes it.
  const written = `${source}:${rule.line}:${rule.pattern}`;
  return {
    output: ignored ? `${path} is ignored by ${written}` : `${path} is not ignored: taken back by ${written}`,
    data: { ignored, rule: written, source: rule.source, line: rule.line, pattern: rule.pattern },
  };
}

function missing(parameter: string, action: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", `'${parameter}' is required for action '${action}'`, {
    details: { reason: "missing_parameter", parameter },
  });
}
