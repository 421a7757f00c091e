/**
 * `git`: read-only subcommands with options known to be harmless. Configuration of a repository can start
 * programs on plain `status`, `diff` and `log`, so each subcommand also says which kinds of configuration it
 * obeys, and runs unasked only where the repository is trusted, sets none of those, or flags switch them off.
 */
import { environmentSteers } from "../environment.ts";
import type { Field } from "../field.ts";
import { textField } from "../field.ts";
import type { Judge } from "../judge.ts";
import type { Program } from "../machine.ts";
import { type OptionTable, optionTable, type ParsedOptions, readOptions } from "../options.ts";
import { normalizePath } from "../paths.ts";
import { isChange, readAnything, readByChange } from "./git-changes.ts";
import { type GitCommand, type GitRisk, gitCommands, networkCommands, revisionsAndPaths } from "./git-commands.ts";
import { readContents, showsAny } from "./git-contents.ts";

/** `-c` values that only take power away. */
const hardening =
  /^(?:core\.fsmonitor=(?:false)?|core\.hookspath=\/dev\/null|core\.pager=(?:cat)?|diff\.external=|core\.quotepath=\w*|log\.showsignature=false|protocol\.ext\.allow=never|protocol\.allow=never|color\.[\w.]+=\w*|advice\.[\w.]+=\w*|core\.attributesfile=\/dev\/null|gc\.auto=0|core\.untrackedcache=\w*)$/i;

const gitVariables = /^(?:GIT_|PAGER$|EDITOR$|VISUAL$|SSH_ASKPASS$)/;
const harmlessGlobals = new Set(
  "--no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-advice".split(
    " ",
  ),
);

interface Globals {
  readonly index: number;
  readonly switchedOff: readonly GitRisk[];
  readonly directory: Field | undefined;
  /** An option names another repository than the one that lies here. */
  readonly elsewhere: boolean;
}

const elsewhereVariables = /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES)$/;

/** A variable names another repository than the one that lies here. */
function setElsewhere({ world, effects }: Judge): boolean {
  return (
    environmentSteers(world.env, elsewhereVariables) !== undefined ||
    effects.some((effect) => effect.kind === "environment" && elsewhereVariables.test(effect.name))
  );
}

export const git: Program = {
  handle(call) {
    const { judge } = call;
    const fields = call.fields.map((field) => (field.revision === undefined ? field : { ...textField(field.revision), many: field.many }));
    const globals = readGlobals(fields, judge);
    const name = fields[globals.index];
    if (name === undefined) return;
    if (name.kind !== "text") {
      judge.fail("a git command that is only known when it runs");
      return;
    }
    const steering = environmentSteers(judge.world.env, gitVariables);
    if (steering !== undefined) judge.fail(`${steering} steers git`);
    const args = fields.slice(globals.index + 1);
    if (networkCommands.has(name.text) && !isLocalArchive(name.text, args)) reach(args, judge);
    const before = judge.effects.length;
    const command = isChange(name.text, args) ? undefined : gitCommands.get(name.text);
    if (command === undefined) {
      judge.fail(`git ${name.text} is not known to be read-only`);
      addOutside(args, judge);
      goTo(globals.directory, judge);
      readByChange(name.text, args, judge);
    } else runRead(command, globals, fields, judge);
    if (showsRecorded(name.text, args, judge)) readAnything(args, judge);
    const showsTracked = judge.effects.slice(before).some((effect) => effect.kind === "read" && effect.tracked !== undefined);
    if (showsTracked && (globals.elsewhere || setElsewhere(judge)))
      judge.readUntold("git is told to show another repository than the one here");
  },
};

/** Configuration from a content, and notes that are made of one, print what is recorded. */
function showsRecorded(name: string, args: readonly Field[], judge: Judge): boolean {
  return name === "notes"
    ? judge.reason !== undefined
    : name === "config" && args.some(({ kind, text }) => kind !== "text" || /^--bl/.test(text));
}

