/**
 * Where configuration comes from: `~/.karyi/config.json` below `.karyi/config.json` below environment
 * below flags. A project's file counts in full only while the person trusts exactly that file.
 */
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { Json, JsonObject } from "../contract/index.ts";
import { canonical, readJsonFile, setAside, writeJsonFile } from "../host/index.ts";
import { type Config, configSchema, type EffectiveConfig, mergeConfig, tighteningOnly } from "./config.ts";

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
  /** The configured further roots, absolute with links resolved. */
  readonly extraRoots: readonly string[];
  /** What the person should know: files set aside, keys that are not understood, an untrusted project. */
  readonly warnings: readonly string[];
}

export const homeConfigPath = (home: string) => join(home, "config.json");
export const projectConfigPath = (workspace: string) => join(workspace, ".karyi", "config.json");
const projectsPath = (home: string) => join(home, "projects.json");

/** What is kept about a workspace in the home. */
interface ProjectEntry {
  readonly trustedConfig?: string;
  readonly allow?: readonly string[];
}

export async function loadConfig(places: ConfigPlaces, now: () => number): Promise<LoadedConfig> {
  const warnings: string[] = [];
  const home = await readLayer(homeConfigPath(places.home), warnings, now, true);
  const project = await readLayer(projectConfigPath(places.workspace), warnings, now, false);
  const entry = (await readProjects(places.home, warnings, now))[places.workspace] ?? {};
  const env = envLayer(places.env, warnings);
  const beneath = mergeConfig([home.config]);
  const projectTrusted = project.hash === undefined || project.hash === entry.trustedConfig;
  if (!projectTrusted) {
    warnings.push(
      `The project's config (${projectConfigPath(places.workspace)}) is not trusted: it can only tighten permissions. Trust it with: karyi config trust`,
    );
  }
  const projectLayer = projectTrusted ? project.config : tighteningOnly(project.config, beneath.mode);
  const remembered: Config = { permissions: { allow: [...(entry.allow ?? [])] } };
  const effective = mergeConfig([home.config, projectLayer, remembered, env, places.flags]);
  return {
    effective,
    extraRoots: await Promise.all(effective.roots.map((root) => canonical(resolve(places.workspace, root)))),
    layers: { home: home.config, project: project.config, env, flags: places.flags },
    projectTrusted,
    warnings,
  };
}

/** Trusts the project's config as it is now; a later change needs trust again. */
export async function trustProject(
  home: string,
  workspace: string,
  now: () => number,
): Promise<{ readonly path: string; readonly present: boolean }> {
  const path = projectConfigPath(workspace);
  const project = await readLayer(path, [], now, false);
  await updateProject(home, workspace, now, (entry) => (project.hash === undefined ? entry : { ...entry, trustedConfig: project.hash }));
  return { path, present: project.hash !== undefined };
}

export async function rememberRules(home: string, workspace: string, rules: readonly string[], now: () => number): Promise<void> {
  await updateProject(home, workspace, now, (entry) => ({ ...entry, allow: [...new Set([...(entry.allow ?? []), ...rules])] }));
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
  const config = parseConfig(root, path);
  await writeJsonFile(path, root);
  return config;
}

function parseConfig(value: Json, path: string): Config {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "(top)"}: ${issue.message}`);
  throw new Error(`${path}: ${problems.join("; ")}. Known keys: ${Object.keys(configSchema.shape).join(", ")}.`);
}

interface Layer {
  readonly config: Config;
  readonly hash?: string;
}

/** The person's own damaged file is set aside and reported; a project's is left alone and ignored. Wrong keys stop everything: a policy that is half understood is not safe. */
async function readLayer(path: string, warnings: string[], now: () => number, own: boolean): Promise<Layer> {
  const file = await readJsonFile(path);
  if (file.kind === "absent") return { config: {} };
  if (file.kind === "damaged") {
    if (!own) throw new Error(`${path} is not readable JSON (${file.message}). Mend it or remove it.`);
    const aside = await setAside(path, now());
    warnings.push(`${path} was damaged (${file.message}); it was set aside as ${aside} and the defaults are used.`);
    return { config: {} };
  }
  return { config: parseConfig(file.value, path), hash: createHash("sha256").update(file.text).digest("hex") };
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

function envLayer(env: ConfigPlaces["env"], warnings: string[]): Config {
  const candidate: Record<string, Json> = {};
  if (env.KARYI_MODE !== undefined) candidate.mode = env.KARYI_MODE;
  if (env.KARYI_DURABILITY !== undefined) candidate.durability = env.KARYI_DURABILITY;
  const parsed = configSchema.safeParse(candidate);
  if (parsed.success) return parsed.data;
  warnings.push(
    `KARYI_MODE or KARYI_DURABILITY has an unknown value and is ignored: ${parsed.error.issues.map(({ message }) => message).join("; ")}`,
  );
  return {};
}
