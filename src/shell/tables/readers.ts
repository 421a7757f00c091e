/** Programs that print what they read. No option listed here writes a file or starts a program. */
import { environmentSteers } from "../environment.ts";
import { type Field, textField } from "../field.ts";
import { anyDepth, type Judge } from "../judge.ts";
import type { Call, Handler, Program } from "../machine.ts";
import type { ParsedOptions } from "../options.ts";
import { isStandardInput, program } from "../program.ts";

const sums = program({ operands: "read", short: "btz", long: "binary text tag zero", harmless: true });

/** The second operand of these is written. */
function readThenWrite(operands: readonly Field[], judge: Judge): void {
  const [input, output, ...rest] = operands;
  if (rest.length > 0) judge.fail("more operands than it takes");
  if (operands.some((field) => field.many)) judge.fail("a pattern may become a second operand, which is written");
  if (input !== undefined && !isStandardInput(input)) judge.read(input);
  if (output !== undefined && !isStandardInput(output)) judge.write(output, "modify");
}

/** Prints the part of a path that a pattern catches; where it is known, that is known too. */
function printPart(part: RegExp) {
  return ([path, ...others]: readonly Field[], judge: Judge, { options }: ParsedOptions): void => {
    if (path?.kind !== "text" || others.length > 0 || !options.isEmpty) return;
    const found = part.exec(path.text)?.[1];
    if (found !== undefined) judge.printed = [textField(found)];
  };
}

const onlyNames = new Set("1 t r S d U X v".split(" "));

/** Patterns of names, printed one each; of a directory among them the names in it are printed without it. */
function listNames(operands: readonly Field[], judge: Judge, { options }: ParsedOptions): void {
  const tree = options.has("R") || options.has("recursive");
  const depth = tree && (options.has("L") || options.has("dereference")) ? anyDepth : 0;
  for (const field of operands) judge.list(field, tree, depth);
  if (!judge.heard || operands.length === 0 || !options.every((name) => onlyNames.has(name))) return;
  if (operands.every((field) => field.kind === "glob")) judge.names = { nul: false, fields: operands };
}

/** Of standard input alone it prints nothing but numbers. */
function countWords(operands: readonly Field[], judge: Judge, { options }: ParsedOptions): void {
  for (const field of operands) if (!isStandardInput(field)) judge.read(field);
  const one = ["l", "w", "c", "m", "lines", "words", "bytes", "chars"].filter((name) => options.has(name));
  if (operands.length === 0 && one.length === 1) judge.printed = [{ kind: "number", text: "", many: true, shown: "wc" }];
}

const endless = /^\/dev\/(?:u?random|zero)$/;

/** Of a device without end a number of bytes is all that is ever read. */
function readBeginning(operands: readonly Field[], judge: Judge, { options }: ParsedOptions): void {
  const bytes = options.get("c") ?? options.get("bytes");
  const isBounded = bytes?.kind === "text" && /^\d{1,6}$/.test(bytes.text);
  for (const field of operands) if (!isStandardInput(field) && !(isBounded && endless.test(field.text))) judge.read(field);
}

const pagerVariables = /^(?:LESS|MORE)/;
const batVariables = /^BAT_/;

/** Into a pipe a pager only copies; a preprocessor or a start-up command would run code. */
function page(operands: readonly Field[], judge: Judge): void {
  if (judge.world.interactive === true) judge.fail("a pager can start programs");
  if (environmentSteers(judge.world.env, pagerVariables) !== undefined) judge.fail("the environment configures the pager");
  for (const field of operands) {
    if (field.text.startsWith("+")) judge.fail("a pager that starts with a command");
    else if (!isStandardInput(field)) judge.read(field);
  }
}

