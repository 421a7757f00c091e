/** Programs that search file contents and names. Options that start a program or read a list of options are left out. */
import { environmentSteers } from "../environment.ts";
import { type Field, mayBeOption } from "../field.ts";
import { anyDepth, type Judge } from "../judge.ts";
import type { Call, Program } from "../machine.ts";
import type { GivenOptions, ParsedOptions } from "../options.ts";
import { isStandardInput, program } from "../program.ts";
import { find } from "./find.ts";
import { xargs } from "./xargs.ts";

/** With nothing but these the lines it prints are lines it got, whole and without a prefix. */
const passing = new Set(
  "E F G P i v w x e f s m h extended-regexp fixed-strings perl-regexp basic-regexp ignore-case invert-match word-regexp line-regexp regexp file max-count no-filename no-messages".split(
    " ",
  ),
);

/** Pattern first unless an option gave it, then files. */
function patternThenFiles(recursive: readonly string[], alwaysRecursive: boolean, following: readonly string[]) {
  return (operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void => {
    const { options } = parsed;
    if (options.has("version") || options.has("help") || options.has("V") || options.has("type-list")) return;
    const given = options.has("e") || options.has("regexp") || options.has("f") || options.has("file") || options.has("files");
    const files = given ? operands : operands.slice(1);
    if (!given && operands[0]?.many === true) judge.fail("a pattern of names stands where the search pattern should be");
    const tree = alwaysRecursive || recursive.some((name) => options.has(name));
    // Links in the tree lead anywhere, and only the names in it can be looked at beforehand.
    if (following.some((name) => options.has(name))) judge.fail("follows links, which may lead out of the directory");
    const depth = options.has("R") || options.has("dereference-recursive") ? anyDepth : 0;
    const opens = options.has("files") ? [] : included(options);
    for (const field of files) {
      // A file may be called `-r`.
      const mayRecurse = field.kind === "glob" && mayBeOption(field) && !/\.\w+$/.test(field.text);
      if (!isStandardInput(field)) judge.read(field, tree || mayRecurse, depth, mayRecurse ? undefined : opens);
    }
    if (files.length === 0 && tree) judge.readHere(true, depth, opens);
    if (files.length === 0 && !tree && options.every((name) => passing.has(name))) judge.names = judge.upstream;
    // Of standard input the "name" is whatever `--label` says.
    const named = files.length > 0 || tree;
    if (named && (options.has("l") || options.has("files-with-matches") || options.has("files")))
      printsNames(files, judge, { nul: options.has("Z") || options.has("null") || options.has("0"), walked: depth === 0 });
  };
}

/** The names that `grep --include` lets through, where those are all. */
function included(options: GivenOptions): readonly string[] | undefined {
  const patterns = options.all("include");
  const isKnown = patterns.length > 0 && patterns.every(({ kind, text }) => kind === "text" && /^[\w.*?-]+$/.test(text));
  return isKnown ? patterns.map(({ text }) => text) : undefined;
}

/** Names found below the given places. */
function printsNames(files: readonly Field[], judge: Judge, { nul, walked }: { readonly nul: boolean; readonly walked: boolean }): void {
  const roots = files.length === 0 ? ["."] : files.map((field) => (field.kind === "text" ? field.text : "."));
  judge.names = {
    nul,
    fields: roots.map((root) => ({ kind: "glob", text: files.length === 0 ? "**" : `${root}/**`, many: true, shown: root, walked })),
  };
}

const plainGrep = program({
  // `-d recurse` is `-r`, and may be abbreviated.
  operands: patternThenFiles(["r", "R", "recursive", "dereference-recursive", "d", "directories"], false, []),
  short: "abcEFGHhiILlnoPqRrsTUuvVwxyzZe:f<m:A:B:C:D:d:",
  long: "extended-regexp fixed-strings basic-regexp perl-regexp regexp: file< ignore-case no-ignore-case word-regexp line-regexp null-data no-messages invert-match max-count: byte-offset line-number line-buffered with-filename no-filename label: only-matching quiet silent binary-files: text directories: devices: recursive dereference-recursive include* exclude: exclude-from< exclude-dir: files-without-match files-with-matches count initial-tab null before-context: after-context: context: group-separator: no-group-separator color? colour? binary unix-byte-offsets",
  digits: true,
  harmless: true,
});

const rgLong =
  "regexp: file< after-context: before-context: context: auto-hybrid-regex no-auto-hybrid-regex binary no-binary block-buffered byte-offset case-sensitive color: colors: column no-column context-separator: count count-matches crlf no-crlf debug trace dfa-size-limit: encoding: engine: field-context-separator: field-match-separator: files files-with-matches files-without-match fixed-strings no-fixed-strings follow no-follow glob* iglob* glob-case-insensitive heading no-heading hidden no-hidden ignore-case ignore-file< include-zero invert-match json line-buffered line-number no-line-number line-regexp max-columns: max-columns-preview max-count: max-depth: maxdepth: max-filesize: mmap no-mmap multiline no-multiline multiline-dotall no-config no-ignore no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global no-ignore-messages no-ignore-parent no-ignore-vcs no-messages no-require-git no-unicode null null-data one-file-system only-matching passthru passthrough path-separator: pcre2 pcre2-version pretty quiet regex-size-limit: replace: smart-case sort: sortr: stats stop-on-nonmatch text threads: trim no-trim type: type-not: type-add: type-clear: type-list unrestricted vimgrep with-filename no-filename word-regexp";

const ripgrep = program({
  operands: patternThenFiles([], true, ["L", "follow"]),
  short: "A:B:C:ce:E:f<Fg*hHiIj:lLm:M:nNoPpqr:sSt:T:uUVvwx.0ad:",
  long: rgLong,
});

function configured(inner: Program, names: RegExp): Program {
  return {
    handle(call: Call) {
      const name = environmentSteers(call.judge.world.env, names);
      if (name !== undefined) call.judge.fail(`${name} configures it`);
      inner.handle?.(call);
    },
  };
}

const grep = configured(plainGrep, /^GREP_OPTIONS$/);

export const searchers: Readonly<Record<string, Program>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  rg: configured(ripgrep, /^RIPGREP_/),
  ag: program({
    operands: patternThenFiles([], true, ["f"]),
    short: "aA:B:C:cDfFgG:HhiilLm:noQp<qrsStuUvwW:z0",
    long: "ackmate after? before? context? column count nocolor nobreak nogroup nofilename noheading nonumbers filename heading numbers hidden ignore: ignore-dir: ignore-case smart-case case-sensitive literal fixed-strings files-with-matches files-without-matches only-matching depth: file-search-regex: max-count: word-regexp invert-match stats silent vimgrep width:",
  }),
  fd: program({ operands: fdOperands, short: "HIgisalt:e:E:d:S:FpL0uj:c:1q", long: fdLong() }),
  fdfind: program({ operands: fdOperands, short: "HIgisalt:e:E:d:S:FpL0uj:c:1q", long: fdLong() }),
  find: { handle: find },
  gfind: { handle: find },
  xargs: { handle: xargs },
  gxargs: { handle: xargs },
  which: program({ operands: "text", short: "as", harmless: true }),
  whereis: program({ operands: "text", short: "bmsu", harmless: true }),
};

function fdOperands(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  const places = operands.slice(1);
  const depth = parsed.options.has("L") || parsed.options.has("follow") ? anyDepth : 0;
  for (const field of places) judge.list(field, true, depth);
  if (places.length === 0) judge.listHere(true, depth);
  const pattern = operands[0];
  if (pattern?.kind === "text") judge.readNamed(pattern.text);
  judge.names = {
    nul: parsed.options.has("0") || parsed.options.has("print0"),
    fields: [{ kind: "glob", text: "*", many: true, shown: "*", walked: depth === 0 }],
  };
}

function fdLong(): string {
  return "hidden no-ignore no-ignore-vcs no-ignore-parent glob regex fixed-strings case-sensitive ignore-case absolute-path list-details follow full-path print0 max-depth: min-depth: exact-depth: exclude: type: extension: size: changed-within: changed-before: newer: older: color: threads: max-results: quiet strip-cwd-prefix unrestricted one-file-system format:";
}
