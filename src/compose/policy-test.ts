/**
 * Runs a table of policy cases: what the policy would say in a world that is described, not built.
 * In a case `/repo` and `/home/u` stand for the workspace and the home.
 */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  because,
  type Effect,
  type JsonObject,
  type PathKind,
  type PolicyWorld,
  type Rules,
  reasonText,
  traitsOf,
  type Verdict,
} from "../contract/index.ts";
import { unopenable } from "../host/index.ts";
import { decide, factsFromText, strictest } from "../policy/index.ts";
import { analyzeCommand } from "../shell/index.ts";
import { bash } from "../tools/shell/index.ts";

export interface PolicyCase {
  readonly id: string;
  readonly kind: string;
  readonly input: string;
  readonly expect: Verdict;
  /** Of a path case. */
  readonly op?: "read" | "write";
  readonly platform?: "win32" | "posix";
  readonly rules?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
    readonly allowDomains?: readonly string[];
  };
  readonly setup?: {
    readonly symlinks?: Readonly<Record<string, string>>;
    readonly hardlinks?: Readonly<Record<string, string>>;
    readonly rootSymlink?: string;
    readonly race?: { readonly path: string; readonly to: string };
    readonly dns?: readonly string[];
    readonly redirectTo?: string;
    readonly gitConfig?: JsonObject;
  };
}

export interface PolicyCaseResult {
  readonly id: string;
  readonly expect: Verdict;
  readonly decision: Verdict | "unsupported";
  readonly rule: string;
  readonly pass: boolean;
}

export interface PolicyTestPlaces {
  readonly workspace: string;
  readonly home: string;
}

export function runPolicyCase(original: PolicyCase, places: PolicyTestPlaces): PolicyCaseResult {
  const given = original.platform === "win32" ? original : (mapPlaces(original, places) as PolicyCase);
  const answer = judge(given, worldOf(given, places), places);
  const pass = answer !== undefined && (answer.verdict === given.expect || (given.expect === "ask" && answer.verdict !== "allow"));
  return { id: given.id, expect: given.expect, decision: answer?.verdict ?? "unsupported", rule: answer?.rule ?? "none", pass };
}

/** As the tools read it: `file://` is the address of a path. */
function asPath(input: string): string {
  if (!/^file:\/\//i.test(input)) return input;
  try {
    return fileURLToPath(input);
  } catch {
    return input;
  }
}

/** Where the path names something that is there and no tool could open, it is judged as what it is. */
function kindHere(path: string, workspace: string): { readonly kind?: PathKind } {
  const kind = unopenable(resolve(workspace, path));
  return kind === undefined ? {} : { kind };
}

function judge(given: PolicyCase, world: PolicyWorld, places: PolicyTestPlaces) {
  switch (given.kind) {
    case "shell":
      return ask(given, shellEffects(given, places), world, "Bash");
    case "path": {
      const effect = pathEffect(given, world);
      if (effect.kind === "read" && effect.path.kind === "fifo")
        return { verdict: "deny" as const, rule: "builtin:device", reason: reasonText(because("pipe_read")), effects: [] };
      return ask(given, [effect], world, given.op === "write" ? "Write" : "Read");
    }
    case "url": {
      const hops = [given.input, ...(given.setup?.redirectTo === undefined ? [] : [given.setup.redirectTo])];
      const addresses = given.setup?.dns === undefined ? {} : { addresses: given.setup.dns };
      return strictest(hops.map((url) => ask(given, [{ kind: "connect", url, method: "GET", ...addresses }], world, "WebFetch")));
    }
    default:
      return undefined;
  }
}

function ask(given: PolicyCase, effects: readonly Effect[], world: PolicyWorld, tool: string) {
  const readOnly = tool === "Read" || tool === "WebFetch";
  const traits =
    tool === "Bash"
      ? traitsOf(bash)
      : { concurrencySafe: false, readOnly, destructive: false, searchHint: "", permission: "auto" as const };
  // `rehearse` is the verdict only if no effect asks, so a case that expects a question about one is not met by it.
  return decide({ tool, traits, effects, mode: "default", rules: rulesOf(given), rehearsable: tool === "Bash" }, world);
}

/** In a shell case a rule may be the bare command: `git status *`. */
function rulesOf({ kind, rules }: PolicyCase): Rules {
  const written = (list: readonly string[] | undefined) =>
    (list ?? []).map((rule) => (kind === "shell" && !/^[A-Z]\w*(\(|$)|^mcp__/.test(rule) ? `Bash(${rule})` : rule));
  return { allow: written(rules?.allow), ask: written(rules?.ask), deny: written(rules?.deny) };
}

function shellEffects({ input, setup }: PolicyCase, { workspace, home }: PolicyTestPlaces): Effect[] {
  const analysis = analyzeCommand(input, {
    cwd: workspace,
    userHome: home,
    workspace,
    gitTrusted: setup?.gitConfig === undefined,
    gitRoot: workspace,
    ...(setup?.gitConfig === undefined ? {} : { gitConfigKeys: Object.keys(setup.gitConfig).map((key) => key.toLowerCase()) }),
  });
  const links = setup?.symlinks ?? {};
  return analysis.effects.map((draft): Effect => {
    if (draft.kind !== "read" && draft.kind !== "write") return draft;
    return { ...draft, path: factsFromText(draft.path, { cwd: workspace, platform: "posix", links }) };
  });
}

function pathEffect({ input, op, setup, platform }: PolicyCase, world: PolicyWorld): Effect {
  const links: Record<string, string> = { ...setup?.symlinks };
  if (setup?.race) links[setup.race.path] = setup.race.to;
  const named = platform === "win32" ? input : asPath(input);
  const path = factsFromText(named, {
    cwd: world.workspace,
    platform: platform ?? "posix",
    links,
    ...(platform === "win32" ? {} : kindHere(named, world.workspace)),
    ...(setup?.hardlinks !== undefined && Object.hasOwn(setup.hardlinks, input) ? { hardLinks: 2 } : {}),
  });
  return op === "write" ? { kind: "write", path, change: "modify" } : { kind: "read", path };
}

function worldOf({ platform, rules }: PolicyCase, { workspace, home }: PolicyTestPlaces): PolicyWorld {
  const windows = platform === "win32";
  const root = windows ? "C:\\repo" : workspace;
  const userHome = windows ? "C:\\Users\\u" : home;
  return {
    workspace: root,
    roots: [root],
    temporary: [],
    userHome,
    karyiHome: windows ? `${userHome}\\.karyi` : join(userHome, ".karyi"),
    allowedDomains: rules?.allowDomains ?? [],
    platform: windows ? "win32" : "posix",
    caseInsensitive: windows,
    sandboxed: false,
  };
}

/** Only where a path begins: `https://host/repo` and `C:\repo` stay as they are. */
function mapPlaces(value: unknown, { workspace, home }: PolicyTestPlaces): unknown {
  if (typeof value === "string")
    return value.replace(/(?<![\w.:/\\-])\/repo(?![A-Za-z0-9.])/g, workspace).replace(/(?<![\w.:/\\-])\/home\/u(?![\w.-])/g, home);
  if (Array.isArray(value)) return value.map((item) => mapPlaces(item, { workspace, home }));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [mapPlaces(key, { workspace, home }) as string, mapPlaces(item, { workspace, home })]),
  );
}
