/** The configuration with everything filled in, and how its layers are put over each other. */
import type { Mode, NetworkAccess, Rules, SandboxTier } from "../contract/index.ts";
import type { ProvidersConfig } from "./config-agents.ts";
import { defaultElicitationTimeoutMs } from "./config-mcp.ts";
import { type Config, defaults } from "./config-schema.ts";
import type { WebConfig } from "./config-web.ts";

/** Everything filled in. */
export interface EffectiveConfig {
  readonly mode: Mode;
  readonly rules: Rules;
  readonly roots: readonly string[];
  readonly systemPaths: "denied" | "open";
  readonly allowedDomains: readonly string[];
  readonly hooks: NonNullable<Config["hooks"]>;
  readonly deferThreshold: number;
  readonly maxOutputBytes: number;
  readonly callTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly foregroundBudgetMs: number | undefined;
  readonly approvalTtlMs: number;
  readonly retentionDays: number;
  readonly retentionOutputBytes: number;
  readonly missingValue: "interactive" | "warn";
  readonly edits: "exact" | "whitespace";
  readonly durable: boolean;
  readonly capture: "auto" | "off";
  readonly requiredTier: SandboxTier | undefined;
  readonly network: NetworkAccess | undefined;
  readonly commands: "rehearse" | "ask";
  readonly maxLayerBytes: number | undefined;
  readonly visible: readonly string[];
  readonly web: WebConfig;
  readonly mcp: { readonly elicitationTimeoutMs: number };
  /** `PROVIDER/MODEL` of runs that name none. */
  readonly model: string | undefined;
  readonly providers: ProvidersConfig;
  readonly maxAgentDepth: number;
  readonly modelOutputTokens: number;
  readonly gateway: { readonly requestsPerMinute: number; readonly maxBodyBytes: number; readonly hostNames: readonly string[] };
}

/** Later layers win, setting by setting; lists of rules, roots and hooks add up. */
export function mergeConfig(layers: readonly Config[]): EffectiveConfig {
  const lastOf = <T>(pick: (layer: Config) => T | undefined): T | undefined => layers.map(pick).findLast((value) => value !== undefined);
  const last = <K extends keyof Config>(key: K): Config[K] | undefined => lastOf((layer) => layer[key]);
  const all = <T>(pick: (layer: Config) => readonly T[] | undefined): T[] => layers.flatMap((layer) => pick(layer) ?? []);
  return {
    mode: last("mode") ?? defaults.mode,
    rules: {
      allow: all((layer) => layer.permissions?.allow),
      ask: all((layer) => layer.permissions?.ask),
      deny: all((layer) => layer.permissions?.deny),
    },
    roots: all((layer) => layer.roots),
    // Said once, it holds: no later layer opens what an earlier one denied.
    systemPaths: layers.some(({ systemPaths }) => systemPaths === "denied") ? "denied" : "open",
    allowedDomains: all((layer) => layer.allowedDomains),
    hooks: all((layer) => layer.hooks),
    deferThreshold: last("deferThreshold") ?? defaults.deferThreshold,
    maxOutputBytes: last("maxOutputBytes") ?? defaults.maxOutputBytes,
    callTimeoutMs: last("callTimeoutMs") ?? defaults.callTimeoutMs,
    lockTimeoutMs: last("lockTimeoutMs") ?? defaults.lockTimeoutMs,
    foregroundBudgetMs: last("foregroundBudgetMs"),
    // Times are kept as whole numbers.
    approvalTtlMs: Math.ceil((last("approvalTtlHours") ?? defaults.approvalTtlHours) * 3_600_000),
    retentionDays: lastOf(({ retention }) => retention?.days) ?? defaults.retentionDays,
    retentionOutputBytes: lastOf(({ retention }) => retention?.maxOutputBytes) ?? defaults.retentionOutputBytes,
    missingValue: last("missingValue") ?? defaults.missingValue,
    edits: last("edits") ?? defaults.edits,
    durable: last("durability") !== "off",
    capture: lastOf(({ sandbox }) => sandbox?.capture) ?? defaults.capture,
    requiredTier: lastOf(({ sandbox }) => sandbox?.require),
    network: lastOf(({ sandbox }) => sandbox?.network),
    mcp: { elicitationTimeoutMs: lastOf(({ mcp }) => mcp?.elicitationTimeoutMs) ?? defaultElicitationTimeoutMs },
    gateway: {
      requestsPerMinute: lastOf(({ gateway }) => gateway?.requestsPerMinute) ?? defaults.requestsPerMinute,
      maxBodyBytes: lastOf(({ gateway }) => gateway?.maxBodyBytes) ?? defaults.maxBodyBytes,
      hostNames: all(({ gateway }) => gateway?.hostNames),
    },
    commands: last("commands") ?? defaults.commands,
    maxLayerBytes: lastOf(({ sandbox }) => sandbox?.maxLayerBytes),
    model: last("model"),
    providers: Object.assign({}, ...layers.map(({ providers }) => providers ?? {})),
    maxAgentDepth: lastOf(({ agents }) => agents?.maxDepth) ?? 3,
    modelOutputTokens: last("modelOutputTokens") ?? 25_000,
    visible: all(({ sandbox }) => sandbox?.visible),
    web: { allowPrivate: all(({ web }) => web?.allowPrivate), search: lastOf(({ web }) => web?.search) },
  };
}

const strictness: readonly Mode[] = ["plan", "default", "accept-edits", "auto"];

/** What a project may say before the person trusts it: it can tighten, never widen, and never run anything. */
export function tighteningOnly(project: Config, mode: Mode): Config {
  const stricter = project.mode !== undefined && strictness.indexOf(project.mode) < strictness.indexOf(mode);
  return {
    ...(stricter ? { mode: project.mode } : {}),
    permissions: { ask: project.permissions?.ask ?? [], deny: project.permissions?.deny ?? [] },
    ...(project.commands === "ask" ? { commands: "ask" } : {}),
    ...(project.systemPaths === "denied" ? { systemPaths: "denied" } : {}),
    ...(project.maxOutputBytes === undefined ? {} : { maxOutputBytes: Math.min(project.maxOutputBytes, defaults.maxOutputBytes) }),
    ...(project.deferThreshold === undefined ? {} : { deferThreshold: project.deferThreshold }),
  };
}
