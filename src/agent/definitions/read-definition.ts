/** Turns a Markdown file into an agent. Refuses, with the line: no name, a bad name, no description, a bad list, a rule that cannot be read. */
import type { AgentDefinition, DefinitionProblem, FoundFile } from "./definition.ts";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";
import { readToolList } from "./tool-list.ts";

/** Says why a rule cannot be read; `undefined` if it can. */
export type CheckRule = (rule: string) => string | undefined;

export type DefinitionReading =
  | { readonly ok: true; readonly agent: AgentDefinition }
  | { readonly ok: false; readonly problem: DefinitionProblem };

const nameSyntax = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,63}$/u;
/** Names of model families, as other programs write them: no `PROVIDER/MODEL`, so the parent's model serves. */
const inherited = /^(?:inherit|default|sonnet|opus|haiku)$/i;

class Refused extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

export function readDefinition({ path, text, problem }: FoundFile, checkRule: CheckRule): DefinitionReading {
  const refuse = (line: number, message: string): DefinitionReading => ({ ok: false, problem: { file: path, line, message } });
  if (text === undefined) return refuse(1, problem ?? "The file cannot be read.");
  const reading = readFrontMatter(text);
  if (!reading.ok) return refuse(reading.problem.line, reading.problem.message);
  try {
    return { ok: true, agent: definitionOf(reading.file, path, checkRule) };
  } catch (error) {
    if (error instanceof Refused) return refuse(error.line, error.message);
    throw error;
  }
}

function definitionOf(file: FrontMatter, source: string, checkRule: CheckRule): AgentDefinition {
  const name = textOf(file, "name");
  if (name === undefined) throw new Refused(1, "The field 'name' is missing.");
  if (!nameSyntax.test(name))
    throw new Refused(file.lineOf("name"), `'${name}' is no name of an agent: letters, digits, '-', '_' and '.'.`);
  const description = textOf(file, "description");
  if (description === undefined) throw new Refused(1, "The field 'description' is missing.");
  const tools = listOf(file, "tools", checkRule);
  const without = [...(listOf(file, "disallowed_tools", checkRule) ?? []), ...(listOf(file, "disallowedTools", checkRule) ?? [])];
  const model = modelOf(file);
  const maxRounds = roundsOf(file);
  return {
    name,
    description,
    ...(tools === undefined || tools.includes("*") ? {} : { tools }),
    ...(without.length === 0 ? {} : { withoutTools: without }),
    ...(model === undefined ? {} : { model }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
    prompt: file.body,
    source,
  };
}

function textOf(file: FrontMatter, field: string): string | undefined {
  const value = file.fields[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" && typeof value !== "number") throw new Refused(file.lineOf(field), `The field '${field}' is no text.`);
  const text = String(value).trim();
  return text === "" ? undefined : text;
}

function listOf(file: FrontMatter, field: string, checkRule: CheckRule): readonly string[] | undefined {
  const value = file.fields[field];
  if (value === undefined || value === null) return undefined;
  const list = readToolList(value);
  if (list === undefined) throw new Refused(file.lineOf(field), `The field '${field}' is no list of tools.`);
  for (const entry of list) {
    const wrong = entry === "*" ? undefined : checkRule(entry);
    if (wrong !== undefined) throw new Refused(file.lineOf(field), wrong);
  }
  return list;
}

function modelOf(file: FrontMatter): string | undefined {
  const model = textOf(file, "model");
  if (model === undefined || inherited.test(model)) return undefined;
  if (/^[^\s/]+\/\S+$/.test(model)) return model;
  throw new Refused(file.lineOf("model"), `'${model}' is no model: write PROVIDER/MODEL, or inherit.`);
}

function roundsOf(file: FrontMatter): number | undefined {
  const value = file.fields.max_rounds;
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw new Refused(file.lineOf("max_rounds"), "The field 'max_rounds' is no whole number above 0.");
}
