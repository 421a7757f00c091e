/**
 * Where configuration comes from: `~/.karyi/config.json` below `.karyi/config.json` below environment
 * below flags. A project's file counts in full only while the person trusts exactly that file.
 */
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { Json, JsonObject } from "../contract/index.ts";
import { canonical, readJsonFile, setAside, writeJsonFile } from "../host/index.ts";
import { builtinTools } from "./builtin-tools.ts";
import { ruleProblems, schemaProblems } from "./check-config.ts";
import { type EffectiveConfig, mergeConfig, tighteningOnly } from "./config.ts";
import { type Config, configSchema } from "./config-schema.ts";
import { changedScripts, hookScripts, type ScriptDigests } from "./hook-scripts.ts";
import { projectServersPath, readProjectServers } from "./project-servers.ts";

export interface ConfigPlaces {
  readonly home: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Config;
}

export interface LoadedConfig {
  readonly effective: EffectiveConfig;
  readonly layers: { readonly home: Config; readonly project: Config; readonly env: Config; readonly flags: Config };
  readonly projectTrusted: boolean;
  /** True if a person trusted the project as it is now. Unlike `projectTrusted` false where nobody was ever asked. */
  readonly trustedByPerson: boolean;
  /** Hash of the `.mcp.json` that a person trusted. */
  readonly trustedServers: string | undefined;
  /** Files that the project's hooks name, as they were when a person trusted them. */
  readonly trustedScripts: ScriptDigests;
  /** Allow rules of this workspace that a person chose with "always". */
  readonly rememberedRules: readonly string[];
  /** Allow rules of this workspace whose commands get no network. */
  readonly offlineRules: readonly string[];
  /** The configured further roots, absolute with links resolved. */
  readonly extraRoots: readonly string[];
  /** What the person should know: files set aside, keys that are not understood, an untrusted project. */
  readonly warnings: readonly string[];
}

export const homeConfigPath = (home: string) => join(home, "config.json");
export const projectConfigPath = (workspace: string) => join(workspace, ".karyi", "config.json");
/** Stands for the hash of a config in a project that has none. */
const noConfig = "none";
const projectsPath = (home: string) => join(home, "projects.json");

/** What is kept about a workspace in the home. */
interface ProjectEntry {
  readonly trustedConfig?: string;
  /** Hash of the `.mcp.json` that was trusted. */
  readonly trustedServers?: string;
  /** What the files held that the hooks of that config name. */
  readonly trustedScripts?: ScriptDigests;
  readonly allow?: readonly string[];
  /** Those of `allow` that were chosen when no network was wanted. */
  readonly offline?: readonly string[];
}

export async function loadConfig(places: ConfigPlaces, now: () => number): Promise<LoadedConfig> {
  const warnings: string[] = [];
  const home = await readLayer(homeConfigPath(places.home), warnings, now, true);
  const entry = (await readProjects(places.home, warnings, now))[places.workspace] ?? {};
  const project = await readLayer(projectConfigPath(places.workspace), warnings, now, false, entry.trustedConfig);
  const env = envLayer(places.env);
  const beneath = mergeConfig([home.config]);
  const projectTrusted = project.hash === undefined || project.hash === entry.trustedConfig;
  if (!projectTrusted) {
    warnings.push(
      `The project's config (${projectConfigPath(places.workspace)}) is not trusted: it can only tighten permissions. Trust it with: karyi config trust`,
    );
  }
  const trustedScripts = entry.trustedScripts ?? {};
  for (const { command } of projectTrusted ? (project.config.hooks ?? []) : []) {
    const changed = await changedScripts(places.workspace, command, trustedScripts);
    if (changed.length > 0) warnings.push(`The hook '${command}' is not run: ${changedWords(changed)}`);
  }
  const projectLayer = projectTrusted ? project.config : tighteningOnly(project.config, beneath.mode);
  const remembered: Config = { permissions: { allow: [...(entry.allow ?? [])] } };
  const effective = mergeConfig([home.config, projectLayer, remembered, env, places.flags]);
  return {
    effective,
    rememberedRules: entry.allow ?? [],
    offlineRules: entry.offline ?? [],
    extraRoots: await Promise.all(effective.roots.map((root) => canonical(resolve(places.workspace, root)))),
    layers: { home: home.config, project: project.config, env, flags: places.flags },
    projectTrusted,
    trustedServers: entry.trustedServers,
    trustedScripts,
    trustedByPerson: entry.trustedConfig === (project.hash ?? noConfig),
    warnings,
  };
}