/** `@list` is replaced by the words of that file, and a pattern may find a file of such a name. */
function readNoLists(operands: readonly Field[], judge: Judge): void {
  for (const field of operands) {
    if (/^(?:\\?@|[*?[])/.test(field.text)) judge.fail("a file that may hold further arguments");
    if (!isStandardInput(field)) judge.read(field);
  }
}

const xxd = program({ operands: readThenWrite, short: "abeuipPEc:g:l:s:o:rd" });

/** Its options have one dash and many letters: `-ps` is one of them and takes no value. */
function dump(call: Call): void {
  if (call.fields.some((field) => field.kind === "text" && /^--?[A-Za-z]{2}/.test(field.text)))
    call.judge.fail("an option of xxd that is not known to be harmless");
  xxd.handle?.(call);
}

function highlight(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  const paging = parsed.options.get("paging");
  if (paging !== undefined && paging.text !== "never" && paging.text !== "auto") judge.fail("starts a pager");
  if (judge.world.interactive === true && paging?.text !== "never") judge.fail("starts a pager");
  if (environmentSteers(judge.world.env, batVariables) !== undefined) judge.fail("the environment configures it");
  for (const field of operands) if (!isStandardInput(field)) judge.read(field);
}

const treeTable = program({
  operands: "tree",
  following: ["l"],
  here: true,
  short: "adfilxL:P:I:NqQpugshDFtcUrvCnASJXo>",
  long: "filelimit: si du timefmt: inodes device noreport charset: dirsfirst filesfirst sort? gitignore matchdirs ignore-case prune hintro< houtro< metafirst info",
});

/** Each of its letters that take a value takes a word of its own for it, also in the middle of a cluster. */
const tree: Handler = (call) => {
  const isMixed = ({ kind, text }: Field): boolean => kind === "text" && /^-[^-]*[LPIo]./.test(text) && !/^-\w*L\d+$/.test(text);
  if (call.fields.some(isMixed)) call.judge.fail("letters that take words in an order of their own");
  treeTable.handle?.(call);
};

const plainCat = program({
  operands: "read",
  short: "AbeEnstTuv",
  long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
  harmless: true,
});

export const readers: Readonly<Record<string, Program>> = {
  cat: {
    handle(call) {
      plainCat.handle?.(call);
      if (call.fields.length === 1) call.judge.text = call.judge.input;
    },
  },
  tac: program({ operands: "read", short: "brs:", long: "before regex separator:", harmless: true }),
  nl: program({
    operands: "read",
    short: "b:d:f:h:i:l:n:ps:v:w:",
    long: "body-numbering: number-format: number-width: number-separator: starting-line-number:",
    harmless: true,
  }),
  head: program({
    operands: readBeginning,
    short: "c:n:qvz",
    long: "bytes: lines: quiet silent verbose zero-terminated",
    digits: true,
    harmless: true,
    passesNames: true,
  }),
  tail: program({
    operands: "read",
    short: "c:n:qvzfFs:",
    long: "bytes: lines: quiet silent verbose zero-terminated follow? retry pid: sleep-interval:",
    digits: true,
    harmless: true,
    passesNames: true,
  }),
  wc: program({
    operands: countWords,
    short: "cmlLw",
    long: "bytes chars lines max-line-length words total:",
    harmless: true,
    counts: true,
  }),
  sort: program({
    operands: "read",
    short: "bdfghiMnRrVcCmsuzk:t:S:o>",
    long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse sort: version-sort check? merge stable unique zero-terminated key: field-separator: buffer-size: output> random-source< parallel: debug batch-size:",
    passesNames: true,
  }),
  uniq: program({
    operands: readThenWrite,
    short: "cdDif:s:uw:z",
    long: "count repeated all-repeated? skip-fields: group? ignore-case skip-chars: unique zero-terminated check-chars:",
    passesNames: true,
  }),
  cut: program({
    operands: "read",
    short: "b:c:d:f:nsz",
    long: "bytes: characters: delimiter: fields: complement only-delimited output-delimiter: zero-terminated",
    harmless: true,
  }),
  tr: program({ operands: "text", short: "cCdst", long: "complement delete squeeze-repeats truncate-set1", harmless: true }),
  paste: program({ operands: "read", short: "d:sz", long: "delimiters: serial zero-terminated", harmless: true }),
  join: program({
    operands: "read",
    short: "a:e:ij:o:t:v:z1:2:",
    long: "ignore-case check-order nocheck-order header zero-terminated",
    harmless: true,
  }),
  comm: program({
    operands: "read",
    short: "123z",
    long: "check-order nocheck-order output-delimiter: total zero-terminated",
    harmless: true,
  }),
  fold: program({ operands: "read", short: "bsw:", long: "bytes spaces width:", digits: true, harmless: true }),
  fmt: program({
    operands: "read",
    short: "cp:stuw:g:",
    long: "crown-margin prefix: split-only tagged-paragraph uniform-spacing width: goal:",
    digits: true,
    harmless: true,
  }),
  expand: program({ operands: "read", short: "it:", long: "initial tabs:", digits: true, harmless: true }),
  unexpand: program({ operands: "read", short: "at:", long: "all first-only tabs:", digits: true, harmless: true }),
  // Its `-n` takes a name in some versions and nothing in others.
  column: program({
    operands: "read",
    short: "tc:s:o:N:R:T:H:exJLd",
    long: "table separator: output-separator: output-width: table-columns: table-right: json fillrows",
    harmless: true,
  }),
  iconv: program({
    operands: "read",
    short: "f:t:clso>",
    long: "from-code: to-code: list silent output> byte-subst: unicode-subst:",
  }),
  shuf: program({
    operands: (operands, judge, { options }) => {
      if (!options.has("e") && !options.has("echo")) for (const field of operands) if (!isStandardInput(field)) judge.read(field);
    },
    short: "ei:n:rzo>",
    long: "echo input-range: head-count: repeat zero-terminated output> random-source<",
  }),
  pr: program({
    operands: "read",
    short: "dFftTvmrJae?h:i?l:n?N:o:s?S?w:W:D:",
    long: "columns: across double-space header: length: merge width: omit-header",
    digits: true,
  }),
  bc: program({ operands: "read", short: "hlqsvwi", long: "mathlib quiet standard warn" }),
  rev: program({ operands: "read", harmless: true }),
  tsort: program({ operands: "read", harmless: true }),
  od: program({
    operands: "read",
    short: "A:j:N:t:vw?abcdfhilosx",
    long: "address-radix: skip-bytes: read-bytes: format: output-duplicates width? endian:",
    harmless: true,
  }),
  hexdump: program({ operands: "read", short: "bcCdovxn:s:e:", long: "canonical length: skip: no-squeezing", harmless: true }),
  hd: program({ operands: "read", short: "bcCdovxn:s:e:", harmless: true }),
  xxd: { handle: dump },
  strings: program({
    operands: readNoLists,
    short: "afn:t:owe:",
    long: "all print-file-name bytes: radix: include-all-whitespace encoding:",
    digits: true,
    harmless: true,
  }),
  base64: program({ operands: "read", short: "diw:D", long: "decode ignore-garbage wrap:", harmless: true }),
  base32: program({ operands: "read", short: "diw:", long: "decode ignore-garbage wrap:", harmless: true }),
  basenc: program({
    operands: "read",
    short: "diw:",
    long: "base64 base64url base32 base16 base2msbf z85 decode ignore-garbage wrap:",
    harmless: true,
  }),
  md5sum: sums,
  sha1sum: sums,
  sha224sum: sums,
  sha256sum: sums,
  sha384sum: sums,
  sha512sum: sums,
  b2sum: program({ operands: "read", short: "btzl:", long: "binary text tag zero length:", harmless: true }),
  cksum: program({ operands: "read", short: "a:", long: "algorithm: untagged tag zero", harmless: true }),
  sum: program({ operands: "read", short: "rs", long: "sysv", harmless: true }),
  shasum: program({ operands: "read", short: "a:bt", long: "algorithm: binary text", harmless: true }),
  md5: program({ operands: "read", short: "qr", harmless: true }),
  diff: program({
    // Of two directories it compares the files in them, and what links in them lead to.
    operands: (operands, judge, { options }) => {
      const deep = options.has("r") || options.has("recursive");
      const depth = options.has("no-dereference") ? 0 : deep ? anyDepth : 1;
      for (const field of operands) if (!isStandardInput(field)) judge.read(field, true, depth);
    },
    short: "abBcC:dEeF:iI:nNpqrsS:tTuU:vwW:x:X<yZ",
    long: "brief report-identical-files context? unified? ed normal rcs side-by-side width: left-column suppress-common-lines show-c-function show-function-line: label: expand-tabs initial-tab tabsize: suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case exclude: exclude-from< starting-file: from-file< to-file< ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines: text strip-trailing-cr minimal speed-large-files color? horizon-lines:",
    digits: true,
  }),
  cmp: program({
    operands: (operands, judge) => {
      for (const field of operands.slice(0, 2)) if (!isStandardInput(field)) judge.read(field);
    },
    short: "bi:ln:s",
    long: "print-bytes ignore-initial: verbose bytes: quiet silent",
    harmless: true,
  }),
  colordiff: { asks: "may read a configuration of its own" },
  file: program({
    operands: "read",
    short: "bhiIkLNnrs0e:F:P:",
    long: "brief mime mime-type mime-encoding no-dereference dereference keep-going no-pad raw special-files separator: exclude: extension apple print0",
  }),
  stat: program({
    operands: "list",
    short: "Lfc:tx",
    long: "dereference file-system cached: format: printf: terse",
    harmless: true,
    counts: true,
  }),
  readlink: program({
    operands: "list",
    short: "femnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
    harmless: true,
  }),
  realpath: program({
    operands: "list",
    short: "emLPqsz",
    long: "canonicalize-existing canonicalize-missing logical physical quiet relative-to: relative-base: strip no-symlinks zero",
    harmless: true,
  }),
  basename: program({
    operands: printPart(/^(?:.*\/)?([^/]+)\/*$/s),
    short: "as:z",
    long: "multiple suffix: zero",
    harmless: true,
    counts: true,
  }),
  dirname: program({ operands: printPart(/^(.*[^/])\/+[^/]+\/*$/s), short: "z", long: "zero", harmless: true, counts: true }),
  ls: program({
    operands: listNames,
    here: true,
    recursive: ["R", "recursive"],
    following: ["L", "dereference"],
    short: "aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1",
    long: "all almost-all author escape block-size: ignore-backups color? directory dired classify? file-type format: full-time group-directories-first no-group human-readable si dereference-command-line dereference-command-line-symlink-to-dir hide: hyperlink? indicator-style: inode ignore: kibibytes dereference numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style: reverse recursive size sort: time: time-style: tabsize: width: context zero",
    harmless: true,
    counts: true,
  }),
  dir: program({ operands: "list", here: true, short: "aAlhR1tr", recursive: ["R"], harmless: true }),
  vdir: program({ operands: "list", here: true, short: "aAlhR1tr", recursive: ["R"], harmless: true }),
  tree: { handle: tree },
  du: program({
    operands: "tree",
    following: ["L", "dereference"],
    here: true,
    short: "0aAbB:cd:DHhkLlmPSst:x",
    long: "null all apparent-size block-size: bytes total dereference-args max-depth: human-readable inodes dereference no-dereference separate-dirs si summarize threshold: time? time-style: exclude: one-file-system",
    harmless: true,
    counts: true,
  }),
  df: program({
    // A directory right below the root is a place of the machine; whether a deeper one is there, is a listing.
    operands: (operands, judge) => {
      for (const field of operands) if (field.kind !== "text" || !/^\/[\w.-]*\/?$/.test(field.text)) judge.list(field, false);
    },
    short: "aB:hHiklPTt:x:v",
    long: "all block-size: human-readable si inodes local no-sync output? portability print-type type: exclude-type: total",
    harmless: true,
  }),
  less: program({
    operands: page,
    short: "eEFiImMnNqQrRsSuUwWX",
    long: "RAW-CONTROL-CHARS no-init quit-if-one-screen chop-long-lines LINE-NUMBERS",
  }),
  more: program({ operands: page, short: "dfcpsu" }),
  bat: program({
    operands: highlight,
    short: "pnAl:r:H:",
    long: "plain number show-all language: line-range: highlight-line: style: paging: color: theme: wrap: decorations: file-name:",
  }),
  batcat: program({
    operands: highlight,
    short: "pnAl:r:H:",
    long: "plain number show-all language: line-range: highlight-line: style: paging: color: theme: wrap: decorations: file-name:",
  }),
};
