/**
 * Reads the front matter of a Markdown file: YAML between two `---` lines, then the text. Owns the line numbers of problems.
 * Refuses a file without front matter, and YAML that is no mapping. Forgives one habit: a description with `: ` in it.
 */
import { LineCounter, parseDocument } from "yaml";

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The text below, without the blank lines around it. */
  readonly body: string;
  /** The line, from 1, where a field begins. */
  lineOf(field: string): number;
}

interface FileProblem {
  readonly line: number;
  readonly message: string;
}

export type FrontMatterReading = { readonly ok: true; readonly file: FrontMatter } | { readonly ok: false; readonly problem: FileProblem };

const fence = /^---[ \t]*$/;
/** Aliases in a definition would only be there to blow it up. */
const maxAliasCount = 20;

export function readFrontMatter(text: string): FrontMatterReading {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (!fence.test(lines[0] ?? "")) return refused(1, "The file does not begin with front matter (a line '---').");
  const end = lines.findIndex((line, at) => at > 0 && fence.test(line));
  if (end < 0) return refused(1, "The front matter has no end (a second line '---').");
  const head = lines.slice(1, end);
  const fields = readFields(head);
  if ("line" in fields) return refused(fields.line, fields.message);
  const body = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  const lineOf = (field: string) => head.findIndex((line) => new RegExp(`^["']?${field}["']?\\s*:`).test(line)) + 2;
  return { ok: true, file: { fields: fields.values, body, lineOf: (field) => Math.max(1, lineOf(field)) } };
}

function refused(line: number, message: string): FrontMatterReading {
  return { ok: false, problem: { line, message } };
}

/** Lines are counted from the second one of the file. */
function readFields(head: readonly string[]): { readonly values: Readonly<Record<string, unknown>> } | FileProblem {
  const first = readYaml(head);
  if (!("line" in first)) return first;
  // Many files say `description: Use it when: …`, which is no YAML, and mean the rest of the line.
  const second = readYaml(head.map(withQuotedDescription));
  return "line" in second ? first : second;
}

function withQuotedDescription(line: string): string {
  const found = /^(description\s*:\s+)(?!["'|>[{&*!])(.+)$/.exec(line);
  return found ? `${found[1]}${JSON.stringify(found[2])}` : line;
}

function readYaml(head: readonly string[]): { readonly values: Readonly<Record<string, unknown>> } | FileProblem {
  const counter = new LineCounter();
  const document = parseDocument(head.join("\n"), { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  const [error] = document.errors;
  if (error) return { line: counter.linePos(error.pos[0]).line + 1, message: `The front matter is not valid YAML: ${error.message}` };
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount });
  } catch (cause) {
    return { line: 2, message: `The front matter is not valid YAML: ${(cause as Error).message}` };
  }
  if (values === null || values === undefined) return { values: {} };
  if (typeof values !== "object" || Array.isArray(values)) return { line: 2, message: "The front matter is no list of fields." };
  return { values: values as Readonly<Record<string, unknown>> };
}
