/** Git's read-only subcommands as data: their harmless options, what their operands are, and which configuration they obey. */
import { type Field, textField } from "../field.ts";
import type { Judge } from "../judge.ts";
import type { OptionSpec, ParsedOptions } from "../options.ts";
import { type GitContents, placesAmong } from "./git-contents.ts";

export type GitRisk = "fsmonitor" | "filter" | "external" | "textconv" | "signature" | "pager" | "fetch";

export interface GitCommand extends OptionSpec {
  /** When it shows contents of tracked files that nobody named; never, where it says nothing. */
  readonly shows?: GitContents;
  /** With no other options than these it prints names of commits. */
  readonly revisions?: ReadonlySet<string>;
  /** A verb among its operands counts only as the very first argument; behind an option it means something else. */
  readonly verbFirst?: boolean;
  readonly risks: readonly GitRisk[];
  readonly operands: (operands: readonly Field[], judge: Judge, parsed: ParsedOptions) => void;
}

export const networkCommands: ReadonlySet<string> = new Set(
  "clone fetch pull push ls-remote remote-update submodule archive send-email request-pull fetch-pack send-pack svn p4 lfs".split(" "),
);

/** Revisions or paths; what could be a path is read as one, `HEAD:.env` too. */
export function revisionsAndPaths(operands: readonly Field[], judge: Judge): void {
  for (const field of operands) revisionOrPath(field, judge);
}

/** Surely no file of interest. */
const revision = /^\^?(?:HEAD|FETCH_HEAD|ORIG_HEAD|MERGE_HEAD|@|[0-9a-f]{7,40})(?:[~^@{][\w~^@{}-]*)?$/;

function revisionOrPath(field: Field, judge: Judge, tree = false): void {
  if (field.kind !== "text") {
    judge.read(field, true);
    return;
  }
  const text = field.text;
  const magic = /^:(?:\(([^)]*)\)|([!^/]+))(.*)$/s.exec(text);
  if (magic !== null || text === "") {
    const leavesOut = magic === null || /exclude|[!^]/.test(`${magic[1] ?? ""}${magic[2] ?? ""}`);
    if (!leavesOut && magic?.[3] !== undefined && magic[3] !== "") revisionOrPath(textField(magic[3]), judge);
    return;
  }
  const colon = colonOutsideBraces(text);
  if (colon >= 0) {
    const path = text.slice(colon + 1).replace(/^\d:/, "");
    if (path.startsWith("./") || path.startsWith("../")) judge.read(textField(path));
    else if (path !== "") judge.readPath(`${judge.world.workspace}/${path}`, false);
    return;
  }
  if (revision.test(text)) return;
  judge.read(field, tree);
  if (/[*?[]/.test(text)) judge.readNamed(text);
}

/** `HEAD^{/fix: it}:file` and `main@{10:00}:file` hold colons that part nothing. */
function colonOutsideBraces(text: string): number {
  return text.replaceAll(/\{[^}]*\}/g, (braces) => "_".repeat(braces.length)).indexOf(":");
}

/** `-L 1,10:file` and `-L :name:file` show how those lines came about. */
function logOperands(operands: readonly Field[], judge: Judge, { options }: ParsedOptions): void {
  revisionsAndPaths(operands, judge);
  for (const { kind, text } of options.all("L")) {
    const path = kind === "text" ? /:([^:]+)$/.exec(text)?.[1] : undefined;
    if (path === undefined) judge.fail("lines of a file that is only known when it runs");
    else judge.read(textField(path));
  }
}

/** Without an index, and outside a repository even unasked, it compares two directories with all that lies in them. */
function diffOperands(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  const tree = operands.length === 2 || parsed.options.has("no-index");
  for (const field of operands) revisionOrPath(field, judge, tree);
}

function nothing(operands: readonly Field[], judge: Judge): void {
  if (operands.length > 0) judge.fail("takes no operands here");
}

function names(operands: readonly Field[], judge: Judge): void {
  if (operands.some((field) => field.kind === "words")) judge.fail("operands that are only known when it runs");
}

/** Only lists where an option says so; otherwise an operand creates something. */
function listingOnly(...switches: readonly string[]): GitCommand["operands"] {
  return (operands, judge, parsed) => {
    if (operands.length > 0 && !switches.some((name) => parsed.options.has(name))) judge.fail("creates or changes what its operand names");
  };
}

