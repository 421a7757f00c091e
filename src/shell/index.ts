/** Bash text in, commands and effects out. Pure: facts about the machine come in as arguments, nothing is run. */
export { analyzeCommand } from "./analyze.ts";
export { type BoundCommand, bindPlaceholders } from "./bind-placeholders.ts";
export { classify } from "./classify.ts";
export { steersExecution } from "./environment.ts";
export { extractCommands, parseShell } from "./extract.ts";
export { nameMatches } from "./paths.ts";
export type {
  DraftEffect,
  DraftReadEffect,
  DraftWriteEffect,
  LinkPattern,
  ShellAnalysis,
  ShellAssignment,
  ShellClass,
  ShellCommand,
  ShellError,
  ShellRedirection,
  ShellScript,
  ShellWord,
  ShellWorld,
} from "./types.ts";