function readGlobals(fields: readonly Field[], judge: Judge): Globals {
  const switchedOff: GitRisk[] = [];
  let directory: Field | undefined;
  let elsewhere = false;
  let index = 1;
  for (; index < fields.length; index += 1) {
    const text = fields[index]?.kind === "text" ? (fields[index]?.text ?? "") : undefined;
    if (text === undefined || !text.startsWith("-")) break;
    if (text === "--no-pager" || text === "-P") switchedOff.push("pager");
    else if (text === "--version") return { index: fields.length, switchedOff, directory, elsewhere };
    else if (harmlessGlobals.has(text)) continue;
    else if (text === "-C") {
      index += 1;
      if (directory !== undefined) judge.fail("git -C given twice");
      directory = fields[index];
    } else if (text === "-c") {
      index += 1;
      const setting = fields[index];
      if (setting?.kind !== "text" || !hardening.test(setting.text)) judge.fail("git -c changes its configuration");
      else if (/^core\.fsmonitor=/i.test(setting.text)) switchedOff.push("fsmonitor");
      else if (/^diff\.external=$/i.test(setting.text)) switchedOff.push("external");
      else if (/^log\.showsignature=/i.test(setting.text)) switchedOff.push("signature");
      else if (/^core\.pager=/i.test(setting.text)) switchedOff.push("pager");
    } else {
      judge.fail(`git option ${text.replace(/=.*/s, "")} is not known to be harmless`);
      if (/^--(?:git-dir|work-tree|bare)(?:=|$)/.test(text)) elsewhere = true;
      if (/^--(?:git-dir|work-tree|namespace|exec-path|super-prefix|config-env|attr-source)$/.test(text)) index += 1;
    }
  }
  return { index, switchedOff, directory, elsewhere };
}

const tables = new Map<GitCommand, OptionTable>();

function runRead(command: GitCommand, globals: Globals, fields: readonly Field[], judge: Judge): void {
  let table = tables.get(command);
  if (table === undefined) {
    // `--help` would look for a viewer in the configuration.
    table = optionTable({ ...command, noHelp: true });
    tables.set(command, table);
  }
  goTo(globals.directory, judge);
  const parsed = readOptions(table, fields, globals.index + 1, judge);
  if (parsed === undefined) {
    // An option that is not known may ask for contents.
    if (command.shows !== undefined) readAnything(fields.slice(globals.index + 1), judge);
    return;
  }
  judge.recorded = command.shows !== undefined && showsAny(command.shows, parsed);
  if (command.verbFirst === true && parsed.operands.length > 0 && fields[globals.index + 1] !== parsed.operands[0])
    judge.fail("an option before its verb changes what git does");
  checkFormats(parsed, judge);
  checkTrust(command, globals, parsed, judge);
  command.operands(parsed.operands, judge, parsed);
  if (command.shows !== undefined) readContents(command.shows, parsed, judge);
  if (!judge.heard) return;
  if (parsed.options.has("show-toplevel")) printTop(parsed, judge);
  if (parsed.options.has("name-only")) printChanged(parsed, judge);
  if (command.revisions !== undefined) printRevisions(command.revisions, parsed, judge);
}

function goTo(directory: Field | undefined, judge: Judge): void {
  if (directory === undefined) return;
  judge.list(directory, true);
  const elsewhere = judge.paths(directory);
  judge.state = { ...judge.state, directories: elsewhere.length === 0 ? undefined : elsewhere };
}

/** `cd "$(git rev-parse --show-toplevel)"` */
function printTop({ options, operands }: ParsedOptions, judge: Judge): void {
  const { gitRoot, cwd } = judge.world;
  const here = judge.state.directories;
  if (gitRoot === undefined || operands.length > 0 || here?.length !== 1 || here[0] !== cwd) return;
  if (options.every((name) => name === "show-toplevel")) judge.printed = [textField(gitRoot)];
}

/** Stands for any name of a commit. */
const example = "0123456789abcdef0123456789abcdef01234567";

/** With these options alone it prints names of commits; what is none it may print as it stands. */
function printRevisions(options: ReadonlySet<string>, parsed: ParsedOptions, judge: Judge): void {
  if (parsed.afterDashes > 0 || !parsed.operands.every(isPlainRevision) || !parsed.options.every((name) => options.has(name))) return;
  if (options.has("format") && !/^(?:format:|tformat:)?%[hH]$/.test(formatOf(parsed))) return;
  revisionsAndPaths(parsed.operands, judge);
  judge.printed = [{ kind: "word", text: "", many: true, shown: "…", revision: example }];
  judge.names = { nul: false, fields: judge.printed };
}

function isPlainRevision({ kind, text }: Field): boolean {
  return kind === "text" && /^(?:\^?\w[\w/-]*|@)(?:[~^]\d*|@\{\w+\}|\.{2,3}\w[\w/-]*)*$/.test(text);
}

function formatOf({ options }: ParsedOptions): string {
  const given = [...options.all("format"), ...options.all("pretty")];
  return given.length === 1 && given[0]?.kind === "text" ? given[0].text : "";
}

/** `git diff --name-only`: names of tracked files. */
function printChanged({ options }: ParsedOptions, judge: Judge): void {
  if (!options.every((name) => /^(?:name-only|cached|staged|diff-filter|merge-base|z)$/.test(name))) return;
  judge.names = { nul: options.has("z"), fields: [{ kind: "glob", text: "**", many: true, shown: "…", walked: true }] };
}

