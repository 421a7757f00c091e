/**
 * One ignore file: its lines parsed once, asked often. Pure.
 * Common shapes (a plain name, `*.ext`) are looked up in maps, so that a long ignore file costs no more than a short one.
 * Text and paths are byte strings. In the `ripgrep` dialect the lines mean what ripgrep takes them to mean, which is git's
 * meaning but for braces, named character classes and trailing white space.
 */
import { expandBraces } from "../braces.ts";
import { compileWildcard, matchesWildcard, type Wildcard, type WildcardDialect } from "../wildcard.ts";

export interface Rule {
  readonly line: number;
  /** As written. */
  readonly pattern: string;
  /** A `!` rule: takes back in. */
  readonly negated: boolean;
  readonly directoryOnly: boolean;
}

interface CompiledRule extends Rule {
  /** Matched against the base name rather than against the path below the ignore file. */
  readonly baseOnly: boolean;
  readonly wildcards: readonly Wildcard[];
}

export interface RuleSet {
  /** Rules by exact base name and by extension, and the rest, each in the order of the file. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly extensions: ReadonlyMap<string, readonly number[]>;
  readonly others: readonly number[];
  readonly rules: readonly CompiledRule[];
  readonly fold: boolean;
}

export function parseRules(text: string, dialect: WildcardDialect, fold = false): RuleSet | undefined {
  const rules: CompiledRule[] = [];
  const names = new Map<string, number[]>();
  const extensions = new Map<string, number[]>();
  const others: number[] = [];
  const lines = (text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text).split("\n");
  for (const [index, raw] of lines.entries()) {
    // ripgrep stops reading at the first line that is not UTF-8.
    if (dialect === "ripgrep" && !isUtf8(raw)) break;
    const rule = dialect === "git" ? gitLine(raw, index + 1, fold) : ripgrepLine(raw, index + 1);
    if (rule === undefined) continue;
    const at = rules.push(rule.compiled) - 1;
    if (rule.name !== undefined) append(names, fold ? asciiLower(rule.name) : rule.name, at);
    else if (rule.extension !== undefined) append(extensions, fold ? asciiLower(rule.extension) : rule.extension, at);
    else others.push(at);
  }
  return rules.length === 0 ? undefined : { names, extensions, others, rules, fold };
}

/** The last rule that matches; `path` is relative to the ignore file, `name` its last part. */
export function lastMatch(set: RuleSet, path: string, name: string, isDirectory: boolean): Rule | undefined {
  const key = set.fold ? asciiLower(name) : name;
  let best = lastUsable(set, set.names.get(key), isDirectory, -1);
  if (set.extensions.size > 0) {
    for (let dot = key.indexOf("."); dot >= 0; dot = key.indexOf(".", dot + 1)) {
      best = lastUsable(set, set.extensions.get(key.slice(dot)), isDirectory, best);
    }
  }
  for (let i = set.others.length - 1; i >= 0; i--) {
    const at = set.others[i] as number;
    if (at <= best) break;
    const rule = set.rules[at] as CompiledRule;
    if (rule.directoryOnly && !isDirectory) continue;
    const subject = rule.baseOnly ? name : path;
    if (rule.wildcards.some((wildcard) => matchesWildcard(wildcard, subject))) {
      best = at;
      break;
    }
  }
  return best < 0 ? undefined : set.rules[best];
}

function lastUsable(set: RuleSet, candidates: readonly number[] | undefined, isDirectory: boolean, best: number): number {
  if (candidates === undefined) return best;
  for (let i = candidates.length - 1; i >= 0; i--) {
    const at = candidates[i] as number;
    if (at <= best) return best;
    if (isDirectory || !(set.rules[at] as CompiledRule).directoryOnly) return at;
  }
  return best;
}

interface ParsedLine {
  readonly compiled: CompiledRule;
  readonly name?: string;
  readonly extension?: string;
}

function gitLine(raw: string, line: number, fold: boolean): ParsedLine | undefined {
  if (raw.startsWith("#")) return undefined;
  const written = trimTrailingSpaces(raw.endsWith("\r") ? raw.slice(0, -1) : raw);
  let pattern = written;
  const negated = pattern.startsWith("!");
  if (negated) pattern = pattern.slice(1);
  const directoryOnly = pattern.endsWith("/");
  if (directoryOnly) pattern = pattern.slice(0, -1);
  const baseOnly = !pattern.includes("/");
  if (pattern.startsWith("/")) pattern = pattern.slice(1);
  if (pattern === "") return undefined;
  const rule = { line, pattern: written, negated, directoryOnly, baseOnly };
  const shape = baseOnly ? simpleShape(pattern, /[*?[\\]/) : undefined;
  if (shape !== undefined) return { compiled: { ...rule, wildcards: [] }, ...shape };
  const wildcard = compileWildcard(pattern, "git", fold, !baseOnly);
  return wildcard === undefined ? undefined : { compiled: { ...rule, wildcards: [wildcard] } };
}

function ripgrepLine(raw: string, line: number): ParsedLine | undefined {
  if (raw.startsWith("#")) return undefined;
  const written = raw.endsWith("\\ ") ? raw : trimWhitespace(raw);
  if (written === "") return undefined;
  let pattern = written;
  let negated = false;
  let anchored = false;
  if (pattern.startsWith("\\!") || pattern.startsWith("\\#")) {
    pattern = pattern.slice(1);
  } else {
    negated = pattern.startsWith("!");
    if (negated) pattern = pattern.slice(1);
    anchored = pattern.startsWith("/");
    if (anchored) pattern = pattern.slice(1);
  }
  const directoryOnly = pattern.endsWith("/");
  if (directoryOnly) {
    pattern = pattern.slice(0, -1);
    if (pattern.endsWith("\\")) pattern = pattern.slice(0, -1);
  }
  const baseOnly = !anchored && !pattern.includes("/");
  // A `!` alone takes everything back in.
  if (baseOnly && pattern === "" && !directoryOnly) pattern = "**";
  const rule = { line, pattern: written, negated, directoryOnly, baseOnly };
  const shape = baseOnly ? simpleShape(pattern, /[*?[\\{},]/) : undefined;
  if (shape !== undefined) return { compiled: { ...rule, wildcards: [] }, ...shape };
  const wildcards: Wildcard[] = [];
  for (const alternative of expandBraces(pattern) ?? []) {
    const wildcard = compileWildcard(alternative, "ripgrep");
    if (wildcard === undefined) return undefined;
    wildcards.push(wildcard);
  }
  return wildcards.length === 0 ? undefined : { compiled: { ...rule, wildcards } };
}

function simpleShape(pattern: string, special: RegExp): { name: string } | { extension: string } | undefined {
  if (!special.test(pattern)) return { name: pattern };
  const rest = pattern.slice(1);
  return pattern.startsWith("*.") && !special.test(rest) ? { extension: rest } : undefined;
}

/** Spaces at the end go, unless a backslash keeps them. */
function trimTrailingSpaces(text: string): string {
  let keep = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") {
      at++;
      keep = Math.min(at + 1, text.length);
    } else if (text[at] !== " ") {
      keep = at + 1;
    }
  }
  return text.slice(0, keep);
}

/** White space in the Unicode sense, on UTF-8 bytes. */
function trimWhitespace(text: string): string {
  if (!/[\x80-\xff]$/.test(text)) return text.replace(/[\t-\r ]+$/, "");
  const decoded = Buffer.from(text, "latin1")
    .toString("utf8")
    .replace(/\p{White_Space}+$/u, "");
  return Buffer.from(decoded, "utf8").toString("latin1");
}

function isUtf8(text: string): boolean {
  if (!/[\x80-\xff]/.test(text)) return true;
  const bytes = Buffer.from(text, "latin1");
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function append(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
