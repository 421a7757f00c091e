/**
 * What a conversation keeps of its calls when the past is told in fewer words: skills that were loaded, files that were read or
 * changed, attempts that failed. Read from the calls themselves, so that it does not hang on how good a summary is.
 */
import type { Json } from "../../contract/index.ts";
import type { CallOutcome, CallPart } from "./message.ts";

const [maxFiles, maxFailed] = [40, 20];
const [inputCharacters, whyCharacters] = [300, 300];

/** The tool whose results are instructions to work by. */
export const skillTool = "Skill";

export class WorkedOn {
  readonly #skills = new Set<string>();
  /** Latest last; by path, the tools that were used on it. */
  readonly #files = new Map<string, Set<string>>();
  readonly #failed = new Map<string, string>();

  note(calls: readonly CallPart[], outcomes: readonly CallOutcome[]): void {
    const byId = new Map(calls.map((call) => [call.callId, call]));
    for (const { callId, tool, output, isError } of outcomes) {
      const call = byId.get(callId);
      if (call === undefined) continue;
      const tried = `${call.name} ${cut(JSON.stringify(call.input), inputCharacters)}`;
      // Only the latest of the same attempts counts, and none once it succeeded.
      this.#failed.delete(tried);
      if (isError) this.#failed.set(tried, cut(output, whyCharacters));
      else if (tool === skillTool) this.#skills.add(output);
      else for (const path of pathsIn(call.input)) this.#touched(path, tool);
    }
  }

  /** Whole: the model works by them. */
  get skills(): readonly string[] {
    return [...this.#skills];
  }

  get files(): readonly string[] {
    return [...this.#files].slice(-maxFiles).map(([path, tools]) => `${path} (${[...tools].join(", ")})`);
  }

  get failed(): readonly string[] {
    return [...this.#failed].slice(-maxFailed).map(([tried, why]) => `${tried}: ${why}`);
  }

  #touched(path: string, tool: string): void {
    const tools = this.#files.get(path) ?? new Set();
    this.#files.delete(path);
    this.#files.set(path, tools.add(tool));
  }
}

const patchFile = /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ b\/)(.+)$/gm;

/** Files that an input names: `file_path`, such as of several files, and those of a patch. */
function pathsIn(input: Json): readonly string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const { file_path, path, files, patch } = input as { readonly [key: string]: Json | undefined };
  const named = [file_path ?? path].filter((one): one is string => typeof one === "string" && one !== "");
  const several = Array.isArray(files) ? files.flatMap((one) => pathsIn(one)) : [];
  const patched = typeof patch === "string" ? [...patch.matchAll(patchFile)].map(([, file = ""]) => file.trim()) : [];
  return [...named, ...several, ...patched];
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${[...text.slice(0, characters)].slice(0, -1).join("")}…`;
}
