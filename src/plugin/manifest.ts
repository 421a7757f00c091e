/**
 * `plugin.json` (M3): its shape, and everything that is wrong with one. Owns the names of a plugin's tools and servers.
 * Refuses nothing itself: problems are answered as a list, all of them at once.
 */
import { z } from "zod";
import type { JsonObject, JsonSchema } from "../contract/index.ts";

const toolSchema = z.looseObject({
  name: z.string(),
  description: z.string().trim().min(1),
  command: z.array(z.string().min(1)).min(1),
  input_schema: z.record(z.string(), z.json()),
  traits: z
    .looseObject({
      read_only: z.boolean().optional(),
      concurrency_safe: z.boolean().optional(),
      destructive: z.boolean().optional(),
      search_hint: z.string().optional(),
      permission: z.enum(["auto", "confirm"]).optional(),
    })
    .optional(),
  timeout_ms: z.number().int().positive().max(600_000).optional(),
  env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is no name of a variable")).optional(),
});

const folders = z.union([z.string().min(1), z.array(z.string().min(1))]);

const manifestSchema = z.looseObject({
  name: z.string().regex(/^(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, "is 1 to 32 letters, digits, '_' and '-', without '__'"),
  version: z.string().trim().min(1),
  description: z.string().optional(),
  tools: z.array(toolSchema),
  mcpServers: z
    .record(z.string().regex(/^(?!_)(?!.*__)[A-Za-z0-9_-]{1,32}$/, "is no name of a server"), z.record(z.string(), z.json()))
    .optional(),
  agents: folders.optional(),
  skills: folders.optional(),
});

export type PluginManifest = z.infer<typeof manifestSchema>;
export type PluginTool = PluginManifest["tools"][number];

export const pluginToolTimeoutMs = 30_000;
/** Names for model APIs and MCP are at most so long. */
const shortName = 48;
const toolName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export interface ManifestReading {
  /** Absent if there are problems. */
  readonly manifest?: PluginManifest;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export interface ManifestChecks {
  /** Says why a JSON Schema cannot be used. */
  schemaProblem(schema: JsonSchema): string | undefined;
}

export function readManifest(value: unknown, { schemaProblem }: ManifestChecks): ManifestReading {
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) {
    return {
      problems: parsed.error.issues.map(({ path, message }) => `${path.length === 0 ? "plugin.json" : path.join(".")}: ${message}`),
      warnings: [],
    };
  }
  const manifest = parsed.data;
  const problems: string[] = [];
  const warnings = unknownKeys(manifest, Object.keys(manifestSchema.shape), "plugin.json");
  const names = new Set<string>();
  for (const [at, tool] of manifest.tools.entries()) {
    const where = `tools.${at} (${tool.name})`;
    if (!toolName.test(tool.name) || tool.name.includes("__"))
      problems.push(`${where}: the name is letters, digits, '_' and '-', at most 64, without '__'`);
    if (names.has(tool.name)) problems.push(`${where}: there are two tools of this name`);
    names.add(tool.name);
    if (`${manifest.name}__${tool.name}`.length > shortName)
      warnings.push(`${where}: with its plugin the name has over ${shortName} characters; MCP clients see a shortened one`);
    const wrong =
      tool.input_schema.type === "object" ? schemaProblem(tool.input_schema as JsonSchema) : 'input_schema: "type" must be "object"';
    if (wrong !== undefined) problems.push(`${where}: ${wrong.startsWith("input_schema") ? wrong : `input_schema: ${wrong}`}`);
    warnings.push(...unknownKeys(tool, Object.keys(toolSchema.shape), where));
  }
  return problems.length > 0 ? { problems, warnings } : { manifest, problems, warnings };
}

function unknownKeys(value: object, known: readonly string[], where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}: the key '${key}' is not known and does nothing`);
}

/** `PLUGIN:TOOL`, and the form for model APIs and MCP. */
export function pluginToolNames(plugin: string, tool: string): { readonly name: string; readonly alias: string } {
  return { name: `${plugin}:${tool}`, alias: `${plugin}__${tool}` };
}

/** Paths in a manifest that must be inside the plugin's folder: `./x` of commands, folders of agents and skills. */
export function pathsOf({
  tools,
  agents,
  skills,
}: PluginManifest): readonly { readonly where: string; readonly path: string; readonly program: boolean }[] {
  const commands = tools.flatMap(({ name, command }) =>
    command
      .map((part, at) => ({ where: `the command of ${name}`, path: part, program: at === 0 }))
      .filter(({ path }) => path.startsWith("./")),
  );
  const listed = [...foldersOf(agents), ...foldersOf(skills)].map((path) => ({ where: "agents and skills", path, program: false }));
  return [...commands, ...listed];
}

export function foldersOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

/** A server as its config would say it, with `PLUGIN_SERVER` as its name. */
export interface PluginServer {
  readonly name: string;
  readonly plugin: string;
  /** The plugin's folder: a command runs there unless it says otherwise. */
  readonly folder: string;
  readonly config: JsonObject;
}

export function serversOf({ name, mcpServers = {} }: PluginManifest, folder: string): readonly PluginServer[] {
  return Object.entries(mcpServers).map(([server, config]) => ({
    name: `${name}_${server}`,
    plugin: name,
    folder,
    config: config as JsonObject,
  }));
}
