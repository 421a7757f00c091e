/** The settings of an agent with hooks of Claude Code's form, as text: our entries in, and exactly ours out again. Refuses what it cannot parse. */
import type { Json, JsonObject } from "../../contract/index.ts";

export interface HookEntries {
  /** The line that the agent runs, by event. */
  readonly commands: Readonly<Record<string, string>>;
  /** Absolute path of the capturing shell, for an agent that takes one. */
  readonly shell?: string;
  /** For an agent without such hooks: the whole text of a file of ours that it loads. */
  readonly plugin?: string;
}

const shellVariable = "CLAUDE_CODE_SHELL";
/** Longer than the hook's own limit. */
const timeoutSeconds = 15;

/** `undefined` for a file that is not there yet. Throws where the text is no settings. */
export function withEntries(text: string | undefined, { commands, shell, plugin }: HookEntries): string {
  if (plugin !== undefined) {
    if (text !== undefined) throw new Error("a file of somebody else's has this name");
    return plugin;
  }
  const settings = parsed(text ?? "{}");
  const hooks = isObject(settings.hooks) ? settings.hooks : {};
  const ours = (command: string) => ({ matcher: "*", hooks: [{ type: "command", command, timeout: timeoutSeconds }] });
  const added = Object.fromEntries(Object.entries(commands).map(([event, command]) => [event, [...listOf(hooks[event]), ours(command)]]));
  if (shell === undefined) return written({ ...settings, hooks: { ...hooks, ...added } }, text);
  const env = isObject(settings.env) ? settings.env : {};
  const given = env[shellVariable];
  if (given !== undefined && given !== shell) throw new Error(`${shellVariable} is set already, to ${String(given)}`);
  return written({ ...settings, env: { ...env, [shellVariable]: shell }, hooks: { ...hooks, ...added } }, text);
}

/** For settings that somebody else changed since; nothing of theirs goes. */
export function withoutEntries(text: string, { commands, shell, plugin }: HookEntries): string {
  if (plugin !== undefined) throw new Error("somebody changed it since");
  const settings = parsed(text);
  const hooks = isObject(settings.hooks) ? settings.hooks : {};
  const ours = new Set(Object.values(commands));
  const isOurs = (hook: Json) => isObject(hook) && typeof hook.command === "string" && ours.has(hook.command);
  const kept = Object.entries(hooks).flatMap(([event, groups]) => {
    const rest = listOf(groups).flatMap((group) => {
      if (!isObject(group)) return [group];
      const left = listOf(group.hooks).filter((hook) => !isOurs(hook));
      return left.length === 0 && listOf(group.hooks).length > 0 ? [] : [{ ...group, hooks: left }];
    });
    return rest.length === 0 ? [] : [[event, rest] as const];
  });
  const { hooks: _, env: given, ...others } = settings;
  const env = shell === undefined || !isObject(given) ? given : withoutShell(given, shell);
  return written(
    { ...others, ...(env === undefined ? {} : { env }), ...(kept.length === 0 ? {} : { hooks: Object.fromEntries(kept) }) },
    text,
  );
}

function withoutShell(env: JsonObject, shell: string): JsonObject | undefined {
  const { [shellVariable]: given, ...rest } = env;
  const kept = given === undefined || given === shell ? rest : env;
  return Object.keys(kept).length === 0 ? undefined : kept;
}

export function holdsEntries(
  text: string,
  { commands, shell, plugin }: HookEntries,
): { readonly hooked: boolean; readonly shell: boolean } {
  if (plugin !== undefined) return { hooked: text === plugin, shell: text === plugin && shell !== undefined };
  const settings = parsed(text);
  const hooks = isObject(settings.hooks) ? settings.hooks : {};
  const isHeld = ([event, command]: [string, string]) => JSON.stringify(hooks[event] ?? null).includes(JSON.stringify(command));
  return {
    hooked: Object.entries(commands).every(isHeld),
    shell: shell !== undefined && isObject(settings.env) && settings.env[shellVariable] === shell,
  };
}

function parsed(text: string): JsonObject {
  const plain = text.replace(/^\uFEFF/, "");
  const settings = plain.trim() === "" ? {} : (JSON.parse(plain) as Json);
  if (!isObject(settings)) throw new Error("the settings are no object");
  return settings;
}

/** As it was written before: byte order mark, indentation, line ends, final line end. */
function written(settings: JsonObject, before: string | undefined): string {
  const indent = /\n([ \t]+)"/.exec(before ?? "")?.[1] ?? "  ";
  const text = JSON.stringify(settings, undefined, indent);
  const ended = before === undefined || /\n\s*$/.test(before) ? `${text}\n` : text;
  const lines = before?.includes("\r\n") ? ended.replaceAll("\n", "\r\n") : ended;
  return before?.startsWith("\uFEFF") ? `\uFEFF${lines}` : lines;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
