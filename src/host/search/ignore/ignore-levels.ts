/**
 * The ignore files that hold for a directory: a chain from the directory upwards, asked in ripgrep's order. `.rgignore` and
 * `.ignore` anywhere above come before `.gitignore`, which comes before `.git/info/exclude`; git's files end at the root
 * of their repository. Outside a repository `.gitignore` counts all the same, and nested repositories are nothing special.
 */
import { joinBytes, parentOf, relativeTo } from "../byte-path.ts";
import { findRepository, kindOf } from "./git-repository.ts";
import { readIgnoreFile } from "./ignore-file.ts";
import { lastMatch, type RuleSet } from "./ignore-rules.ts";

export interface Level {
  readonly directory: string;
  readonly own: RuleSet | undefined;
  readonly plain: RuleSet | undefined;
  readonly git: RuleSet | undefined;
  readonly exclude: RuleSet | undefined;
  /** Git's files above this level do not count below it. */
  readonly repositoryRoot: boolean;
  readonly parent: Level | undefined;
}

/** What of a directory's entries matters here. */
export interface IgnoreNames {
  readonly has: (name: string) => boolean;
}

export class IgnoreLevels {
  readonly inRepository: boolean;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.inRepository = findRepository(root) !== undefined;
  }

  /** The level above the searched directory. */
  above(): Level | undefined {
    const directories: string[] = [];
    for (let at = parentOf(this.#root); at !== undefined; at = parentOf(at)) directories.push(at);
    let level: Level | undefined;
    for (const directory of directories.reverse()) {
      level = this.enter(directory, { has: (name) => kindOf(joinBytes(directory, name)) !== undefined }, level);
    }
    return level;
  }

  /** The level of a directory whose entries are known; the one above where it adds nothing. */
  enter(directory: string, names: IgnoreNames, parent: Level | undefined): Level | undefined {
    const read = (name: string): RuleSet | undefined =>
      names.has(name) ? readIgnoreFile(joinBytes(directory, name), { dialect: "ripgrep" }) : undefined;
    const own = read(".rgignore");
    const plain = read(".ignore");
    const git = read(".gitignore");
    const hasGit = names.has(".git");
    const exclude = hasGit ? this.#exclude(directory) : undefined;
    const repositoryRoot = hasGit && this.inRepository;
    if (own === undefined && plain === undefined && git === undefined && exclude === undefined && !repositoryRoot) return parent;
    return { directory, own, plain, git, exclude, repositoryRoot, parent };
  }

  #exclude(directory: string): RuleSet | undefined {
    const common = this.inRepository ? findRepository(directory)?.commonDirectory : undefined;
    return readIgnoreFile(joinBytes(common ?? joinBytes(directory, ".git"), "info/exclude"), { dialect: "ripgrep" });
  }
}

export function isIgnored(level: Level, path: string, name: string, isDirectory: boolean): boolean {
  let plain: boolean | undefined;
  let git: boolean | undefined;
  let exclude: boolean | undefined;
  let pastRepository = false;
  for (let at: Level | undefined = level; at !== undefined; at = at.parent) {
    const relative = relativeTo(at.directory, path);
    const own = verdict(at.own, relative, name, isDirectory);
    if (own !== undefined) return own;
    plain ??= verdict(at.plain, relative, name, isDirectory);
    if (!pastRepository) {
      git ??= verdict(at.git, relative, name, isDirectory);
      exclude ??= verdict(at.exclude, relative, name, isDirectory);
      pastRepository = at.repositoryRoot;
    }
  }
  return plain ?? git ?? exclude ?? false;
}

function verdict(rules: RuleSet | undefined, path: string, name: string, isDirectory: boolean): boolean | undefined {
  if (rules === undefined) return undefined;
  const rule = lastMatch(rules, path, name, isDirectory);
  return rule === undefined ? undefined : !rule.negated;
}