/** Why a hook is not run. */
export function changedWords(paths: readonly string[]): string {
  return `${paths.join(", ")} changed since the project was trusted. Look at it, then: karyi config trust`;
}

/** Trusts the project's config as it is now, and the files its hooks name; a later change needs trust again. */
export async function trustProject(
  home: string,
  workspace: string,
  now: () => number,
): Promise<{ readonly path: string; readonly present: boolean }> {
  const path = projectConfigPath(workspace);
  const problems: string[] = [];
  const project = await readLayer(path, problems, now, false);
  problems.push(
    ...ruleProblems(project.config.permissions ?? {}, builtinNames()).flatMap(({ certain, message }) => (certain ? message : [])),
  );
  // Once it is trusted, what is wrong with it would stop every command.
  if (problems[0] !== undefined) throw new ConfigError(`${path} was not trusted: ${problems[0]}`);
  const servers = await readProjectServers(workspace);
  const scripts = await hookScripts(workspace, project.config.hooks ?? []);
  await updateProject(home, workspace, now, ({ trustedServers: _, trustedScripts: __, ...entry }) => ({
    ...entry,
    ...(Object.keys(scripts).length === 0 ? {} : { trustedScripts: scripts }),
    trustedConfig: project.hash ?? noConfig,
    ...(servers === undefined ? {} : { trustedServers: servers.hash }),
  }));
  if (project.hash === undefined && servers !== undefined) return { path: projectServersPath(workspace), present: true };
  return { path, present: project.hash !== undefined };
}

/** `offline`: what they allow gets no network; without it a rule that had none before has it from now on. */
export async function rememberRules(
  home: string,
  workspace: string,
  rules: readonly string[],
  offline: boolean,
  now: () => number,
): Promise<void> {
  await updateProject(home, workspace, now, (entry) => ({
    ...entry,
    allow: [...new Set([...(entry.allow ?? []), ...rules])],
    offline: [...(entry.offline ?? []).filter((rule) => !rules.includes(rule)), ...(offline ? rules : [])],
  }));
}

/** Takes back what was chosen with "always". */
export async function forgetRule(home: string, workspace: string, rule: string, now: () => number): Promise<void> {
  const without = (rules: readonly string[] | undefined): readonly string[] => (rules ?? []).filter((one) => one !== rule);
  await updateProject(home, workspace, now, (entry) => ({ ...entry, allow: without(entry.allow), offline: without(entry.offline) }));
}

/** Tools that are made for each engine, and their aliases. */
const agentToolNames = [
  "Agent",
  "Task",
  "call_subagent",
  "Skill",
  "skill",
  "use_skill",
  "ProposeTool",
  "propose_tool",
  "ListMcpResources",
  "list_mcp_resources",
  "ReadMcpResource",
  "read_mcp_resource",
  "ListMcpPrompts",
  "list_mcp_prompts",
  "GetMcpPrompt",
  "get_mcp_prompt",
];

/** Takes rules that were chosen with "always" out of force; answers those that were there. */
export async function forgetRules(
  home: string,
  workspace: string,
  rules: readonly string[],
  now: () => number,
): Promise<readonly string[]> {
  let found: readonly string[] = [];
  await updateProject(home, workspace, now, (entry) => {
    found = (entry.allow ?? []).filter((rule) => rules.includes(rule));
    const left = (list: readonly string[] = []): readonly string[] => list.filter((rule) => !rules.includes(rule));
    return { ...entry, allow: left(entry.allow), offline: left(entry.offline) };
  });
  return found;
}

/** Names and aliases of the built-in tools. */
export function builtinNames(): readonly string[] {
  return [...builtinTools.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]), ...agentToolNames];
}

/**
 * Problems of the rules in force, each said once: of the person's own settings as errors, of an untrusted project's file as
 * warnings. `tools` are the names and aliases that exist.
 */
export function checkRules(
  { layers, projectTrusted }: Pick<LoadedConfig, "layers" | "projectTrusted">,
  tools: readonly string[],
): { readonly errors: readonly string[]; readonly unknownTools: readonly string[]; readonly warnings: readonly string[] } {
  const { home, project, env, flags } = layers;
  const own = [home, env, flags, ...(projectTrusted ? [project] : [])].flatMap((layer) => ruleProblems(layer.permissions ?? {}, tools));
  const foreign = projectTrusted ? [] : ruleProblems(project.permissions ?? {}, tools);
  return {
    errors: own.filter(({ certain }) => certain).map(({ message }) => message),
    unknownTools: own.filter(({ certain }) => !certain).map(({ message }) => message),
    warnings: foreign.map(({ message }) => message),
  };
}