/** The first operand is a verb; only some of them read. */
function verbs(allowed: RegExp, byDefault: boolean): GitCommand["operands"] {
  return (operands, judge) => {
    const verb = operands[0];
    if (verb === undefined ? !byDefault : verb.kind !== "text" || !allowed.test(verb.text)) judge.fail("is not known to be read-only");
  };
}

const diffLong =
  "patch no-patch unified? raw patch-with-raw indent-heuristic no-indent-heuristic minimal patience histogram anchored: diff-algorithm: stat? compact-summary numstat shortstat dirstat? cumulative summary patch-with-stat name-only name-status submodule color? no-color color-moved? no-color-moved color-moved-ws: word-diff? word-diff-regex: color-words? no-renames rename-empty no-rename-empty check ws-error-highlight: full-index binary abbrev? break-rewrites? find-renames? find-copies? find-copies-harder irreversible-delete diff-filter: pickaxe-all pickaxe-regex skip-to: rotate-to: relative? no-relative text ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines: inter-hunk-context: function-context exit-code quiet no-ext-diff no-textconv ignore-submodules? src-prefix: dst-prefix: no-prefix default-prefix line-prefix: ita-invisible-in-index cached staged merge-base no-index";
const logLong =
  "oneline graph decorate? no-decorate decorate-refs: decorate-refs-exclude: source pretty? format: abbrev-commit no-abbrev-commit encoding: expand-tabs? no-expand-tabs notes? no-notes show-notes? no-show-signature relative-date date: parents children left-right all branches? tags? remotes? glob: exclude: reflog follow full-diff log-size max-count: skip: since: after: until: before: author: committer: grep-reflog: grep: all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp merges no-merges min-parents: max-parents: first-parent not walk-reflogs cherry-pick cherry-mark cherry left-only right-only boundary simplify-by-decoration full-history dense sparse simplify-merges ancestry-path? date-order author-date-order topo-order reverse no-walk? do-walk no-diff-merges diff-merges: cc combined-all-paths remove-empty use-mailmap no-mailmap mailmap clear-decorations summary numbered email";
const diffShort = "pusU?zwbaRWM?C?B?D?G:S:X?l:";

/** `show` alone lists; with a name it asks that server. */
function remoteOperands(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  verbs(operands.length === 1 ? /^(?:get-url|show)$/ : /^get-url$/, true)(operands, judge, parsed);
}

