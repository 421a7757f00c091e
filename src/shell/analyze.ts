/** From text to effects: the judgement of a whole command line. Never throws; what goes wrong is not understood. */
import type { ParsedScript } from "unbash";
import { classify } from "./classify.ts";
import { environmentDoubt, leftSetting } from "./environment.ts";
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
      new Interpreter(world, effects, initialState(world.cwd, doubt, leftSetting(world.left))).run(text, parsed.script, parsed.inert);
    } catch {
      effects.push({ kind: "unknown", reason: "cannot be followed" });
    }
  }
  // A comment, an assignment, a test: the shell itself is all that runs.
  if (effects.length === 0) effects.push({ kind: "run", program: "bash", text: text.trim(), understood: true });
  return new Analysis(text, parsed.script, effects);
}

/** Commands and class serve display and rules only; a decision does not wait for them. */
class Analysis implements ShellAnalysis {
  private extracted: readonly ShellCommand[] | undefined;

  constructor(
    private readonly text: string,
    private readonly script: ParsedScript | undefined,
    readonly effects: readonly DraftEffect[],
  ) {}

  get understood(): boolean {
    return this.effects.every(isUnderstood);
  }

  get commands(): readonly ShellCommand[] {
    this.extracted ??= this.script === undefined ? [] : extractFrom(this.script, this.text).commands;
    return this.extracted;
  }

  get class(): ShellClass {
    return this.script === undefined ? "general" : classify(this.commands);
  }

  toJSON(): ShellAnalysis {
    return { understood: this.understood, class: this.class, commands: this.commands, effects: this.effects };
  }
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
