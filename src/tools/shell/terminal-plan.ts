/**
 * What typing into the terminal would do: at a prompt, also of a shell that was started there, the text is a command and
 * judged like one of Bash; in another program it is harmless only where it is a plain answer to a question or a movement in a pager. Anything else
 * may run something there, and is code.
 */
import {
  type CodeEffect,
  type Effect,
  type NestedShell,
  type PlanContext,
  type TerminalFollow,
  type TerminalInputOptions,
  type TerminalState,
  ToolFailure,
} from "../../contract/index.ts";
import { analyzeCommand, type ShellAnalysis } from "../../shell/index.ts";
import { gitTrustFor } from "./git-trust.ts";
import { resolveEffects } from "./resolve-effects.ts";
import { withSecretsWithin } from "./secrets-within.ts";

type Context = PlanContext<"files" | "processes" | "terminals" | "search">;

/** What was in the foreground when it was decided; a shell that is not there yet will be idle. */
export function expectation({ state, waiting, epoch, nested }: TerminalState): NonNullable<TerminalInputOptions["expect"]> {
  return {
    state: state === "absent" ? "idle" : state,
    ...(state === "waiting" && waiting ? { waiting } : {}),
    ...(epoch === undefined ? {} : { epoch }),
    ...(nested === undefined ? {} : { nested }),
  };
}

/**
 * What somebody else changed in the session since the terminal last knew it: the shell follows before its next command, so
 * that the last one who changed directory or variables wins. What only the shell changed stays as it is.
 */
export function followOf({ told, cwd, env = {} }: TerminalState, session: PlanContext["session"]): TerminalFollow | undefined {
  if (!told) return undefined;
  const changed: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(session.env)) {
    if (told.env[name] !== value && env[name] !== value && variable.test(name)) changed[name] = value;
  }
  for (const name of Object.keys(told.env)) {
    if (session.env[name] === undefined && env[name] !== undefined && variable.test(name)) changed[name] = null;
  }
  const moved = session.cwd !== told.cwd && session.cwd !== cwd;
  if (!moved && Object.keys(changed).length === 0) return undefined;
  return { ...(moved ? { cwd: session.cwd } : {}), ...(Object.keys(changed).length > 0 ? { env: changed } : {}) };
}

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The terminal as it is once it has followed. */
export function followed(terminal: TerminalState, { cwd, env }: TerminalFollow): TerminalState {
  const merged = Object.entries({ ...terminal.env, ...env }).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return { ...terminal, ...(cwd === undefined ? {} : { cwd }), ...(env ? { env: Object.fromEntries(merged) } : {}) };
}

export async function planTerminalCommand(
  command: string,
  terminal: TerminalState,
  { session, processes, files, search, signal }: Context,
): Promise<{ readonly effects: Effect[]; readonly analysis: ShellAnalysis; readonly cwd: string }> {
  const cwd = terminal.cwd ?? session.cwd;
  // The terminal has variables of its own; those of the session say nothing about it once it runs.
  const env = terminal.state === "absent" ? session.env : (terminal.env ?? {});
  const analysis = analyzeCommand(command, {
    cwd,
    userHome: session.userHome,
    workspace: session.workspace,
    env,
    which: (program) => processes.which(program, env, cwd),
    ...(await gitTrustFor(command, cwd, files, { mayRunHooks: true })),
    interactive: true,
  });
  // The terminal has the machine's temporary directories, not the session's.
  const machines = { ...files, resolve: (path: string) => files.resolve(path, "machine") };
  const effects = await withSecretsWithin(await resolveEffects(analysis.effects, machines), { search, files: machines, signal });
  const defined = new Set(terminal.defined ?? []);
  const named = defined.size === 0 ? [] : analysis.commands.flatMap(({ name }) => name ?? []);
  for (const name of new Set(named)) {
    if (defined.has(name)) effects.push({ kind: "unknown", reason: `${name} is a function or alias that was defined in this terminal` });
  }
  return { effects, analysis, cwd };
}

