/**
 * What stands before every call of another agent must be quick, so the words of such a command are read here, without the table of all
 * commands. Knows only the form that hooks have; every other one is the table's.
 */
import type { AnswerFlags } from "./commands/answer-hook.ts";

interface HookWords {
  readonly agent: string;
  readonly flags: AnswerFlags;
}

const valued = ["home", "mode", "when", "workspace"] as const;

/** `undefined` for anything but `hook AGENT`, each of its flags at most once, and a value after each that takes one. */
export function hookFlags([command, agent, ...words]: readonly string[]): HookWords | undefined {
  if (command !== "hook" || agent === undefined || !words.includes("--when")) return undefined;
  const flags: Record<string, string | true> = {};
  for (let at = 0; at < words.length; at += 1) {
    const name = words[at]?.replace(/^--/, "") ?? "";
    const takes = valued.some((known) => known === name);
    const value = takes ? words[++at] : name === "resident" || undefined;
    if (!words.includes(`--${name}`) || value === undefined || flags[name] !== undefined) return undefined;
    if (typeof value === "string" && value.startsWith("-")) return undefined;
    flags[name] = value;
  }
  return { agent, flags };
}
