/**
 * The plugins of a home: added as a copy with its hash, listed, updated, removed. Owns the record of what was added.
 * Refuses a taken name, a folder with problems, and to run a copy that is no longer what was added.
 */
import { type Json, type JsonObject, type Tool, ToolFailure } from "../contract/index.ts";
import {
  foldersOf,
  type ManifestChecks,
  type ManifestReading,
  type PluginManifest,
  type PluginServer,
  pathsOf,
  pluginToolNames,
  readManifest,
  serversOf,
} from "./manifest.ts";
import { createPluginTool, type PluginToolPorts } from "./plugin-tool.ts";

/** A folder as it is: every regular file with what it holds. */
interface FolderContent {
  readonly files: readonly { readonly path: string; readonly executable: boolean }[];
  /** Of names, modes and contents. */
  readonly hash: string;
}

export interface PluginPorts extends ManifestChecks, Pick<PluginToolPorts, "run" | "variable"> {
  /** `undefined` if there is no such file; a text that is no JSON is thrown as an error. */
  readJson(path: string): Promise<Json | undefined>;
  writeJson(path: string, value: Json): Promise<void>;
  /** Throws if the folder holds a link out of it, a special file, or too much. */
  look(folder: string): Promise<FolderContent>;
  copy(from: string, to: string): Promise<void>;
  remove(folder: string): Promise<void>;
  /** True if a command would find this program. */
  hasProgram(name: string): boolean;
  /** Unified differences of two folders. */
  difference(before: string, after: string): Promise<string>;
}

/** What the card at `add` shows. */
interface PluginCard {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly hash: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly command: readonly string[];
    readonly env: readonly string[];
  }[];
  readonly servers: readonly { readonly name: string; readonly config: JsonObject }[];
  readonly agents: boolean;
  readonly skills: boolean;
  /** Of an update. */
  readonly difference?: string;
  readonly warnings: readonly string[];
}

interface PluginEntry {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly string[];
  readonly error?: string;
}

interface AddedPlugin {
  readonly version: string;
  readonly hash: string;
  readonly folder: string;
  readonly addedAt: number;
}

interface StartCheck {
  /** Throws if the plugin's copy is no longer what was added. */
  demandUnchanged(): Promise<void>;
}

interface LoadedPlugin {
  readonly name: string;
  readonly folder: string;
  readonly hash: string;
  readonly manifest: PluginManifest;
}

export class PluginShelf {
  readonly #home: string;
  readonly #ports: PluginPorts;

  constructor(home: string, ports: PluginPorts) {
    this.#home = home;
    this.#ports = ports;
  }

