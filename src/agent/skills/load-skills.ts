/** All skills there are, the last place of a name winning. A bad file is named with its line and left out. */
import type { DefinitionProblem, FoundFile } from "../definitions/definition.ts";
import { readFrontMatter } from "../definitions/front-matter.ts";
import type { Skill } from "./skill.ts";

export interface Skills {
  readonly skills: readonly Skill[];
  readonly problems: readonly DefinitionProblem[];
}

const nameSyntax = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,127}$/u;

/** Places from the weakest to the strongest. */
export function loadSkills(places: readonly { readonly files: readonly FoundFile[] }[]): Skills {
  const byName = new Map<string, Skill>();
  const problems: DefinitionProblem[] = [];
  for (const { files } of places) {
    for (const file of files) {
      const read = readSkill(file);
      if ("line" in read) problems.push(read);
      else byName.set(read.name, read);
    }
  }
  return { skills: [...byName.values()], problems };
}

function readSkill({ path, text, problem }: FoundFile): Skill | DefinitionProblem {
  const refused = (line: number, message: string): DefinitionProblem => ({ file: path, line, message });
  if (text === undefined) return refused(1, problem ?? "The file cannot be read.");
  const reading = readFrontMatter(text);
  if (!reading.ok) return refused(reading.problem.line, reading.problem.message);
  const { fields, body, lineOf } = reading.file;
  const { name = folderOf(path), description, context } = fields;
  if (typeof name !== "string" || !nameSyntax.test(name)) return refused(lineOf("name"), `'${String(name)}' is no name of a skill.`);
  if (typeof description !== "string" || description.trim() === "")
    return refused(lineOf("description"), "The field 'description' is missing.");
  if (context !== undefined && context !== "fork" && context !== "inline")
    return refused(lineOf("context"), `The field 'context' is 'fork' or absent, not '${String(context)}'.`);
  return { name, description: description.trim(), context: context ?? "inline", body, source: path };
}

/** The folder of a `SKILL.md` names a skill that does not name itself. */
function folderOf(path: string): string {
  return path.split(/[\\/]/).at(-2) ?? "";
}
