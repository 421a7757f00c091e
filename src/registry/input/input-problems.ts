/** What is wrong with an input, one entry a parameter, and the error the model gets for all of them together. */
import { distance } from "fastest-levenshtein";
import { type Json, type JsonObject, type JsonSchema, type Tool, ToolFailure } from "../../contract/index.ts";
import { exampleFor } from "./schema-words.ts";

export interface Problem {
  readonly parameter: string;
  readonly problem: "missing" | "unknown" | "type" | "value";
  readonly expected: string;
  readonly received: string;
  /** In place of the usual sentence, where a tool's own check has its own words. */
  readonly words?: string;
  /** For an unknown parameter, the one that was probably meant. */
  readonly closest?: string;
}

const maxListed = 20;
const maxExample = 600;

export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`), "");
}

export function badParameters(tool: Tool, schema: JsonSchema, problems: readonly Problem[]): ToolFailure {
  const unique = [...new Map(problems.map((problem) => [`${problem.parameter}\0${problem.problem}`, problem])).values()];
  const sentences = unique.slice(0, maxListed).map((problem) => sentence(tool, problem));
  const rest = unique.length - sentences.length;
  const message =
    unique.length === 1
      ? `${tool.name}: ${sentences[0]}`
      : `${tool.name}: ${unique.length} problems with the input:\n${sentences.map((text) => `- ${text}`).join("\n")}${rest > 0 ? `\n- and ${rest} more` : ""}`;
  const listed = unique
    .slice(0, maxListed)
    .map(({ parameter, problem, expected, received }): JsonObject => ({ parameter, problem, expected, received }));
  return new ToolFailure("invalid_tool_input", message, {
    hint: hintFor(tool, schema),
    details: { reason: "bad_parameters", problems: listed },
  });
}

function sentence(tool: Tool, { parameter, problem, expected, received, words, closest }: Problem): string {
  const name = parameter === "" ? "the input" : `'${parameter}'`;
  if (words !== undefined) return `${name}: ${words} (came as ${received}).`;
  if (problem === "missing") return `${name} is missing; expected ${expected}.`;
  if (problem === "unknown") {
    const guess = closest === undefined ? "" : ` Did you mean '${closest}'?`;
    return `${name} is not a parameter of ${tool.name}.${guess} Expected ${expected}.`;
  }
  return `${name} should be ${expected}, but came as ${received}.`;
}

function hintFor(tool: Tool, schema: JsonSchema): string {
  const example: Json = tool.example ?? exampleFor(schema, schema);
  const text = JSON.stringify(example);
  return text.length > maxExample ? `See the parameters of ${tool.name}.` : `A right input: ${text}`;
}

/** `filePath`, `file-path` and `FILE_PATH` are one name. */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** The name that was probably meant, or `undefined` when none is near enough to be a help. */
export function closestName(name: string, names: Iterable<string>): string | undefined {
  const asked = normalName(name);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const other = normalName(candidate);
    if (other === "" || asked.length < 3) continue;
    const shorter = Math.min(asked.length, other.length);
    const contained = shorter >= 3 && (asked.includes(other) || other.includes(asked));
    const apart = contained ? 0.9 : distance(asked, other);
    if (apart < least && (contained || apart <= Math.max(1, Math.floor(Math.max(asked.length, other.length) / 3)))) {
      least = apart;
      best = candidate;
    }
  }
  return best;
}
