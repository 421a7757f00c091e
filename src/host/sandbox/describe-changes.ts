/**
 * A change set for people: one line a path, what could act later by itself first (git hooks, package scripts, CI, shell startup),
 * git's own files last; text with its diff, within bounds.
 */
import { readFileSync } from "node:fs";
import type { FileChange } from "../../contract/index.ts";
import { systemPath } from "../files/byte-name.ts";
import { look, pathIn } from "./exact-names.ts";
import type { Operation, RootChanges } from "./operations.ts";
import { makeReadable } from "./read-upper.ts";

/** Unified diff of two texts; nothing where what they hold is not to be shown. */
/** `path` is the one inside its root. A side that is absent is a file that does not exist. */
export type MakeDiff = (path: string, before: string | undefined, after: string | undefined) => string | undefined;

const maxDiffedFiles = 200;
const maxTextBytes = 256 * 1024;
const maxDiffBytes = 2 << 20;

/** What is run later by a program that was not asked to: by git, a package manager, a build, an editor, a shell. */
const risky =
  /(^|\/)(\.git\/(hooks\/(?!.*\.sample$)|config$|info\/attributes$|modules\/)|\.gitmodules$|\.gitattributes$|\.husky\/|\.pre-commit-config\.ya?ml$|lefthook\.ya?ml$|package\.json$|\.npmrc$|\.yarnrc(\.yml)?$|\.pnpmfile\.cjs$|setup\.py$|pyproject\.toml$|conftest\.py$|sitecustomize\.py$|Makefile$|makefile$|GNUmakefile$|build\.rs$|\.cargo\/config(\.toml)?$|\.github\/|\.gitlab-ci\.yml$|\.circleci\/|\.travis\.yml$|Jenkinsfile$|azure-pipelines\.yml$|\.envrc$|\.env(\.|$)|\.(bashrc|bash_profile|bash_login|profile|zshrc|zshenv|zprofile|inputrc)$|\.vscode\/|\.idea\/|\.devcontainer\/|\.mcp\.json$|\.karyi\/|\.claude\/|AGENTS\.md$|CLAUDE\.md$)/;

const isRisky = (path: string): boolean => risky.test(path);

/** `within`: the path in its root, for a workspace may itself lie in a directory with such a name. */
export function withRisk(change: FileChange, within: string): FileChange {
  return isRisky(within) ? { ...change, risky: true } : change;
}

export function describeChanges(roots: readonly RootChanges[], makeDiff?: MakeDiff): readonly FileChange[] {
  const tied = new Set(roots.flatMap(({ root, operations }) => operations.flatMap((one) => tiedTo(root, one))));
  const ordered = roots
    .flatMap((changes) =>
      merged(changes).map((operation) => ({
        changes,
        operation,
        path: pathIn(changes.root, operation.path),
        rank: rankOf(operation.path),
      })),
    )
    .sort((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1));
  let diffs = 0;
  let bytes = 0;
  return ordered.map(({ changes, operation, path, rank }) => {
    const change = withRisk(changeOf(operation, path, tied), operation.path);
    if (makeDiff === undefined || rank === 2 || diffs >= maxDiffedFiles || bytes >= maxDiffBytes) return change;
    const diff = diffOf(changes, operation, makeDiff);
    if (diff === undefined) return change;
    diffs += 1;
    bytes += diff.length;
    return { ...change, diff };
  });
}

/** A path that is removed and made anew is one change; touches are none. */
function merged({ operations }: RootChanges): readonly Operation[] {
  const byPath = new Map<string, Operation>();
  for (const operation of operations) {
    if (operation.kind === "times") continue;
    const before = byPath.get(operation.path);
    const seen = before?.seen ?? operation.seen;
    byPath.set(operation.path, seen === undefined ? operation : { ...operation, seen });
  }
  return [...byPath.values()];
}

function rankOf(path: string): number {
  if (isRisky(path)) return 0;
  return /(^|\/)\.git\//.test(path) ? 2 : 1;
}

/** What a command ties anew it did not leave behind. */
function tiedTo(root: string, operation: Operation): readonly string[] {
  return operation.kind === "file" && operation.linkTo !== undefined ? [pathIn(root, operation.linkTo), pathIn(root, operation.path)] : [];
}

function changeOf(operation: Operation, path: string, tied: ReadonlySet<string>): FileChange {
  const { kind, seen } = operation;
  const before = seen !== undefined && isFileMode(seen.mode) ? { beforeSize: seen.size } : {};
  if (kind === "remove" || kind === "rmdir") return { path, change: "deleted", ...before };
  if (kind === "link") return { path, change: "link", ...before };
  if (kind === "mode") return { path, change: "mode" };
  if (kind === "file") {
    const created = seen === undefined;
    const isName = operation.linkTo !== undefined && created;
    const parted = !created && isFileMode(seen.mode) && seen.nlink > 1 && !tied.has(path) ? { parted: true as const } : {};
    return { path, change: isName ? "link" : created ? "created" : "modified", ...before, afterSize: operation.size, ...parted };
  }
  return { path, change: seen === undefined ? "created" : "modified", ...before };
}

function diffOf({ root, upper }: RootChanges, { path, kind, seen }: Operation, makeDiff: MakeDiff): string | undefined {
  if (kind !== "file" && kind !== "remove") return undefined;
  const wasFile = seen !== undefined && isFileMode(seen.mode);
  const before = wasFile ? textOf(pathIn(root, path)) : undefined;
  const after = kind === "file" ? textOf(pathIn(upper, path), true) : undefined;
  const isShown = (!wasFile || before !== undefined) && (kind === "remove" || after !== undefined);
  return isShown && (before ?? "") !== (after ?? "") ? makeDiff(path, before, after) : undefined;
}

function textOf(path: string, own = false): string | undefined {
  try {
    const stats = look(path);
    if (!stats?.isFile() || stats.size > maxTextBytes) return undefined;
    if (own) makeReadable(path, stats.mode);
    const bytes = readFileSync(systemPath(path));
    if (bytes.includes(0)) return undefined;
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isFileMode(mode: number): boolean {
  return (mode & 0o170000) === 0o100000;
}
