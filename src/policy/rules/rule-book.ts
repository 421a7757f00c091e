/**
 * Owns a set of rules made ready for matching, and the three questions a decision asks of it: is this effect
 * forbidden, must it be asked about, is it permitted.
 * Refuses to drop a prohibition it cannot read: the decision is told, and asks.
 */
import type { Effect, PolicyQuestion, PolicyWorld, Rules } from "../../contract/index.ts";
import { matchesDomain } from "../net/host.ts";
import { parseUrl } from "../net/judge-url.ts";
import { type Ground, groundOf } from "../paths/ground.ts";
import { type CommandPattern, compileCommandPattern } from "./command-pattern.ts";
import { type ParsedRule, parseRule } from "./parse-rule.ts";
import { compilePathPattern, type PathPattern } from "./path-pattern.ts";
import { matchesPieces, piecesOf } from "./wildcard.ts";

type Asker = Pick<PolicyQuestion, "tool" | "effects">;

interface ReadyRule {
  readonly text: string;
  readonly rule: ParsedRule;
  readonly names: (tool: string) => boolean;
  readonly path?: PathPattern;
  readonly command?: CommandPattern;
}

/** How a rule reached an effect; `tree` means only something below it may be meant. */
export interface Hit {
  readonly rule: string;
  readonly tree?: "surely" | "perhaps";
}

export interface RuleBook {
  /** Nothing was ever ruled: no question to it finds anything. */
  readonly isEmpty: boolean;
  /** Rules of the deny and ask lists that cannot be read. */
  readonly unreadable: readonly string[];
  forbids(effect: Effect | undefined, asker: Asker): Hit | undefined;
  questions(effect: Effect | undefined, asker: Asker): Hit | undefined;
  /** `spelledOut` has the last word on a rule where a broad one must not do. */
  permits(effect: Effect | undefined, asker: Asker, spelledOut?: (pattern: PathPattern) => boolean): Hit | undefined;
}

/** Beyond this many effects nobody relates code to commands any more: it asks. */
const maxRelated = 200;

const nothing = (): undefined => undefined;
const empty: RuleBook = { isEmpty: true, unreadable: [], forbids: nothing, questions: nothing, permits: nothing };

/** Of each list of rules the book for the world it was last asked about. */
const known = new WeakMap<Rules, { readonly world: PolicyWorld; readonly book: RuleBook }>();

export function ruleBookOf(rules: Rules, world: PolicyWorld): RuleBook {
  if (rules.deny.length === 0 && rules.ask.length === 0 && rules.allow.length === 0) return empty;
  const entry = known.get(rules);
  if (entry?.world === world) return entry.book;
  const book = write(rules, groundOf(world));
  known.set(rules, { world, book });
  return book;
}

function write(rules: Rules, ground: Ground): RuleBook {
  const unreadable: string[] = [];
  const read = (texts: readonly string[], onFailure?: (text: string) => void): ReadyRule[] =>
    texts.flatMap((text) => {
      const ready = readyRule(text, ground);
      if (!ready) onFailure?.(text);
      return ready ? [ready] : [];
    });
  const deny = read(rules.deny, (text) => unreadable.push(text));
  const ask = read(rules.ask, (text) => unreadable.push(text));
  const allow = read(rules.allow);
  return {
    isEmpty: false,
    unreadable,
    forbids: (effect, asker) => firstTouch(deny, effect, asker),
    questions: (effect, asker) => firstTouch(ask, effect, asker),
    permits: (effect, asker, spelledOut) => {
      const found = allow.find(
        (ready) => covers(ready, effect, asker) && (!spelledOut || (ready.path !== undefined && spelledOut(ready.path))),
      );
      return found && { rule: found.text };
    },
  };
}

/** Rules come again with every call, often in a new list: each is compiled once a world. */
const compiled = new WeakMap<Ground, Map<string, ReadyRule | undefined>>();
const maxCompiled = 2000;

function readyRule(text: string, ground: Ground): ReadyRule | undefined {
  let rules = compiled.get(ground);
  if (!rules || rules.size >= maxCompiled) {
    rules = new Map();
    compiled.set(ground, rules);
  }
  if (!rules.has(text)) rules.set(text, makeReady(text, ground));
  return rules.get(text);
}

function makeReady(text: string, ground: Ground): ReadyRule | undefined {
  const reading = parseRule(text);
  if (!reading.ok) return undefined;
  const { rule } = reading;
  const pieces = piecesOf(rule.tool);
  // A plugin's tool has two names: `PLUGIN:TOOL`, and `PLUGIN__TOOL` for model APIs.
  const names = (tool: string): boolean =>
    matchesPieces(pieces, tool) || (tool.includes(":") && matchesPieces(pieces, tool.replace(":", "__")));
  try {
    switch (rule.subject.kind) {
      case "path":
        return { text: rule.text, rule, names, path: compilePathPattern(rule.subject.glob, ground) };
      case "command":
        return { text: rule.text, rule, names, command: compileCommandPattern(rule.subject.pattern, ground.world.caseInsensitive) };
      default:
        return { text: rule.text, rule, names };
    }
  } catch {
    return undefined;
  }
}

