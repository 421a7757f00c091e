/**
 * Content search with ripgrep: one process, read as it writes, killed at the deadline or when the search is cancelled.
 * Everything that is left out, kept, sorted and shown is decided here or in what both backends share.
 */
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { type GrepAnswer, type GrepRequest, ToolFailure } from "../../contract/index.ts";
import { baseName, joinBytes, toBytePath, toDisplay } from "./byte-path.ts";
import { compileFilter, type FileFilter } from "./file-filter.ts";
import { findRepository } from "./git-repository.ts";
import { GrepResults } from "./grep-results.ts";
import { isSecretName } from "./left-out.ts";
import { Limits, maxWholeBytes } from "./limits.ts";
import { hasNul } from "./nul-bytes.ts";
import { ripgrepArguments } from "./ripgrep-arguments.ts";
import { CountReader, JsonReader, type MessageReader } from "./ripgrep-messages.ts";
import { Notices } from "./ripgrep-notices.ts";
import { countsLines } from "./rust-regex.ts";
import { SkipList } from "./skip-list.ts";
import type { SearchTarget } from "./target.ts";
import { walk } from "./walk.ts";

export async function ripgrepGrep(program: string, request: GrepRequest, target: SearchTarget): Promise<GrepAnswer> {
  const limits = new Limits(request.signal, request.deadlineMs);
  limits.throwIfCancelled();
  const isFile = target.kind === "file";
  const root = toBytePath(isFile ? dirname(request.target) : request.target);
  const filter = isFile ? undefined : compileFilter(request);
  const results = new GrepResults(request);
  const skipped = new SkipList();
  const notices = new Notices(skipped, (path) => filter === undefined || filter.mayEnter(path) || filter.accepts(path));
  // Of a named file ripgrep searches even what is no text, and over the whole file it looks for NUL at the start only.
  const accept = isFile || request.multiline ? (relative: string) => !hasNul(joinBytes(root, relative)) : () => true;
  const countLines = countsLines(request);
  const options = { results, filter, limit: request.limit, countLines, accept };
  const reader = request.mode === "content" ? new JsonReader(options) : new CountReader(options);
  const args = ripgrepArguments({
    request,
    filter,
    inRepository: !isFile && findRepository(root) !== undefined,
    target: isFile ? `./${toDisplay(baseName(toBytePath(request.target)))}` : "./",
    isFile,
    countLines,
    // Where a filter is given ripgrep would also name every file that the filter leaves out.
    explain: !isFile && filter === undefined,
    maxWholeBytes,
  });
  const secrets = filter === undefined ? undefined : countSecrets(request, root, filter, limits);
  // It fails with the search itself; nobody waits for it then.
  secrets?.catch(() => undefined);
  const ended = await run(program, args, { cwd: toDisplay(root), limits, reader, notices });
  limits.throwIfCancelled();
  if (ended === "failed") throw invalidPattern(request, notices.complaint);
  return {
    ...results.finish(),
    partial: ended === "deadline",
    backend: "ripgrep",
    skipped: skipped.list(),
    secretsLeftOut: notices.secrets + ((await secrets) ?? 0),
  };
}

async function countSecrets(request: GrepRequest, root: string, filter: FileFilter, limits: Limits): Promise<number> {
  let count = 0;
  const batches = walk({
    root,
    includeIgnored: request.includeIgnored,
    limits,
    skipped: new SkipList(),
    mayEnter: filter.mayEnter,
    mayTake: (way, name) => isSecretName(name) && filter.acceptsIn(way, name),
  });
  for await (const batch of batches) count += batch.length;
  return count;
}

interface RunOptions {
  readonly cwd: string;
  readonly limits: Limits;
  readonly reader: MessageReader;
  readonly notices: Notices;
}

function run(
  program: string,
  args: readonly string[],
  { cwd, limits, reader, notices }: RunOptions,
): Promise<"done" | "deadline" | "failed"> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: {}, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    let ended: "deadline" | "cancelled" | undefined;
    const stop = (why: "deadline" | "cancelled"): void => {
      ended ??= why;
      child.kill("SIGKILL");
    };
    const onAbort = (): void => stop("cancelled");
    const timer = setTimeout(() => stop("deadline"), limits.remainingMs);
    limits.signal.addEventListener("abort", onAbort, { once: true });
    const clear = (): void => {
      clearTimeout(timer);
      limits.signal.removeEventListener("abort", onAbort);
    };
    const guarded = (use: (chunk: Buffer) => void) => (chunk: Buffer) => {
      try {
        use(chunk);
      } catch (error) {
        child.kill("SIGKILL");
        clear();
        reject(error);
      }
    };
    child.stdout.on(
      "data",
      guarded((chunk) => ended ?? reader.push(chunk)),
    );
    child.stderr.on(
      "data",
      guarded((chunk) => notices.push(chunk)),
    );
    child.on("error", (error) => {
      clear();
      reject(new ToolFailure("tool_error", "ripgrep could not be started.", { cause: error }));
    });
    child.on("close", (code) => {
      clear();
      reader.end();
      notices.end();
      if (ended !== undefined) resolve(ended === "deadline" ? "deadline" : "done");
      // 0: found, 1: nothing found, 2: something went wrong, which is fatal only when it is not about single files.
      else if (code === 0 || code === 1 || (code === 2 && notices.complaint === "")) resolve("done");
      else if (code === 2) resolve("failed");
      else reject(new ToolFailure("tool_error", "ripgrep ended unexpectedly.", { details: { reason: "search_failed", exit_code: code } }));
    });
  });
}

function invalidPattern({ pattern, multiline }: GrepRequest, complaint: string): ToolFailure {
  const explanation = complaint.replace(/\n\nConsider enabling .*$/s, "");
  return new ToolFailure("invalid_tool_input", `The pattern ${JSON.stringify(pattern)} is not valid: ${explanation}`, {
    details: { reason: "invalid_regex" },
    ...(!multiline && complaint.includes('"\\n"') ? { hint: "Set multiline to match across lines." } : {}),
  });
}
