/** Where agents and skills come from: the home, plugins, `.claude` and `.karyi` of a workspace. Read anew each time, since people edit them. */
import { join } from "node:path";
import { type Definitions, type FilePlace, loadDefinitions, loadSkills, type Skills } from "../agent/index.ts";
import { type DefinitionForm, readDefinitionFiles } from "../host/index.ts";
import { parseRule } from "../policy/index.ts";

export interface AgentFilesOptions {
  readonly home: string;
  /** True if a person trusted the project of this workspace. */
  isTrusted(workspace: string): Promise<boolean>;
  /** Folders of agents and skills that plugins bring. */
  pluginFolders(kind: "agents" | "skills"): Promise<readonly string[]>;
}

const agentForm: DefinitionForm = { ending: ".md" };
const skillForm: DefinitionForm = { inFolders: "SKILL.md" };

export class AgentFiles {
  readonly #options: AgentFilesOptions;

  constructor(options: AgentFilesOptions) {
    this.#options = options;
  }

  async definitions(workspace: string): Promise<Definitions> {
    return loadDefinitions(await this.#places("agents", agentForm, workspace), ruleProblem);
  }

  async skills(workspace: string): Promise<Skills> {
    return loadSkills(await this.#places("skills", skillForm, workspace));
  }

  /** From the weakest to the strongest. */
  async #places(kind: "agents" | "skills", form: DefinitionForm, workspace: string): Promise<readonly FilePlace[]> {
    const { home, isTrusted, pluginFolders } = this.#options;
    const own = [join(home, kind), ...(await pluginFolders(kind))].map(async (folder) => ({
      files: await readDefinitionFiles(folder, form),
      trusted: true,
    }));
    const trusted = await isTrusted(workspace);
    // A person who works in their own home directory has Karyi's home where a project's folder would be.
    const folders = [".claude", ".karyi"].map((name) => join(workspace, name)).filter((folder) => folder !== home);
    const projects = folders.map(async (folder) => ({ files: await readDefinitionFiles(join(folder, kind), form, workspace), trusted }));
    return Promise.all([...own, ...projects]);
  }
}

function ruleProblem(rule: string): string | undefined {
  const reading = parseRule(rule);
  return reading.ok ? undefined : reading.error;
}
