/** From text to effects: the judgement of a whole command line. Never throws; what goes wrong is not understood. */
import { classify } from "./classify.ts";
import { environmentDoubt } from "./environment.ts";
import { extractFrom } from "./extract.ts";
import { Interpreter } from "./interpret.ts";
import { parseGuarded } from "./parse.ts";
import { initialState } from "./state.ts";
import type { DraftEffect, ShellAnalysis, ShellClass, ShellCommand, ShellWorld } from "./types.ts";

/** `!` that a terminal's history expansion would replace. */
const historyExpansion = /(?:^|[^\\])![^\s=("']|\^.*\^/;

export function analyzeCommand(text: string, world: ShellWorld): ShellAnalysis {
  const parsed = parseGuarded(text);
  const effects: DraftEffect[] = [];
  let doubt = environmentDoubt(world.env);
  if (parsed.problem !== undefined) {
    effects.push(parsed.impossible ? { kind: "forbidden", reason: parsed.problem } : { kind: "unknown", reason: parsed.problem });
    doubt ??= parsed.problem;
  }
  if (world.interactive === true && historyExpansion.test(text)) {
    doubt ??= "a terminal would replace ! by an earlier command";
    effects.push({ kind: "unknown", reason: doubt });
  }
  if (parsed.script !== undefined) {
    try {
      new Interpreter(world, effects, initialState(world.cwd, doubt)).run(text, parsed.script);
    } catch {
      effects.push({ kind: "unknown", reason: "cannot be followed" });
    }
  }
  let commands: readonly ShellCommand[] | undefined;
  let shellClass: ShellClass | undefined;
  return {
    understood: effects.every(isUnderstood),
    effects,
    // Only display and rules need these; a decision does not wait for them.
    get commands(): readonly ShellCommand[] {
      commands ??= parsed.script === undefined ? [] : extractFrom(parsed.script, text).commands;
      return commands;
    },
    get class(): ShellClass {
      shellClass ??= parsed.script === undefined ? "general" : classify(this.commands);
      return shellClass;
    },
  };
}

function isUnderstood(effect: DraftEffect): boolean {
  switch (effect.kind) {
    case "run":
      return effect.understood;
    case "environment":
      return !effect.steersExecution;
    case "code":
    case "forbidden":
    case "unknown":
      return false;
    default:
      return true;
  }
}