export const gitCommands: ReadonlyMap<string, GitCommand> = new Map<string, GitCommand>([
  [
    "status",
    {
      shows: "verbose",
      short: "sbvzu?",
      long: "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?",
      risks: ["fsmonitor", "filter", "pager"],
      operands: revisionsAndPaths,
    },
  ],
  [
    "diff",
    {
      shows: "unless-summary",
      short: diffShort,
      long: diffLong,
      digits: true,
      risks: ["fsmonitor", "filter", "external", "textconv", "pager", "fetch"],
      operands: diffOperands,
    },
  ],
  [
    "diff-tree",
    {
      shows: "patch",
      short: `${diffShort}rtmcv`,
      long: `${diffLong} root stdin no-commit-id always`,
      digits: true,
      risks: ["external", "textconv", "fetch"],
      operands: revisionsAndPaths,
    },
  ],
  [
    "diff-index",
    {
      shows: "patch",
      short: `${diffShort}m`,
      long: diffLong,
      digits: true,
      risks: ["external", "textconv", "fetch", "filter"],
      operands: revisionsAndPaths,
    },
  ],
  [
    "diff-files",
    {
      shows: "patch",
      short: `${diffShort}q`,
      long: diffLong,
      digits: true,
      risks: ["external", "textconv", "fetch", "filter"],
      operands: revisionsAndPaths,
    },
  ],
  ["cherry", { short: "v", long: "abbrev?", risks: ["fetch"], operands: names }],
  ["fsck", { long: "full strict no-dangling connectivity-only unreachable verbose no-progress", risks: ["fetch"], operands: nothing }],
  ["notes", { risks: ["fetch"], verbFirst: true, operands: verbs(/^list$/, true) }],
  ["sparse-checkout", { risks: [], verbFirst: true, operands: verbs(/^list$/, false) }],
  ["help", { risks: [], operands: nothing }],
  [
    "log",
    {
      shows: "patch",
      short: `${diffShort}n:giEFPm0cL:`,
      long: `${diffLong} ${logLong}`,
      digits: true,
      risks: ["textconv", "external", "signature", "pager", "fetch"],
      revisions: new Set(
        "format pretty n max-count skip since after until before author grep first-parent no-merges merges reverse".split(" "),
      ),
      operands: logOperands,
    },
  ],
  [
    "show",
    {
      shows: "object",
      short: `${diffShort}n:giEFPmc`,
      long: `${diffLong} ${logLong}`,
      digits: true,
      risks: ["textconv", "external", "signature", "pager", "fetch"],
      operands: revisionsAndPaths,
    },
  ],
  [
    "whatchanged",
    {
      shows: "patch",
      short: `${diffShort}n:`,
      long: `${diffLong} ${logLong}`,
      digits: true,
      risks: ["textconv", "external", "signature", "pager", "fetch"],
      operands: revisionsAndPaths,
    },
  ],
  [
    "shortlog",
    { short: "nsew?c", long: `${logLong} summary group:`, digits: true, risks: ["pager", "fetch"], operands: revisionsAndPaths },
  ],
  [
    "reflog",
    {
      shows: "patch",
      short: "n:",
      long: logLong,
      digits: true,
      risks: ["signature", "pager", "fetch"],
      verbFirst: true,
      operands: verbs(/^(?:show|exists|HEAD|[\w./-]+@\{[\w. -]+\})$/, true),
    },
  ],
  [
    "rev-parse",
    {
      long: "show-toplevel show-prefix show-cdup show-superproject-working-tree git-dir git-common-dir absolute-git-dir is-inside-git-dir is-inside-work-tree is-bare-repository is-shallow-repository abbrev-ref? symbolic symbolic-full-name short? verify quiet all branches? tags? remotes? sq not revs-only no-revs flags no-flags default: local-env-vars shared-index-path path-format: show-object-format?",
      short: "q",
      risks: [],
      revisions: new Set(["short", "verify", "q", "quiet"]),
      operands: names,
    },
  ],
  [
    "rev-list",
    {
      short: "n:",
      long: `${logLong} count objects header timestamp disk-usage?`,
      digits: true,
      risks: ["signature", "fetch"],
      revisions: new Set("n max-count skip since after until before author grep all first-parent merges no-merges reverse".split(" ")),
      operands: revisionsAndPaths,
    },
  ],
  [
    "merge-base",
    {
      short: "a",
      long: "all octopus independent is-ancestor fork-point",
      risks: ["fetch"],
      revisions: new Set(["a", "all", "octopus", "independent", "fork-point"]),
      operands: names,
    },
  ],
  ["name-rev", { long: "tags refs: exclude: all name-only no-undefined always", risks: ["fetch"], operands: names }],
  [
    "describe",
    {
      long: "all tags contains abbrev? candidates: exact-match long match: exclude: always first-parent dirty? broken?",
      risks: ["fetch", "fsmonitor", "filter"],
      operands: names,
    },
  ],
  [
    "ls-files",
    {
      short: "cdmostizukvfx:X<",
      long: "cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol deduplicate exclude: exclude-from< exclude-per-directory: exclude-standard error-unmatch with-tree: full-name abbrev? debug format:",
      risks: ["fsmonitor", "filter"],
      operands: trackedNames,
    },
  ],
  [
    "ls-tree",
    {
      short: "drtlz",
      long: "long name-only name-status object-only full-name full-tree abbrev? format:",
      risks: ["fetch"],
      operands: revisionsAndPaths,
    },
  ],
  [
    "cat-file",
    { shows: "unless-facts", short: "tsep", long: "batch-check? allow-unknown-type", risks: ["fetch"], operands: revisionsAndPaths },
  ],
  [
    "blame",
    {
      shows: "named",
      short: "wlstfneL:M?C?p",
      long: "root show-stats line-porcelain porcelain incremental encoding: date: color-lines color-by-age score-debug show-name show-number show-email abbrev? since: first-parent minimal no-textconv",
      risks: ["filter", "textconv", "fsmonitor", "pager", "fetch"],
      operands: revisionsAndPaths,
    },
  ],
  [
    "grep",
    {
      shows: "named",
      short: "aIinwvhHEGFPlLcozqpWe:f<A:B:C:m:r",
      long: "cached untracked no-index no-exclude-standard exclude-standard text ignore-case recursive no-recursive max-depth: word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match null only-matching count color? no-color break heading show-function context: after-context: before-context: function-context max-count: threads: and or not all-match quiet no-textconv",
      digits: true,
      risks: ["fsmonitor", "filter", "pager", "fetch"],
      operands: grepOperands,
    },
  ],
  [
    "branch",
    {
      short: "arvlqi",
      long: "list all remotes verbose abbrev? no-abbrev show-current contains? no-contains? merged? no-merged? sort: points-at: format: color? no-color column? no-column ignore-case",
      risks: ["pager", "fetch"],
      operands: listingOnly("l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"),
    },
  ],
  [
    "tag",
    {
      short: "ln?i",
      long: "list contains? no-contains? merged? no-merged? sort: points-at: format: color? column? no-column ignore-case",
      risks: ["pager", "fetch", "signature"],
      operands: listingOnly("l", "list", "n", "contains", "no-contains", "merged", "no-merged", "points-at"),
    },
  ],
  ["remote", { short: "v", long: "verbose all push", risks: [], verbFirst: true, operands: remoteOperands }],
  [
    "stash",
    {
      shows: "stash",
      short: `${diffShort}`,
      long: `${diffLong} ${logLong}`,
      risks: ["textconv", "external", "signature", "pager", "fetch"],
      verbFirst: true,
      operands: verbs(/^(?:list|show)$/, false),
    },
  ],
  ["worktree", { short: "v", long: "porcelain verbose", risks: [], verbFirst: true, operands: verbs(/^list$/, false) }],
  [
    "config",
    { short: "z", long: "get get-all local global null show-origin show-scope type: bool int", risks: [], operands: configOperands },
  ],
  ["show-ref", { short: "sqd", long: "head tags heads branches hash? abbrev? quiet verify dereference", risks: [], operands: names }],
  [
    "for-each-ref",
    {
      long: "count: sort: points-at: format: color? merged? no-merged? contains? no-contains? ignore-case",
      risks: ["fetch"],
      operands: names,
    },
  ],
  [
    "symbolic-ref",
    {
      short: "q",
      long: "short quiet",
      risks: [],
      operands: (operands, judge) => (operands.length > 1 ? judge.fail("changes a reference") : undefined),
    },
  ],
  ["count-objects", { short: "vH", long: "verbose human-readable", risks: [], operands: nothing }],
  ["check-ignore", { short: "qvzn", long: "quiet verbose non-matching no-index", risks: ["fsmonitor"], operands: names }],
  ["check-attr", { short: "az", long: "all cached", risks: ["fsmonitor"], operands: names }],
  ["version", { long: "build-options", risks: [], operands: nothing }],
]);

