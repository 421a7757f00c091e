/** The shape of the configuration, and how its layers are put over each other. */
import { z } from "zod";
import { type Mode, modes, type NetworkAccess, type Rules, type SandboxTier } from "../contract/index.ts";

const ruleList = z.array(z.string());

export const configSchema = z.strictObject({
  mode: z.enum(modes).optional(),
  permissions: z.strictObject({ allow: ruleList.optional(), ask: ruleList.optional(), deny: ruleList.optional() }).optional(),
  /** Further directories that count as the workspace. */
  roots: z.array(z.string()).optional(),
  /** System directories that may be read after asking. */
  readableSystemPaths: z.array(z.string()).optional(),
  /** Hosts that may be fetched without asking. */
  allowedDomains: z.array(z.string()).optional(),
  hooks: z
    .array(
      z.strictObject({
        event: z.enum(["before", "after"]),
        match: z.string().optional(),
        command: z.string(),
        timeoutMs: z.number().int().positive().optional(),
      }),
    )
    .optional(),
  /** Above this many tools only the core is shown to a model. */
  deferThreshold: z.number().int().nonnegative().optional(),
  maxOutputBytes: z.number().int().min(1024).optional(),
  callTimeoutMs: z.number().int().positive().optional(),
  /** A foreground command that takes longer goes on in the background. */
  foregroundBudgetMs: z.number().int().positive().optional(),
  approvalTtlHours: z.number().positive().optional(),
  retention: z.strictObject({ days: z.number().positive().optional(), maxOutputBytes: z.number().int().positive().optional() }).optional(),
  /** What a secure variable that does not exist does: stops the call, or stays as written with a warning. */
  missingValue: z.enum(["interactive", "warn"]).optional(),
  durability: z.enum(["full", "off"]).optional(),
  /**
   * `capture`: run commands so that they can be undone. `require`: refuse commands where less than this tier holds. `network`: what
   * commands that may change something reach; where it cannot be closed they are refused.
   */
  sandbox: z
    .strictObject({
      capture: z.enum(["auto", "off"]).optional(),
      require: z.enum(["E1", "E2", "E2u", "E3", "E4"]).optional(),
      network: z.enum(["none", "loopback", "on"]).optional(),
    })
    .optional(),
});

export type Config = z.infer<typeof configSchema>;

/** Everything filled in. */
export interface EffectiveConfig {
  readonly mode: Mode;
  readonly rules: Rules;
  readonly roots: readonly string[];
  readonly readableSystemPaths: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly hooks: NonNullable<Config["hooks"]>;
  readonly deferThreshold: number;
  readonly maxOutputBytes: number;
  readonly callTimeoutMs: number;
  readonly foregroundBudgetMs: number | undefined;
  readonly approvalTtlMs: number;
  readonly retentionDays: number;
  readonly retentionOutputBytes: number;
  readonly missingValue: "interactive" | "warn";
  readonly durable: boolean;
  readonly capture: "auto" | "off";
  readonly requiredTier: SandboxTier | undefined;
  readonly network: NetworkAccess | undefined;
}

/** Later layers win, setting by setting; lists of rules, roots and hooks add up. */
export function mergeConfig(layers: readonly Config[]): EffectiveConfig {
  const lastOf = <T>(pick: (layer: Config) => T | undefined): T | undefined => layers.map(pick).findLast((value) => value !== undefined);
  const last = <K extends keyof Config>(key: K): Config[K] | undefined => lastOf((layer) => layer[key]);
  const all = <T>(pick: (layer: Config) => readonly T[] | undefined): T[] => layers.flatMap((layer) => pick(layer) ?? []);
  return {
    mode: last("mode") ?? "default",
    rules: {
      allow: all((layer) => layer.permissions?.allow),
      ask: all((layer) => layer.permissions?.ask),
      deny: all((layer) => layer.permissions?.deny),
    },
    roots: all((layer) => layer.roots),
    readableSystemPaths: all((layer) => layer.readableSystemPaths),
    allowedDomains: all((layer) => layer.allowedDomains),
    hooks: all((layer) => layer.hooks),
    deferThreshold: last("deferThreshold") ?? 15,
    maxOutputBytes: last("maxOutputBytes") ?? defaultMaxOutputBytes,
    callTimeoutMs: last("callTimeoutMs") ?? 600_000,
    foregroundBudgetMs: last("foregroundBudgetMs"),
    approvalTtlMs: (last("approvalTtlHours") ?? 7 * 24) * 3_600_000,
    retentionDays: lastOf(({ retention }) => retention?.days) ?? 30,
    retentionOutputBytes: lastOf(({ retention }) => retention?.maxOutputBytes) ?? 1 << 30,
    missingValue: last("missingValue") ?? "interactive",
    durable: last("durability") !== "off",
    capture: lastOf(({ sandbox }) => sandbox?.capture) ?? "auto",
    requiredTier: lastOf(({ sandbox }) => sandbox?.require),
    network: lastOf(({ sandbox }) => sandbox?.network),
  };
}

const defaultMaxOutputBytes = 256 * 1024;
const strictness: readonly Mode[] = ["plan", "default", "accept-edits", "auto"];

/** What a project may say before the person trusts it: it can tighten, never widen, and never run anything. */
export function tighteningOnly(project: Config, mode: Mode): Config {
  const stricter = project.mode !== undefined && strictness.indexOf(project.mode) < strictness.indexOf(mode);
  return {
    ...(stricter ? { mode: project.mode } : {}),
    permissions: { ask: project.permissions?.ask ?? [], deny: project.permissions?.deny ?? [] },
    ...(project.maxOutputBytes === undefined ? {} : { maxOutputBytes: Math.min(project.maxOutputBytes, defaultMaxOutputBytes) }),
    ...(project.deferThreshold === undefined ? {} : { deferThreshold: project.deferThreshold }),
  };
}
