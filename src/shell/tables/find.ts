/**
 * `find`: its expression is a small language with predicates that write, delete and start programs.
 * Every word must be a predicate of the table with its arguments; commands behind `-exec` are judged themselves.
 */
import { escapePattern, type Field, hasWildcard, mayBeOption, textField } from "../field.ts";
import { anyDepth, type Judge } from "../judge.ts";
import type { Handler } from "../machine.ts";
import { withHidden } from "../paths.ts";

const plain = new Set(
  "-print -print0 -prune -depth -d -empty -follow -ls -mount -xdev -x -nouser -nogroup -noleaf -readable -writable -executable -true -false -not -a -o -and -or -quit -daystart -ignore_readdir_race -noignore_readdir_race -warn -nowarn ( ) ! , -H -L -P -E -X -s -help --help -version --version".split(
    " ",
  ),
);
const valued = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -lname -ilname -fstype -context -used -printf".split(
    " ",
  ),
);
const reading = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);
const executing = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const writing = new Set(["-fprint", "-fprint0", "-fls"]);

interface Search {
  readonly places: Field[];
  readonly names: string[];
  readonly commands: { readonly fields: Field[]; readonly elsewhere: boolean }[];
  deletes: boolean;
  narrowed: boolean;
  nul: boolean;
  custom: boolean;
  /** The alternative being read has named its files so far. */
  named: boolean;
  /** Some alternative finds, shows or hands on files whose names it does not tell. */
  anything: boolean;
}

export const find: Handler = ({ judge, fields, machine }) => {
  const search: Search = {
    places: [],
    names: [],
    commands: [],
    deletes: false,
    narrowed: false,
    nul: false,
    custom: false,
    named: false,
    anything: false,
  };
  if (!readExpression(fields, search, judge)) {
    for (const command of search.commands) machine.runInner(command.fields, { doubt: judge.reason, directoryUnknown: command.elsewhere });
    if (search.deletes) remove(search, judge);
    return;
  }
  if (search.places.length === 0) search.places.push(textField("."));
  const follows = fields.some((field) => field.kind === "text" && /^-(?:[HP]*L[HLP]*|follow)$/.test(field.text));
  for (const place of search.places) judge.list(place, true, follows ? anyDepth : 0);
  if (search.deletes) remove(search, judge);
  if (search.commands.length === 0 && !judge.heard) return;
  const found = foundNames(search).map((field) => ({ ...field, walked: !follows }));
  for (const command of search.commands) {
    const inner = substitute(command.fields, found);
    if (inner === undefined) judge.fail("a file name becomes part of a larger argument");
    machine.runInner(inner ?? command.fields, {
      doubt: inner === undefined ? judge.reason : undefined,
      directoryUnknown: command.elsewhere,
    });
  }
  if (!search.custom) judge.names = { nul: search.nul, fields: found };
};

/** False when some word is not understood; commands found so far are kept for the floor. */
function readExpression(fields: readonly Field[], search: Search, judge: Judge): boolean {
  let inPlaces = true;
  let understood = true;
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined) break;
    const text = field.kind === "text" ? field.text : undefined;
    if (inPlaces && !beginsExpression(field)) {
      search.places.push(field);
      continue;
    }
    if (text === undefined) {
      judge.fail("find with an argument that is only known when it runs");
      understood = false;
      continue;
    }
    if (text.length < 6 && (/^-[HLP]+$/.test(text) || /^-O\d$/.test(text))) continue;
    inPlaces = false;
    const before = fields[index - 1]?.text ?? "";
    const negated = before === "!" || before === "-not";
    // What acts before a name was asked for, or on what a group is not, may find anything.
    if ((negated && (text === "(" || text === "!" || text === "-not")) || (acting.test(text) && !search.named)) search.anything = true;
    if (/^(?:-o|-or|,)$/.test(text)) {
      search.anything ||= !search.named;
      search.named = false;
    }
    if (plain.has(text)) {
      if (text === "-print0") search.nul = true;
      if (text === "-ls") search.custom = true;
    } else if (valued.has(text) || reading.has(text) || (text.startsWith("-newer") && /^-newer[aBcm][aBcmt]$/.test(text))) {
      index += 1;
      if (!readValue(text, fields[index], negated, search, judge)) understood = false;
    } else if (text === "-delete") search.deletes = true;
    else if (writing.has(text) || text === "-fprintf") {
      const target = fields[index + 1];
      if (target !== undefined) judge.write(target, "modify");
      index += text === "-fprintf" ? 2 : 1;
      search.custom = true;
    } else if (executing.has(text)) {
      const end = commandEnd(fields, index + 1);
      search.commands.push({ fields: fields.slice(index + 1, end), elsewhere: text.endsWith("dir") });
      search.custom = true;
      index = end;
    } else {
      judge.fail(`find ${text} is not known to be harmless`);
      understood = false;
    }
  }
  search.anything ||= !search.named;
  return understood;
}

