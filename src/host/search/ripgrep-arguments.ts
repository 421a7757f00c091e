/**
 * A search request as ripgrep's arguments. The caller's glob never goes in as `--glob`, which would override ignore files;
 * as a file type it does not. Secret files are left out as a type, too: types concern files alone, so that a directory
 * called `credentials` is searched all the same. Pure.
 */
import type { GrepRequest } from "../../contract/index.ts";
import type { FileFilter } from "./file-filter.ts";
import { leftOutGlobs, secretGlob } from "./left-out.ts";

export interface ArgumentOptions {
  readonly request: GrepRequest;
  readonly filter: FileFilter | undefined;
  readonly inRepository: boolean;
  /** What is searched, relative to the directory ripgrep is started in. */
  readonly target: string;
  readonly isFile: boolean;
  /** Count lines instead of matches. */
  readonly countLines: boolean;
  /** Makes ripgrep name what it leaves out. */
  readonly explain: boolean;
  readonly maxWholeBytes: number;
}

export function ripgrepArguments(options: ArgumentOptions): readonly string[] {
  const { request, filter, inRepository, target, isFile, countLines, explain, maxWholeBytes } = options;
  const list = ["--no-config", "--hidden", "--no-mmap", "--color=never", "--no-ignore-global"];
  if (request.mode === "content") list.push("--json", `--context=${request.context}`);
  else list.push(countLines ? "--count" : "--count-matches", "--null", "--with-filename");
  if (request.includeIgnored) list.push("--no-ignore");
  else if (!inRepository) list.push("--no-require-git");
  list.push(request.caseInsensitive ? "--ignore-case" : "--case-sensitive");
  if (request.multiline) list.push("--multiline", "--multiline-dotall", `--max-filesize=${maxWholeBytes}`);
  if (explain) list.push("--debug");
  if (!isFile) {
    for (const glob of leftOutGlobs(request.includeIgnored)) list.push(`--glob=${glob}`);
    list.push(`--type-add=karyisecret:${secretGlob()}`);
    for (const glob of filter?.prefilter ?? []) list.push(`--type-add=karyiwanted:${glob}`);
    if (filter?.prefilter !== undefined) list.push("--type=karyiwanted");
    list.push("--type-not=karyisecret");
  }
  list.push(`--regexp=${request.multiline ? request.pattern : lineAnchors(request.pattern)}`, "--", target);
  return list;
}

/** Where each line is a text of its own, `\A` and `\z` are `^` and `$`; ripgrep itself is at odds with itself about them. */
function lineAnchors(pattern: string): string {
  return pattern.replace(/\\./gs, (pair) => (pair === "\\A" ? "^" : pair === "\\z" ? "$" : pair));
}
