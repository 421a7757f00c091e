/**
 * What the search sees of one tool: its words with how much each counts. Independent of all other tools, so it is
 * made once a tool and an index grows by adding it. Schemas are looked at only for names, never converted here.
 */

import { type Tool, traitsOf } from "../../contract/index.ts";
import { inputKindOf, inputSchemaOf } from "../input/input-schema.ts";
import { segmentChinese } from "./search-chinese.ts";
import { phraseAt } from "./search-synonyms.ts";
import { bigrams, cjkRuns, hasCjk, isStopWord, stem, words } from "./search-words.ts";

export interface ToolText {
  /** Every term once. */
  readonly terms: readonly string[];
  /** Of the terms, in the same order: frequency weighted by field and length, saturated. */
  readonly impacts: readonly number[];
  /** Terms of the name without the server before it. */
  readonly name: readonly string[];
  /** Terms of the server it comes from. */
  readonly server: readonly string[];
}

interface Field {
  readonly weight: number;
  /** How much a long field dilutes its words, and what length is usual. */
  readonly dilution: number;
  readonly usual: number;
}

const fields = {
  name: { weight: 3.2, dilution: 0.5, usual: 3 },
  server: { weight: 3.2, dilution: 0.2, usual: 1 },
  alias: { weight: 2.2, dilution: 0.5, usual: 4 },
  hint: { weight: 2.4, dilution: 0.3, usual: 5 },
  description: { weight: 1.5, dilution: 0.55, usual: 9 },
  parameter: { weight: 0.35, dilution: 0.6, usual: 4 },
  parameterText: { weight: 0.15, dilution: 0.6, usual: 20 },
} satisfies Record<string, Field>;

const saturation = 1.4;
/** Words beyond these say nothing more about a tool and only cost time. */
const maxDescription = 4_000;
const maxParameters = 64;

const known = new WeakMap<Tool, ToolText>();

export function textOf(tool: Tool): ToolText {
  let text = known.get(tool);
  if (text === undefined) {
    text = analyse(tool);
    known.set(tool, text);
  }
  return text;
}

function analyse(tool: Tool): ToolText {
  const weights = new Map<string, number>();
  const addTerms = (field: Field, terms: readonly string[]) => {
    if (terms.length === 0) return;
    const share = field.weight / (1 - field.dilution + (field.dilution * terms.length) / field.usual);
    for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + share);
  };
  const { server, own } = nameParts(tool.name);
  const name = termsOf(own);
  addTerms(fields.name, name);
  const serverTerms = termsOf(server);
  addTerms(fields.server, serverTerms);
  if (tool.aliases !== undefined) addTerms(fields.alias, tool.aliases.flatMap(termsOf));
  addTerms(fields.hint, termsOf(traitsOf(tool).searchHint));
  addTerms(fields.description, termsOf(tool.description.slice(0, maxDescription)));
  const parameters = parametersOf(tool);
  addTerms(fields.parameter, termsOf(parameters.map(([parameter]) => parameter).join(" ")));
  addTerms(
    fields.parameterText,
    termsOf(
      parameters
        .map(([, description]) => description)
        .join(" ")
        .slice(0, maxDescription),
    ),
  );
  for (const [term, weight] of weights) weights.set(term, (weight * (saturation + 1)) / (weight + saturation));
  return {
    terms: [...weights.keys()],
    impacts: [...weights.values()],
    name: [...new Set(name)],
    server: serverTerms,
  };
}

/** `mcp__github__create_issue` and `plugin:tool` name where a tool comes from before what it does. */
function nameParts(name: string): { server: string; own: string } {
  const parts = name.split(/__|:/).filter((part) => part !== "" && part !== "mcp");
  return { server: parts.slice(0, -1).join(" "), own: parts.at(-1) ?? name };
}

/** Stems of a text, the phrases in it as one more term each, and the English of its Chinese. */
function termsOf(text: string): readonly string[] {
  if (text === "") return [];
  const stems = words(text).map(stem);
  const terms: string[] = [];
  for (const [at, term] of stems.entries()) {
    const phrase = phraseAt(stems, at);
    if (phrase !== undefined) terms.push(phrase.term);
    if (!isStopWord(term)) terms.push(term);
  }
  if (hasCjk(text)) {
    for (const run of cjkRuns(text)) {
      terms.push(...bigrams(run));
      for (const english of segmentChinese(run).found) terms.push(...english.flatMap((word) => word.split("_").map(stem)));
    }
  }
  return terms;
}

function parametersOf(tool: Tool): readonly (readonly [string, string])[] {
  const input: unknown = inputKindOf(tool) === "standard" ? inputSchemaOf(tool) : tool.input;
  if (typeof input !== "object" || input === null) return [];
  const properties = "shape" in input ? input.shape : "properties" in input ? input.properties : undefined;
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties)
    .slice(0, maxParameters)
    .map(([name, schema]) => {
      const description: unknown = typeof schema === "object" && schema !== null ? schema.description : undefined;
      return [name, typeof description === "string" ? description : ""];
    });
}