/** A rule about a bare tool name forbids that kind of effect wherever it comes from, but permits it only to that tool. */
const effectsOfName: Readonly<Record<string, readonly Effect["kind"][]>> = {
  Read: ["read"],
  Edit: ["write"],
  Write: ["write"],
  Bash: ["run", "code"],
  WebFetch: ["connect"],
  Agent: ["agent"],
};

function firstTouch(rules: readonly ReadyRule[], effect: Effect | undefined, asker: Asker): Hit | undefined {
  let weaker: Hit | undefined;
  for (const ready of rules) {
    const hit = touch(ready, effect, asker);
    if (hit && hit.tree !== "perhaps") return hit;
    weaker ??= hit;
  }
  return weaker;
}

function touch(ready: ReadyRule, effect: Effect | undefined, asker: Asker): Hit | undefined {
  const { rule } = ready;
  const { subject } = rule;
  const hit: Hit = { rule: ready.text };
  if (subject.kind === "tool") {
    const named = ready.names(asker.tool) || (effect?.kind === "remote" && ready.names(remoteName(effect.server, effect.tool)));
    const kinds = Object.hasOwn(effectsOfName, rule.tool) ? effectsOfName[rule.tool] : undefined;
    return named || (effect !== undefined && kinds?.includes(effect.kind)) ? hit : undefined;
  }
  if (effect === undefined || !(rule.everyTool || ready.names(asker.tool))) return undefined;
  switch (effect.kind) {
    case "read":
    case "write":
      return ready.path ? touchPath(ready.path, subject.kind === "path" ? subject.access : "any", effect, asker, hit) : undefined;
    case "run":
      return ready.command?.touches(effect) ? hit : undefined;
    case "connect":
      return subject.kind === "domain" && isAt(effect.url, subject.host, subject.port, true) ? hit : undefined;
    case "agent":
      return subject.kind === "agent" && matchesPieces(piecesOf(subject.name), effect.agent) ? hit : undefined;
    default:
      return undefined;
  }
}

function touchPath(
  pattern: PathPattern,
  access: "read" | "write" | "any",
  effect: Extract<Effect, { kind: "read" | "write" }>,
  asker: Asker,
  hit: Hit,
): Hit | undefined {
  if (access !== "any" && access !== effect.kind) return undefined;
  if (pattern.touches(effect.path)) return hit;
  // A search tool leaves out single files by itself; a command reads whatever stands there.
  if (!effect.tree || (effect.kind === "read" && !isCommand(asker))) return undefined;
  const tree = pattern.reaches(effect.path);
  return tree === "no" ? undefined : { ...hit, tree };
}

function covers(ready: ReadyRule, effect: Effect | undefined, asker: Asker): boolean {
  const { rule } = ready;
  const { subject } = rule;
  if (subject.kind === "tool") return ready.names(asker.tool);
  if (effect === undefined || !(rule.everyTool || ready.names(asker.tool))) return false;
  switch (effect.kind) {
    case "read":
    case "write":
      // One path is not its whole tree: that takes a pattern which covers what is below.
      if (subject.kind !== "path" || (subject.access !== "any" && subject.access !== effect.kind) || !ready.path?.covers(effect.path))
        return false;
      return !effect.tree || subject.glob.endsWith("**");
    case "run":
      return ready.command?.covers(effect) === true;
    case "code": {
      // Code belongs to the command that holds it; the rule must cover every command that could.
      if (asker.effects.length > maxRelated) return false;
      const holders = asker.effects.filter((other) => other.kind === "run" && other.text.includes(effect.text));
      return holders.length > 0 && holders.every((other) => other.kind === "run" && ready.command?.covers(other) === true);
    }
    case "connect":
      return /^(?:GET|HEAD)$/i.test(effect.method) && subject.kind === "domain" && isAt(effect.url, subject.host, subject.port, false);
    case "agent":
      return subject.kind === "agent" && subject.name === effect.agent;
    default:
      return false;
  }
}

/**
 * True if `rules` name nothing of this tool, or cover everything of the call that they can speak of. A rule that cannot be
 * read covers nothing.
 */
export function isCovered(rules: readonly string[], asker: Asker, world: PolicyWorld): boolean {
  const own = rules.filter((text) => {
    const reading = parseRule(text);
    return reading.ok && reading.rule.tool === asker.tool;
  });
  if (own.length === 0) return true;
  const book = ruleBookOf({ allow: own, ask: [], deny: [] }, world);
  const kinds = Object.hasOwn(effectsOfName, asker.tool) ? effectsOfName[asker.tool] : undefined;
  const effects = asker.effects.filter(({ kind }) => kinds?.includes(kind) ?? true);
  return effects.length > 0 && effects.every((effect) => book.permits(effect, asker) !== undefined);
}

function isAt(url: string, host: string, port: string | undefined, widely: boolean): boolean {
  const parsed = parseUrl(url);
  if (!(parsed instanceof URL)) return false;
  const here = matchesDomain(parsed.hostname, host) || (widely && !host.startsWith("*.") && matchesDomain(parsed.hostname, `*.${host}`));
  const ports = widely ? port === undefined || parsed.port === port : parsed.port === (port ?? "");
  return here && ports;
}

export function remoteName(server: string, tool: string): string {
  return tool.startsWith("mcp__") ? tool : `mcp__${server}__${tool}`;
}

function isCommand(asker: Pick<PolicyQuestion, "effects">): boolean {
  return asker.effects.some((effect) => effect.kind === "run");
}
