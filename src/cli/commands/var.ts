/** `karyi var set|list|rm|get|rekey|reset`: secure variables, used by a model by name and never seen by it. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, readStdin, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";

interface VarFlags extends GlobalFlags {
  readonly note?: string;
  readonly project?: boolean;
  readonly fromEnv?: string;
  readonly tools?: string;
  readonly hosts?: string;
  readonly commands?: string;
  readonly reveal?: boolean;
}

/** The value comes from a hidden prompt, stdin or an environment variable; never from the command line, where others could see it. */
export function setVariable([name = ""]: readonly string[], flags: VarFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const value = await valueFor(name, flags);
    const warnings = await engine.vault.set(
      {
        name,
        value,
        scope: flags.project ? "project" : "global",
        ...(flags.note === undefined ? {} : { note: flags.note }),
        ...(flags.tools === undefined ? {} : { tools: list(flags.tools) }),
        ...(flags.hosts === undefined ? {} : { hosts: list(flags.hosts) }),
        ...(flags.commands === undefined ? {} : { commands: list(flags.commands) }),
      },
      { workspace: engine.places.workspace },
    );
    for (const warning of warnings) warn(warning);
    if (flags.json) printJson({ name, scope: flags.project ? "project" : "global", warnings });
    else print(say("varSet", name));
    return exitCodes.done;
  });
}

export function listVariables(_: readonly string[], flags: VarFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const variables = await engine.vault.list({ workspace: engine.places.workspace });
    if (flags.json) printJson({ variables });
    else if (variables.length === 0) print(say("noVariables"));
    else
      print(
        variables
          .map(({ name, scope, note, tools, hosts, commands }) =>
            [name, scope, note, ...[tools, hosts, commands].map((bound) => bound?.join(","))].filter(Boolean).join("  "),
          )
          .join("\n"),
      );
    return exitCodes.done;
  });
}

export function removeVariable([name = ""]: readonly string[], flags: VarFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const removed = await engine.vault.remove(name, flags.project ? "project" : "global", { workspace: engine.places.workspace });
    if (flags.json) printJson({ name, removed });
    else if (removed) print(say("varRemoved", name));
    else warn(say("noSuchVariable", name));
    return removed ? exitCodes.done : exitCodes.failed;
  });
}

/** Shows a value only when the person says so in as many words. */
export function getVariable([name = ""]: readonly string[], flags: VarFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const variable = await engine.vault.get(name, { workspace: engine.places.workspace });
    if (!variable) throw new Error(say("noSuchVariable", name));
    if (!flags.reveal) throw new UsageError(say("revealNeeded", name));
    if (flags.json) printJson({ name, value: variable.value });
    else print(variable.value);
    return exitCodes.done;
  });
}

export function rekey(_: readonly string[], flags: VarFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const count = await engine.vault.rekey();
    if (flags.json) printJson({ rekeyed: count });
    else print(say("rekeyed", count));
    return exitCodes.done;
  });
}

/** The way on when the key is lost; nothing is deleted, so a key that is found again opens the old file. */
export function resetVault(_: readonly string[], flags: VarFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const aside = await engine.vault.reset();
    if (flags.json) printJson({ aside: aside ?? null });
    else print(aside === undefined ? say("noVault") : say("vaultReset", aside));
    return exitCodes.done;
  });
}

async function valueFor(name: string, flags: VarFlags): Promise<string> {
  if (flags.fromEnv !== undefined) {
    const value = process.env[flags.fromEnv];
    if (value === undefined) throw new UsageError(say("noSuchEnv", flags.fromEnv));
    return value;
  }
  if (!process.stdin.isTTY) {
    const text = await readStdin();
    // Bytes that are no text would be kept as something else, and nobody would know why the secret is refused.
    if (text.includes("\ufffd")) throw new UsageError(say("notUtf8"));
    return text.replace(/\r?\n$/, "");
  }
  const { askHidden } = await import("../ask.ts");
  const value = await askHidden(say("askValue", name));
  if (value === undefined) throw new UsageError(say("nothingGiven"));
  return value;
}

function list(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