/** Sets one dotted key of a config file; the whole file is checked before it is written. */
export async function setConfigKey(path: string, key: string, value: Json | undefined): Promise<Config> {
  const file = await readJsonFile(path);
  if (file.kind === "damaged") throw new Error(`${path} cannot be read: ${file.message}. Mend or remove it first.`);
  const root = structuredClone(file.kind === "json" ? file.value : {}) as Record<string, Json>;
  const parts = key.split(".");
  const leaf = parts.pop() ?? key;
  let node: Record<string, Json> = root;
  for (const part of parts) {
    const next = node[part];
    node[part] = typeof next === "object" && next !== null && !Array.isArray(next) ? { ...next } : {};
    node = node[part] as Record<string, Json>;
  }
  if (value === undefined) delete node[leaf];
  else node[leaf] = value;
  const config = checkedConfig(root, path);
  const [problem] = ruleProblems(config.permissions ?? {}, builtinNames()).filter(({ certain }) => certain);
  if (problem) throw new ConfigError(problem.message);
  await writeJsonFile(path, root);
  return config;
}

/** The settings if they fit the schema; else a `ConfigError` that names each problem and the nearest right form. */
export function checkedConfig(value: unknown, path: string): Config {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${path}: ${schemaProblems(parsed.error, configSchema).join("; ")}.`);
}

/** Settings that cannot be understood; a policy that is half understood is not safe. */
class ConfigError extends Error {}

/** The deny and ask rules of a file that is otherwise not understood. */
function prohibitionsOf(value: Json): Config {
  const { permissions } = (value ?? {}) as { readonly permissions?: { readonly ask?: unknown; readonly deny?: unknown } };
  const texts = (list: unknown): string[] => (Array.isArray(list) ? list.filter((rule) => typeof rule === "string") : []);
  return { permissions: { ask: texts(permissions?.ask), deny: texts(permissions?.deny) } };
}

interface Layer {
  readonly config: Config;
  readonly hash?: string;
}

/** The person's own damaged file is set aside and reported; a project's is left alone and ignored. Wrong keys stop everything: a policy that is half understood is not safe. */
async function readLayer(path: string, warnings: string[], now: () => number, own: boolean, trusted?: string): Promise<Layer> {
  const file = await readJsonFile(path);
  if (file.kind === "absent") return { config: {} };
  if (file.kind === "damaged") {
    if (!own) throw new Error(`${path} is not readable JSON (${file.message}). Mend it or remove it.`);
    const aside = await setAside(path, now());
    warnings.push(`${path} was damaged (${file.message}); it was set aside as ${aside} and the defaults are used.`);
    return { config: {} };
  }
  const hash = createHash("sha256").update(file.text).digest("hex");
  try {
    return { config: checkedConfig(file.value, path), hash };
  } catch (error) {
    if (own || hash === trusted || !(error instanceof ConfigError)) throw error;
    warnings.push(`${error.message} Of this untrusted file only its deny and ask rules hold.`);
    return { config: prohibitionsOf(file.value), hash };
  }
}

async function readProjects(home: string, warnings: string[], now: () => number): Promise<Record<string, ProjectEntry>> {
  const path = projectsPath(home);
  const file = await readJsonFile(path);
  if (file.kind === "json" && typeof file.value === "object" && file.value !== null && !Array.isArray(file.value)) {
    return Object.assign(Object.create(null), file.value as JsonObject) as Record<string, ProjectEntry>;
  }
  if (file.kind === "damaged") {
    const aside = await setAside(path, now());
    warnings.push(`${path} was damaged (${file.message}); it was set aside as ${aside}. Projects need to be trusted again.`);
  }
  return {};
}

async function updateProject(
  home: string,
  workspace: string,
  now: () => number,
  change: (entry: ProjectEntry) => ProjectEntry,
): Promise<void> {
  const projects = await readProjects(home, [], now);
  const updated = { ...projects, [workspace]: change(projects[workspace] ?? {}) };
  await writeJsonFile(projectsPath(home), updated as unknown as Json);
}

function envLayer(env: ConfigPlaces["env"]): Config {
  const { KARYI_MODE: mode = "", KARYI_DURABILITY: durability = "", KARYI_MODEL: model = "" } = env;
  const named = Object.entries({ mode, durability, model }).filter(([, value]) => value !== "");
  return checkedConfig(Object.fromEntries(named), "the environment (KARYI_MODE, KARYI_DURABILITY, KARYI_MODEL)");
}
