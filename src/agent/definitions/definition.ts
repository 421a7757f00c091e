/** An agent as a file defines it (A2). */

export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Names of tools, and rules such as `Bash(git status *)`. Absent: everything its parent has. */
  readonly tools?: readonly string[];
  /** Names and rules that it does not have, whatever `tools` says. */
  readonly withoutTools?: readonly string[];
  /** Its children may have tools that it does not have itself: only of the built-in `lead`. */
  readonly delegates?: true;
  /** `PROVIDER/MODEL`. Absent: its parent's. */
  readonly model?: string;
  readonly maxRounds?: number;
  /** The agent's own words: the text below the front matter. */
  readonly prompt: string;
  /** Path of its file, or `built-in`. */
  readonly source: string;
}

/** Something wrong with a file; the file is left out, all others count. */
export interface DefinitionProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A text file as it was found; `text` is absent if it could not be read, `problem` says why. */
export interface FoundFile {
  readonly path: string;
  readonly text?: string;
  readonly problem?: string;
}

/** Files of one place, in the order of their names. */
export interface FilePlace {
  readonly files: readonly FoundFile[];
  /** False: a project that nobody trusted yet. Its agents choose no model and take no wider tools. */
  readonly trusted: boolean;
}