const acting = /^-(?:print0?|ls|exec|execdir|ok|okdir|delete)$/;

function beginsExpression(field: Field): boolean {
  if (field.kind === "text")
    return mayBeOption(field) || field.text === "(" || field.text === "!" || field.text === ")" || field.text === ",";
  if (field.kind === "glob") return /^[*?[\\-]/.test(field.text);
  return !(field.kind === "word" && field.text !== "" && !field.text.startsWith("-"));
}

function readValue(predicate: string, value: Field | undefined, negated: boolean, search: Search, judge: Judge): boolean {
  if (value === undefined) {
    judge.fail("find with a predicate that lacks its value");
    return false;
  }
  if (value.kind === "glob") {
    // Unquoted `*.ts`: whatever it expands to ends in the same letters, so it is no predicate.
    if (!/\.[A-Za-z0-9]+$/.test(value.text)) judge.fail("find with a pattern the shell expands first");
    return judge.reason === undefined;
  }
  if (value.kind !== "text") {
    if (
      (value.kind === "number" && !value.many) ||
      (value.kind === "word" && !reading.has(predicate) && !/name|path|regex/.test(predicate))
    )
      return true;
    judge.fail("find with an argument that is only known when it runs");
    return false;
  }
  if (reading.has(predicate) || /^-newer[aBcm][aBcm]$/.test(predicate)) judge.list(value, false);
  if (/^-i?(?:whole)?(?:name|path)$/.test(predicate)) {
    search.narrowed = true;
    const name = /^-i?name$/.test(predicate) ? value.text : lastNameOf(value.text);
    if (!negated && name !== undefined) {
      search.named = true;
      search.names.push(name);
    }
  }
  if (/regex$/.test(predicate)) {
    search.narrowed = true;
    // Roughly the names it finds, for secrets that it spells out.
    search.names.push(value.text.replace(/\\\./g, ".").replace(/\.\*/g, "*"));
  }
  if (predicate === "-printf") search.custom = true;
  return true;
}

/** How the names end that a pattern of whole paths finds; nothing where that may be anything: a wildcard in it stands for `/` too. */
function lastNameOf(pattern: string): string | undefined {
  if (!hasWildcard(pattern)) return pattern;
  const ending = /[^*?[\]\\]*$/.exec(pattern)?.[0] ?? "";
  if (ending.includes("/")) return ending.slice(ending.lastIndexOf("/") + 1) || undefined;
  return ending === "" ? undefined : `*${ending}`;
}

function commandEnd(fields: readonly Field[], from: number): number {
  for (let index = from; index < fields.length; index += 1) {
    const text = fields[index]?.text;
    if (text === ";" || (text === "+" && fields[index - 1]?.text === "{}")) return index;
  }
  return fields.length;
}

function remove(search: Search, judge: Judge): void {
  if (!search.anything) {
    for (const found of foundNames(search)) judge.write(found, "delete", true);
    return;
  }
  for (const place of search.places.length === 0 ? [textField(".")] : search.places) {
    for (const path of judge.paths(place)) {
      // A narrowed search in the workspace is a clean-up; in the home directory or the root it is not.
      if (search.narrowed && path.startsWith(judge.world.workspace))
        judge.effects.push({ kind: "write", path, change: "delete", tree: true });
      else judge.writePath(path, "delete", true);
    }
  }
}

/** The file names `{}` stands for. */
function foundNames(search: Search): Field[] {
  const result: Field[] = [];
  for (const place of search.places) {
    const root = place.kind === "text" ? escapePattern(place.text.replace(/\/+$/, "")) : place.text;
    const names = search.anything ? ["**", ...search.names.flatMap(withHidden)] : search.names.flatMap(withHidden);
    for (const name of names) {
      // At any depth, and a link there is found too.
      const last = name.replace(/^.*\//s, "");
      result.push({ kind: "glob", text: last === "**" ? `${root}/**` : `${root}/**/${last}`, many: true, shown: "{}" });
    }
  }
  return result;
}

function substitute(fields: readonly Field[], found: readonly Field[]): Field[] | undefined {
  const result: Field[] = [];
  for (const field of fields) {
    if (field.kind === "text" && field.text === "{}") result.push(...found);
    else if (field.text.includes("{}")) return undefined;
    else result.push(field);
  }
  return result;
}
