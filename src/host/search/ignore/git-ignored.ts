/**
 * What `git check-ignore` says about one path: an excluded directory decides for everything below it, deeper files come before
 * higher ones, then `info/exclude`, then the person's own file, and a tracked path is never ignored.
 * Outside a repository every `.gitignore` from the root of the disk downwards counts.
 */
import type { IgnoreVerdict } from "../../../contract/index.ts";
import { baseName, joinBytes, parentOf, relativeTo, toBytePath, toDisplay } from "../byte-path.ts";
import { isTracked } from "./git-index.ts";
import { findRepository, kindOf, readIgnoreSettings } from "./git-repository.ts";
import { type IgnoreFileOptions, readIgnoreFile } from "./ignore-file.ts";
import { lastMatch, type Rule, type RuleSet } from "./ignore-rules.ts";

interface Source {
  /** The directory its patterns are relative to. */
  readonly base: string;
  readonly file: string;
  readonly rules: RuleSet;
}

interface Decision {
  readonly source: Source;
  readonly rule: Rule;
}

export async function gitIgnored(path: string): Promise<IgnoreVerdict> {
  const trimmed = toBytePath(path).replace(/\/+$/, "");
  const target = trimmed === "" ? "/" : trimmed;
  const parent = parentOf(target);
  if (parent === undefined) return { ignored: false };
  const repository = findRepository(parent);
  const settings = repository === undefined ? undefined : readIgnoreSettings(repository);
  const root = repository?.root ?? "/";
  const options: IgnoreFileOptions = { dialect: "git", fold: settings?.ignoreCase ?? false };

  // Weakest first.
  const sources: Source[] = [];
  const add = (base: string, file: string, followLink: boolean): void => {
    const rules = readIgnoreFile(file, { ...options, followLink });
    if (rules !== undefined) sources.push({ base, file, rules });
  };
  if (repository !== undefined && settings !== undefined) {
    add(root, settings.excludesFile, true);
    add(root, joinBytes(repository.commonDirectory, "info/exclude"), true);
  }
  add(root, joinBytes(root, ".gitignore"), false);

  const decision = decide(target, path.endsWith("/"), root, sources, add);
  if (repository !== undefined && settings !== undefined) {
    const tracked = await isTracked(repository.gitDirectory, relativeTo(root, target));
    if (tracked === true) return { ignored: false, tracked: true };
  }
  if (decision === undefined) return { ignored: false };
  return {
    ignored: !decision.rule.negated,
    rule: { source: toDisplay(decision.source.file), line: decision.rule.line, pattern: toDisplay(decision.rule.pattern) },
  };
}

function decide(
  target: string,
  isDirectory: boolean,
  root: string,
  sources: readonly Source[],
  add: (base: string, file: string, followLink: boolean) => void,
): Decision | undefined {
  const parts = relativeTo(root, target).split("/");
  let at = root;
  for (const part of parts.slice(0, -1)) {
    at = joinBytes(at, part);
    const decision = strongest(sources, at, true);
    if (decision !== undefined && !decision.rule.negated) return decision;
    add(at, joinBytes(at, ".gitignore"), false);
  }
  return strongest(sources, target, isDirectory || kindOf(target) === "directory");
}

function strongest(sources: readonly Source[], path: string, isDirectory: boolean): Decision | undefined {
  for (let i = sources.length - 1; i >= 0; i--) {
    const source = sources[i] as Source;
    const rule = lastMatch(source.rules, relativeTo(source.base, path), baseName(path), isDirectory);
    if (rule !== undefined) return { source, rule };
  }
  return undefined;
}
