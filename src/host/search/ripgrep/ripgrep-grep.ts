/**
 * Content search with ripgrep: one process, read as it writes, killed at the deadline or when the search is cancelled.
 * Everything that is left out, kept, sorted and shown is decided here or in what both backends share.
 */
import { dirname } from "node:path";
import { type GrepAnswer, type GrepRequest, type Readable, ToolFailure } from "../../../contract/index.ts";
import { spawn } from "../../spawn.ts";
import { baseName, joinBytes, toBytePath, toDisplay } from "../byte-path.ts";
import { compileFilter, type FileFilter } from "../file-filter.ts";
import { GrepResults } from "../grep-results.ts";
import { findRepository } from "../ignore/git-repository.ts";
import { SkipList } from "../ignore/skip-list.ts";
import { countsLines } from "../javascript/rust-regex.ts";
import { Limits, maxWholeBytes } from "../limits.ts";
import { hasNul } from "../nul-bytes.ts";
import type { SearchTarget } from "../target.ts";
import { walk } from "../walk.ts";
import { ripgrepArguments } from "./ripgrep-arguments.ts";
import { CountReader, JsonReader, type MessageReader } from "./ripgrep-messages.ts";
import { Notices } from "./ripgrep-notices.ts";

export async function ripgrepGrep(program: string, request: GrepRequest, target: SearchTarget, readable: Readable): Promise<GrepAnswer> {
  const limits = new Limits(request.signal, request.deadlineMs);
  limits.throwIfCancelled();
  const isFile = target.kind === "file";
  const root = toBytePath(isFile ? dirname(request.target) : request.target);
  const filter = isFile ? undefined : compileFilter(request);
  const results = new GrepResults(request);
  const skipped = new SkipList();
  const mayRead = (relative: string): boolean => isFile || readable.mayRead(`${toDisplay(root)}/${relative}`, false);
  const notices = new Notices(
    skipped,
    (path) => filter === undefined || filter.mayEnter(path) || filter.accepts(path),
    (path) => !mayRead(path),
  );
  // Of a named file ripgrep searches even what is no text, and over the whole file it looks for NUL at the start only.
  const looksForNul = isFile || request.multiline;
  // Ripgrep was told the table as globs; what those cannot say, and what rules forbid, is left out here.
  const accept = (relative: string): boolean => mayRead(toDisplay(relative)) && !(looksForNul && hasNul(joinBytes(root, relative)));
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
    explain: !isFile && filter === undefined && readable.byName,
    maxWholeBytes,
  });
  const counted = !isFile && (filter !== undefined || !readable.byName);
  const secrets = counted ? countSecrets(request, root, filter, limits, readable) : undefined;
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

async function countSecrets(
  request: GrepRequest,
  root: string,
  filter: FileFilter | undefined,
  limits: Limits,
  { mayRead }: Readable,
): Promise<number> {
  const start = toDisplay(joinBytes(root, ""));
  let count = 0;
  const batches = walk({
    root,
    includeIgnored: request.includeIgnored,
    limits,
    skipped: new SkipList(),
    mayEnter: filter?.mayEnter ?? (() => true),
    mayTake: (way, name) => !mayRead(start + way + name, false) && filter?.acceptsIn(way, name) !== false,
    mayLookInto: (path) => {
      const may = mayRead(path, true);
      if (!may) count += 1;
      return may;
    },
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
    const child = spawn(program, args, { cwd, env: {}, stdio: ["ignore", "pipe", "pipe"] });
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