const formats = ["format", "pretty", "sort"];
/** Not `remerge`, which merges anew, with drivers of the configuration and objects of its own. */
const diffMerges = /^(?:off|none|on|m|1|first-parent|separate|c|combined|cc|dense-combined)$/;

/** Placeholders for signatures make git start its signature program. */
function checkFormats({ options }: ParsedOptions, judge: Judge): void {
  if (options.all("diff-merges").some(({ kind, text }) => kind !== "text" || !diffMerges.test(text))) judge.fail("merges anew");
  for (const name of formats) {
    if (!options.has(name)) continue;
    for (const value of options.all(name)) {
      if (value.kind !== "text" || /%G|[sS]ignature/.test(value.text))
        judge.fail("a format that checks signatures, or is only known when it runs");
      // A tag may stand for a content, which this prints whole.
      if (value.kind !== "text" || /%\(\*?raw(?!:size)/.test(value.text)) judge.readTracked([]);
    }
  }
}

/** Configuration keys that make git start a program, by what obeys them. */
const riskyKeys: Readonly<Record<GitRisk, RegExp>> = {
  fsmonitor: /^core\.fsmonitor(?:hookversion)?$/,
  filter: /^filter\./,
  external: /^diff\.(?:external|.*\.command)$/,
  textconv: /^diff\..*\.(?:textconv|cachetextconv)$/,
  signature: /^(?:log\.showsignature|format\.pretty|pretty\.|gpg\.)/,
  pager: /^(?:core\.pager|pager\.)/,
  fetch: /^(?:remote\..*\.(?:promisor|partialclonefilter|uploadpack|vcs)|extensions\.partialclone|core\.(?:sshcommand|gitproxy)|url\.)/,
};
const alwaysRisky =
  /^(?:include\.|includeif\.|extensions\.worktreeconfig$|core\.(?:worktree|attributesfile|editor|askpass|alternaterefscommand|excludesfile)$|alias\.|submodule\.)/;

/** Where `..` follows a link, text does not say what directory it is. */
function isKnown(directory: string, directories: readonly string[]): boolean {
  return !/(?:^|\/)\.\.(?:\/|$)/.test(directory) && directories.includes(normalizePath(directory));
}

function checkTrust(command: GitCommand, globals: Globals, parsed: ParsedOptions, judge: Judge): void {
  const { world } = judge;
  if (world.interactive === true && !globals.switchedOff.includes("pager") && (world.env?.GIT_PAGER ?? world.env?.PAGER) !== "cat")
    judge.fail("starts a pager");
  const here = judge.state.directories;
  const trusted = here?.every(
    (directory) => (directory === world.cwd && world.gitTrusted) || isKnown(directory, world.gitDirectories ?? []),
  );
  if (trusted === true) return;
  if (here?.length !== 1 || here[0] !== world.cwd || world.gitConfigKeys === undefined) {
    judge.fail("configuration of this repository could start programs");
    return;
  }
  const switchedOff = new Set(globals.switchedOff);
  if (parsed.options.has("no-ext-diff")) switchedOff.add("external");
  if (parsed.options.has("no-textconv")) switchedOff.add("textconv");
  if (parsed.options.has("no-show-signature")) switchedOff.add("signature");
  for (const key of world.gitConfigKeys) {
    const risky = alwaysRisky.test(key) || command.risks.some((risk) => !switchedOff.has(risk) && riskyKeys[risk].test(key));
    if (risky) judge.fail(`${key} in this repository's configuration could start a program`);
  }
}

const remoteAddress = /^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i;

/** Only with an option `archive` asks a server. */
function isLocalArchive(name: string, args: readonly Field[]): boolean {
  return name === "archive" && args.every(({ kind, text }) => kind === "text" && !/^--(?:r|exec)/.test(text));
}

/** Addresses a network command names. */
function reach(args: readonly Field[], judge: Judge): void {
  judge.network = true;
  for (const field of args) {
    if (field.kind !== "text" || !remoteAddress.test(field.text)) continue;
    const scp = /^([\w.-]+@)?([\w.-]+):(?!\/\/)(.*)$/s.exec(field.text);
    judge.connect(scp === null ? field.text : `ssh://${scp[2] ?? ""}/${scp[3] ?? ""}`, "GET");
  }
}

/** Paths outside the repository that a writing command names are at least shown. */
function addOutside(args: readonly Field[], judge: Judge): void {
  for (const field of args) {
    if (field.kind === "text" && /^(?:\/|\.\.(?:\/|$)|~)/.test(field.text)) judge.read(textField(field.text));
  }
}