function trackedNames(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  for (const field of operands) judge.list(field, true);
  const patterns = operands.filter(({ kind, text }) => kind === "text" && /^[\w.*/-]*\*[\w.*-]*\.\w+$/.test(text));
  const narrowed = patterns.length > 0 && patterns.length === operands.length;
  const texts = narrowed ? patterns.map(({ text }) => (text.startsWith("*") ? `**/${text}` : text.replace("*", "**/*"))) : ["**"];
  const fields = texts.map((text): Field => ({ kind: "glob", text, many: true, shown: text, walked: true }));
  judge.names = { nul: parsed.options.has("z"), fields };
}

function grepOperands(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  const given = parsed.options.has("e") || parsed.options.has("f");
  const rest = given || operands.length === parsed.afterDashes ? operands : operands.slice(1);
  // These reach what lies beside the tracked files.
  if (["no-index", "untracked", "no-exclude-standard"].some((name) => parsed.options.has(name))) {
    for (const field of rest) judge.read(field, true);
    if (rest.length === 0) judge.readHere(true);
  } else {
    revisionsAndPaths(rest, judge);
    judge.readTracked(placesAmong(rest, parsed.afterDashes));
  }
}

/** Configuration may hold tokens in addresses and headers; names of people and branches do not. */
function configOperands(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  const key = operands[0];
  const reads = parsed.options.has("get") || parsed.options.has("get-all") || operands.length === 1;
  const verb = key?.kind === "text" && key.text === "get" && operands.length === 2 ? operands[1] : key;
  const isGet = verb !== key;
  if (
    (!reads && !isGet) ||
    (operands.length !== 1 && !isGet) ||
    verb?.kind !== "text" ||
    !/^(?:user\.(?:name|email)|core\.(?:autocrlf|eol|bare|filemode|ignorecase|editor)|init\.defaultbranch|branch\.[\w./-]+\.(?:remote|merge)|pull\.rebase|push\.default)$/i.test(
      verb.text,
    )
  ) {
    judge.fail("shows or changes configuration, which may hold secrets");
  }
}
