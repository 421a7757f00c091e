/**
 * Content search without ripgrep: the walk here, the matching in a thread that can be ended. Answers what ripgrep answers.
 * A few small batches are under way at a time, so memory stays bounded and the deadline finds most of what was searched.
 */
import type { GrepAnswer, GrepRequest, Readable } from "../../../contract/index.ts";
import { ToolFailure } from "../../../contract/index.ts";
import { baseName, toBytePath, toDisplay } from "../byte-path.ts";
import { compileFilter } from "../file-filter.ts";
import { GrepResults } from "../grep-results.ts";
import { SkipList } from "../ignore/skip-list.ts";
import { Limits, maxWholeBytes } from "../limits.ts";
import { decodeLine, type RawLine, type Span, shownLine } from "../line-text.ts";
import type { SearchTarget } from "../target.ts";
import { pathOf, shownOf, type WalkedFile, walk } from "../walk.ts";
import { startWorker } from "./inline-worker.ts";
import { type FileOutcome, type MatchAnswer, type MatchedLine, type MatchSettings, matchWorker } from "./match-worker.ts";
import { translateRegex } from "./rust-regex.ts";

const jobSize = 32;
const jobsUnderWay = 4;

export async function javascriptGrep(request: GrepRequest, target: SearchTarget, readable: Readable): Promise<GrepAnswer> {
  const limits = new Limits(request.signal, request.deadlineMs);
  const skipped = new SkipList();
  const results = new GrepResults(request);
  const filter = target.kind === "file" ? undefined : compileFilter(request);
  let secretsLeftOut = 0;
  const { source, flags, nullable } = translateRegex(request.pattern, request);
  const matching = new Matching({
    source,
    flags,
    multiline: request.multiline,
    limit: request.mode === "content" ? request.limit : 0,
    context: request.context,
    maxWholeBytes,
  });
  const take = (file: WalkedFile, outcome: FileOutcome): void => {
    const path = shownOf(file);
    if (outcome.kind === "skipped") skipped.add(path, outcome.reason);
    if (outcome.kind !== "searched") return;
    const lines = results.wants(path) ? outcome.lines.map((line) => shownLine(path, rawLine(line))) : [];
    results.add({ path, matches: nullable ? outcome.matchingLines : outcome.matches, matchingLines: outcome.matchingLines, lines });
  };
  const batches =
    target.kind === "file"
      ? [[namedFile(request.target)]]
      : walk({
          root: toBytePath(request.target),
          includeIgnored: request.includeIgnored,
          limits,
          skipped,
          mayEnter: filter?.mayEnter ?? (() => true),
          mayLookInto: (path) => {
            const may = readable.mayRead(path, true);
            if (!may) secretsLeftOut++;
            return may;
          },
          ...(filter === undefined ? {} : { mayTake: filter.acceptsIn }),
        });
  const end = endOf(limits, matching);
  let partial = false;
  try {
    const all = (async () => {
      for await (const batch of batches) {
        const files = batch.filter((file) => {
          const secret = target.kind === "directory" && !readable.mayRead(toDisplay(pathOf(file)), false);
          if (secret) secretsLeftOut++;
          return !file.isLink && !secret;
        });
        for (let at = 0; at < files.length; at += jobSize) {
          await matching.submit(files.slice(at, at + jobSize), take);
        }
      }
      await matching.drained();
    })();
    partial = (await Promise.race([all.then(() => false), end.reached])) || limits.passed;
    all.catch(() => undefined);
  } finally {
    end.clear();
    await matching.end();
  }
  limits.throwIfCancelled();
  return { ...results.finish(), partial, backend: "javascript", skipped: skipped.list(), secretsLeftOut };
}

function namedFile(target: string): WalkedFile {
  const path = toBytePath(target);
  const name = baseName(path);
  return { directory: { path: path.slice(0, path.length - name.length), shown: "" }, name, isLink: false };
}

function rawLine([line, content, flat]: MatchedLine): RawLine {
  const spans: Span[] | undefined = flat === undefined ? undefined : [];
  for (let i = 0; flat !== undefined && i < flat.length; i += 2) spans?.push([flat[i] as number, flat[i + 1] as number]);
  if (typeof content === "string") return { line, text: content, spans };
  return { line, ...decodeLine(Buffer.from(content.buffer, content.byteOffset, content.byteLength), spans) };
}

/** Ends the thread the moment the deadline comes or the search is cancelled, whatever the thread is doing. */
function endOf(limits: Limits, matching: Matching): { reached: Promise<true>; clear(): void } {
  let clear = (): void => undefined;
  const reached = new Promise<true>((resolve) => {
    const stop = (): void => {
      void matching.end();
      resolve(true);
    };
    const timer = setTimeout(stop, limits.remainingMs);
    limits.signal.addEventListener("abort", stop, { once: true });
    if (limits.signal.aborted) stop();
    clear = () => {
      clearTimeout(timer);
      limits.signal.removeEventListener("abort", stop);
    };
  });
  return { reached, clear: () => clear() };
}

type Take = (file: WalkedFile, outcome: FileOutcome) => void;

/** The thread and the jobs it was given; answers come in the order of the jobs. */
class Matching {
  readonly #worker;
  readonly #jobs: { readonly files: readonly WalkedFile[]; readonly take: Take }[] = [];
  #waiting: { resolve(): void; reject(error: unknown): void; until: number }[] = [];
  #failure: unknown;
  #ended = false;

  constructor(settings: MatchSettings) {
    this.#worker = startWorker(matchWorker, settings);
    this.#worker.ref();
    this.#worker.on("message", (answer: MatchAnswer) => this.#receive(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => {
      if (!this.#ended) this.#fail(new Error("the matching thread ended"));
    });
  }

  async submit(files: readonly WalkedFile[], take: Take): Promise<void> {
    if (this.#ended) return;
    await this.#until(jobsUnderWay - 1);
    this.#jobs.push({ files, take });
    this.#worker.postMessage(files.map(pathOf));
  }

  drained(): Promise<void> {
    return this.#until(0);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #until(until: number): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#jobs.length <= until) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject, until }));
  }

  #receive(answer: MatchAnswer): void {
    const job = this.#jobs.shift();
    if (job === undefined || this.#ended) return;
    for (const [i, outcome] of answer.entries()) job.take(job.files[i] as WalkedFile, outcome);
    const ready = this.#waiting.filter(({ until }) => this.#jobs.length <= until);
    this.#waiting = this.#waiting.filter(({ until }) => this.#jobs.length > until);
    for (const { resolve } of ready) resolve();
  }

  #fail(error: unknown): void {
    this.#failure = new ToolFailure("tool_error", "The search failed: the thread that matches ended unexpectedly.", { cause: error });
    for (const { reject } of this.#waiting) reject(this.#failure);
    this.#waiting = [];
  }
}