  async validate(folder: string): Promise<ManifestReading> {
    let value: Json | undefined;
    try {
      value = await this.#ports.readJson(`${folder}/plugin.json`);
    } catch (error) {
      return { problems: [`plugin.json is no JSON: ${(error as Error).message}`], warnings: [] };
    }
    if (value === undefined) return { problems: ["There is no plugin.json."], warnings: [] };
    const reading = readManifest(value, this.#ports);
    if (reading.manifest === undefined) return reading;
    const checked = await this.#checkFolder(folder, reading.manifest);
    const problems = [...reading.problems, ...checked.problems];
    const warnings = [...reading.warnings, ...checked.warnings];
    return problems.length > 0 ? { problems, warnings } : { manifest: reading.manifest, problems, warnings };
  }

  async #checkFolder(folder: string, manifest: PluginManifest): Promise<{ readonly problems: string[]; readonly warnings: string[] }> {
    const problems: string[] = [];
    const warnings: string[] = [];
    const content = await this.#ports.look(folder).catch((error: Error) => {
      problems.push(error.message);
      return undefined;
    });
    for (const { where, path, program } of content === undefined ? [] : pathsOf(manifest)) {
      const inside = path.replace(/^\.\//, "").replace(/\/+$/, "");
      if (inside.split("/").includes("..") || inside.startsWith("/")) {
        problems.push(`${where}: ${path} is outside the plugin's folder`);
        continue;
      }
      const file = content?.files.find((one) => one.path === inside);
      const folderThere = content?.files.some((one) => one.path.startsWith(`${inside}/`)) === true;
      if (file === undefined && !folderThere) problems.push(`${where}: there is no ${path} in the plugin's folder`);
      else if (program && file?.executable !== true) problems.push(`${where}: ${path} is not executable (chmod +x)`);
    }
    for (const { name, command } of manifest.tools) {
      const [program = ""] = command;
      if (!program.startsWith("./") && !this.#ports.hasProgram(program))
        warnings.push(`the command of ${name}: the program ${program} is not found here`);
    }
    return { problems, warnings };
  }

  /** What would be added; `update` compares with what is there and allows the name. */
  async card(folder: string, { update = false } = {}): Promise<PluginCard> {
    const { manifest, problems, warnings } = await this.validate(folder);
    if (manifest === undefined) {
      throw new ToolFailure("invalid_tool_input", `This is no plugin: ${problems.join("; ")}.`, {
        hint: "`karyi plugin validate DIR` lists every problem.",
        details: { reason: "bad_plugin", problems: [...problems] },
      });
    }
    const there = (await this.#added())[manifest.name];
    if (there !== undefined && !update) {
      throw new ToolFailure("tool_conflict", `There is a plugin '${manifest.name}' (${there.version}) already.`, {
        hint: "See what is different and take it with --update, or remove the old one first.",
        details: { reason: "already_exists" },
      });
    }
    const { hash } = await this.#ports.look(folder);
    return {
      name: manifest.name,
      version: manifest.version,
      ...(manifest.description === undefined ? {} : { description: manifest.description }),
      hash,
      tools: manifest.tools.map((tool) => ({
        name: pluginToolNames(manifest.name, tool.name).name,
        description: tool.description,
        command: tool.command,
        env: tool.env ?? [],
      })),
      servers: serversOf(manifest, folder).map(({ name, config }) => ({ name, config })),
      agents: manifest.agents !== undefined,
      skills: manifest.skills !== undefined,
      ...(there === undefined ? {} : { difference: await this.#ports.difference(there.folder, folder) }),
      warnings,
    };
  }

  /** Copies what the card showed; a folder that changed since is refused. */
  async add(folder: string, card: PluginCard, now: number): Promise<void> {
    const copy = `${this.#home}/plugins/${card.name}-${card.hash.slice(0, 16)}`;
    const before = await this.#added();
    await this.#ports.remove(copy);
    await this.#ports.copy(folder, copy);
    const { hash } = await this.#ports.look(copy);
    if (hash !== card.hash) {
      await this.#ports.remove(copy);
      throw new ToolFailure("tool_conflict", `The folder ${folder} changed while the plugin was added.`, {
        details: { reason: "stale_file" },
      });
    }
    const entry: AddedPlugin = { version: card.version, hash, folder: copy, addedAt: now };
    await this.#write({ ...before, [card.name]: entry });
    const old = before[card.name];
    if (old !== undefined && old.folder !== copy) await this.#ports.remove(old.folder);
  }

  /** False if there is no such plugin. */
  async remove(name: string): Promise<boolean> {
    const { [name]: gone, ...rest } = await this.#added();
    if (gone === undefined) return false;
    await this.#write(rest);
    await this.#ports.remove(gone.folder);
    return true;
  }

  async list(): Promise<readonly PluginEntry[]> {
    return Promise.all(
      Object.entries(await this.#added()).map(async ([name, added]): Promise<PluginEntry> => {
        const loaded = await this.#load(name, added);
        if (typeof loaded === "string") return { name, version: added.version, tools: [], error: loaded };
        const tools = loaded.manifest.tools.map((tool) => pluginToolNames(name, tool.name).name);
        const error = await this.#changed(loaded);
        return { name, version: added.version, tools, ...(error === undefined ? {} : { error }) };
      }),
    );
  }

  /** The tools of all plugins; a plugin that cannot be read gives none and is told. */
  async tools(onProblem: (message: string) => void): Promise<readonly Tool[]> {
    return (await this.#all(onProblem)).flatMap((plugin) => {
      let unchanged: Promise<void> | undefined;
      const demandUnchanged = () => {
        unchanged ??= this.#demandUnchanged(plugin);
        return unchanged;
      };
      const { folder } = plugin;
      const { run, variable } = this.#ports;
      return plugin.manifest.tools.map((tool) => createPluginTool(plugin.name, tool, { folder, demandUnchanged, run, variable }));
    });
  }

  async servers(): Promise<readonly (PluginServer & StartCheck)[]> {
    return (await this.#all(() => {})).flatMap((plugin) =>
      serversOf(plugin.manifest, plugin.folder).map((server) => ({ ...server, demandUnchanged: () => this.#demandUnchanged(plugin) })),
    );
  }

  /** Absolute folders of the agents or skills that plugins bring. */
  async folders(kind: "agents" | "skills"): Promise<readonly string[]> {
    const all = await this.#all(() => {});
    return all.flatMap(({ manifest, folder }) => foldersOf(manifest[kind]).map((path) => `${folder}/${path.replace(/^\.\//, "")}`));
  }

  async #all(onProblem: (message: string) => void): Promise<readonly LoadedPlugin[]> {
    const loaded: LoadedPlugin[] = [];
    for (const [name, added] of Object.entries(await this.#added())) {
      const plugin = await this.#load(name, added);
      if (typeof plugin === "string") onProblem(`The plugin ${name} cannot be used: ${plugin}`);
      else loaded.push(plugin);
    }
    return loaded;
  }

  async #load(name: string, { folder, hash }: AddedPlugin): Promise<LoadedPlugin | string> {
    try {
      const value = await this.#ports.readJson(`${folder}/plugin.json`);
      const { manifest, problems } = readManifest(value, this.#ports);
      if (manifest === undefined) return problems.join("; ");
      return manifest.name === name ? { name, folder, hash, manifest } : `its plugin.json names '${manifest.name}'`;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async #changed({ folder, hash }: LoadedPlugin): Promise<string | undefined> {
    return this.#ports.look(folder).then(
      (content) => (content.hash === hash ? undefined : "its files are not what was added"),
      (error: Error) => error.message,
    );
  }

  async #demandUnchanged(plugin: LoadedPlugin): Promise<void> {
    const why = await this.#changed(plugin);
    if (why === undefined) return;
    throw new ToolFailure("tool_disabled", `The plugin ${plugin.name} is not run: ${why}.`, {
      hint: "Remove it and add it again: karyi plugin remove, karyi plugin add.",
      details: { reason: "plugin_changed" },
    });
  }

  async #added(): Promise<Readonly<Record<string, AddedPlugin>>> {
    const value = await this.#ports.readJson(`${this.#home}/plugins.json`);
    return (value ?? {}) as unknown as Readonly<Record<string, AddedPlugin>>;
  }

  async #write(added: Readonly<Record<string, AddedPlugin>>): Promise<void> {
    await this.#ports.writeJson(`${this.#home}/plugins.json`, added as unknown as Json);
  }
}