/** Whether a command cannot export anything, as far as it is understood. */
export function keepsEnvironment({ understood, effects }: ShellAnalysis): boolean {
  return understood && effects.every(({ kind }) => kind === "read" || kind === "write" || kind === "run");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that edit a line instead of standing in it
const editingKeys = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/;
/** What a program leaves unread goes to the shell: no rest of an answer, and nothing after the key that leaves a pager, is a command. */
const plainAnswer = /^(?:[\p{L}\p{N}]|yes|no|all|oui|non|ja|nein|s[ií]|да|нет)?[\r\n]{0,2}$/iu;
const pagerMoves = /^(?:[ fFbBdDuUjJkKgGnNyezZ0-9<>]{0,32}[qQ]?|[ \r\n]{0,32})$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a search is one line of printable text
const pagerSearch = /^[/?][^\x00-\x1f\x7f]{0,200}[\r\n]q?$/;

interface TypingPlan {
  readonly effects: Effect[];
  /** It is a command that is known to define and export nothing. */
  readonly keepsEnvironment: boolean;
}

export async function planTyping(text: string, terminal: TerminalState, context: Context): Promise<TypingPlan> {
  if (terminal.state === "idle" || terminal.state === "absent") return planLine(text, lineOf(text), terminal, context);
  const { nested } = terminal;
  if (nested) return planNestedLine(text, nested, terminal, context);
  return { effects: planAnswer(text, terminal), keepsEnvironment: false };
}

const lineOf = (text: string): string => text.replace(/[\r\n]+$/, "");

async function planLine(text: string, command: string, terminal: TerminalState, context: Context): Promise<TypingPlan> {
  const { effects, analysis } = await planTerminalCommand(command, terminal, context);
  if (editingKeys.test(text))
    effects.push({ kind: "unknown", reason: "it holds keys that edit the line, so what would run is not what stands there" });
  if (/[\r\n]./s.test(text)) effects.push(code("terminal", text));
  return { effects, keepsEnvironment: keepsEnvironment(analysis) && !effects.some(({ kind }) => kind === "unknown" || kind === "code") };
}

/** In a shell that was started in the terminal a line is a command too, run where that shell is and as it reads it. */
async function planNestedLine(text: string, nested: NestedShell, terminal: TerminalState, context: Context): Promise<TypingPlan> {
  const line = lineOf(text);
  const there: TerminalState = { state: "idle", cwd: nested.cwd, env: nested.env };
  const plan = await planLine(text, nested.language === "bash" ? line : `sh -c '${line.replaceAll("'", "'\\''")}'`, there, context);
  // What was typed without a line end may stand before it.
  if (nested.altered) {
    plan.effects.push({
      kind: "unknown",
      reason: `what was typed into ${terminal.program ?? "this shell"} before may have changed what runs there`,
    });
  }
  return { effects: plan.effects, keepsEnvironment: plan.keepsEnvironment && /[\r\n]$/.test(text) };
}

function planAnswer(text: string, terminal: TerminalState): Effect[] {
  const { waiting, program } = terminal;
  if (waiting === "password") {
    throw new ToolFailure("permission_denied", `${program ?? "The program"} asks for a password: that is typed by a person, not here.`, {
      hint: 'The person can type it with `karyi attach`; a saved one can be typed by name alone, as in {"text": "$KARYI{NAME}\\n"}. TerminalKey c ends the program.',
      details: { reason: "password_required" },
    });
  }
  if (waiting === "confirm" && plainAnswer.test(text)) return [{ kind: "state", area: "terminal" }];
  if (waiting === "pager" && (pagerMoves.test(text) || pagerSearch.test(text))) return [{ kind: "state", area: "terminal" }];
  return [code(program ?? "terminal", text)];
}

export function code(language: string, text: string): CodeEffect {
  return { kind: "code", language, text };
}

/** A command needs a prompt. */
export function refuseBusy({ state, waiting, program }: TerminalState): void {
  if (state === "idle" || state === "absent") return;
  const what =
    state === "waiting"
      ? `${program ?? "a program"} waits for input (${waiting ?? "input"})`
      : `${program ?? "a program"} is still running`;
  throw new ToolFailure("tool_conflict", `The terminal is busy: ${what}.`, {
    hint: 'Answer it with TerminalInput, look with TerminalScreen, or end it with TerminalKey {"key": "c"}. For another command use Bash.',
    details: { reason: "terminal_busy", ...(waiting ? { waiting } : {}), ...(program ? { program } : {}) },
  });
}
