/**
 * A search request as ripgrep's arguments. The caller's glob never goes in as `--glob`, which would override ignore files;
 * as a file type it does not. Secret files are left out as types, too. Pure.
 */
import type { GrepRequest } from "../../../contract/index.ts";
import type { FileFilter } from "../file-filter.ts";
import { leftOutGlobs } from "../ignore/left-out.ts";
import { secretPlaces, secretTypes } from "./secret-types.ts";

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
    list.push(`--iglob=${secretPlaces()}`);
    for (const glob of filter?.prefilter ?? ["*"]) list.push(`--type-add=karyiwanted:${glob}`);
    list.push("--type=karyiwanted", ...secretTypes());
  }
  list.push(`--regexp=${request.multiline ? request.pattern : lineAnchors(request.pattern)}`, "--", target);
  return list;
}

/** Where each line is a text of its own, `\A` and `\z` are `^` and `$`; ripgrep itself is at odds with itself about them. */
function lineAnchors(pattern: string): string {
  return pattern.replace(/\\./gs, (pair) => (pair === "\\A" ? "^" : pair === "\\z" ? "$" : pair));
}
