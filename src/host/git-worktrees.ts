/**
 * Git worktrees for agents: made on a branch of their own, committed and put away at the end. Runs git only with hooks, signing
 * and file watchers off, because what an agent left in a worktree must not start anything here.
 */
import { mkdir, realpath, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ToolFailure } from "../contract/index.ts";
import { outputOf } from "./spawn.ts";

const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"];
const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 120_000;

interface HostWorktree {
  readonly branch: string;
  readonly repository: string;
  readonly root: string;
  readonly workspace: string;
}

/** Worktrees of one engine lie in `folder`, one at a time is made or put away. */
export function createWorktrees(folder: string) {
  let last: Promise<unknown> = Promise.resolve();
  const oneAtATime = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
  return {
    create: (workspace: string, branch: string) => oneAtATime(() => create(folder, workspace, branch)),
    finish: (worktree: HostWorktree, message: string) => oneAtATime(() => finish(folder, worktree, message)),
  };
}

async function create(folder: string, workspace: string, branch: string): Promise<HostWorktree> {
  const repository = await git(workspace, ["rev-parse", "--show-toplevel"]).catch(() => undefined);
  if (
    repository === undefined ||
    (await git(workspace, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).catch(() => undefined)) === undefined
  ) {
    throw refused(
      "no_repository",
      `${workspace} is in no git repository with a commit, so there can be no worktree.`,
      "Use mode sync, or commit something first.",
    );
  }
  if ((await git(workspace, ["check-ref-format", "--branch", branch]).catch(() => undefined)) === undefined || branch.startsWith("-"))
    throw refused("bad_branch", `'${branch}' is no name of a branch.`, "Choose another branch_name, or leave it out.");
  if ((await git(workspace, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]).catch(() => undefined)) !== undefined)
    throw refused("branch_exists", `There is a branch '${branch}' already.`, "Choose another branch_name, or leave it out.");
  const prefix = await git(workspace, ["rev-parse", "--show-prefix"]);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const root = join(await realpath(folder), `${basename(repository)}-${branch.replace(/[^\w.-]+/g, "-")}-${process.pid}`);
  await git(repository, ["worktree", "add", "--quiet", "-b", branch, root, "HEAD"]).catch((error: Error) => {
    throw refused("not_made", `The worktree could not be made: ${error.message}`, "Use mode sync.");
  });
  const inside = join(root, prefix);
  await mkdir(inside, { recursive: true });
  return { branch, repository, root, workspace: inside.replace(/\/+$/, "") };
}

async function finish(
  folder: string,
  { branch, repository, root }: HostWorktree,
  message: string,
): Promise<{ readonly changed: readonly string[] }> {
  const base = await git(root, ["merge-base", "HEAD", `refs/heads/${branch}`]).catch(() => "HEAD");
  const began = await beginningOf(repository, branch, base);
  await git(root, ["add", "--all"]);
  if ((await git(root, ["status", "--porcelain"])) !== "") await commit(root, message);
  const names = await git(root, ["diff", "--name-only", "-z", began, "HEAD"]);
  const changed = names.split("\0").filter((name) => name !== "");
  await git(repository, ["worktree", "remove", "--force", root]).catch(async () => {
    await rm(root, { recursive: true, force: true });
    await git(repository, ["worktree", "prune"]);
  });
  if (changed.length === 0) await git(repository, ["branch", "-D", "--quiet", branch]);
  // Gone with the last worktree in it.
  await rmdir(folder).catch(() => {});
  return { changed };
}

/** The commit that the branch was made from, as its own log says. */
async function beginningOf(repository: string, branch: string, otherwise: string): Promise<string> {
  const log = await git(repository, ["reflog", "show", "--format=%H", `refs/heads/${branch}`]).catch(() => "");
  return (
    log
      .split("\n")
      .filter((line) => line !== "")
      .at(-1) ?? otherwise
  );
}

async function commit(root: string, message: string): Promise<void> {
  const known = await git(root, ["config", "user.email"]).catch(() => "");
  const who = known === "" ? ["-c", "user.name=Karyi", "-c", "user.email=karyi@localhost"] : [];
  await git(root, ["commit", "--quiet", "--no-verify", "-m", message], who);
}

async function git(directory: string, args: readonly string[], more: readonly string[] = []): Promise<string> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };
  for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]) delete (env as Record<string, string | undefined>)[name];
  const stdout = await outputOf("git", [...quiet, ...more, ...args], { cwd: directory, env, maxBytes, timeoutMs });
  return stdout.toString("utf8").replace(/\n$/, "");
}

function refused(reason: string, message: string, hint: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", message, { hint, details: { reason } });
}

/** Where worktrees of a home lie: beside it, because what is in the home does not exist for tools. */
export function worktreeFolder(home: string): string {
  return join(dirname(home), `${basename(home)}-worktrees`);
}
