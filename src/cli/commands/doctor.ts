/** `karyi doctor`: what holds on this machine and what to do about the rest. */
import type { Check } from "../../compose/index.ts";
import { adviceWords, checkName, checkWords } from "../doctor-words.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson } from "../front.ts";
import { say } from "../messages.ts";
import { styled } from "../terminal-style.ts";
import { indented, padded, widthOf } from "../text-width.ts";

const marks = { ok: "✓", warning: "!", failed: "✗" } as const;
const colours = { ok: "green", warning: "yellow", failed: "red" } as const;
const standings = { in_use: "tierInUse", available: "tierAvailable", absent: "tierAbsent" } as const;

export async function doctor(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const { examine, placesOf } = await import("../../compose/index.ts");
  const places = await placesOf(flags.workspace, flags.home, process.env);
  const checks = await examine(places.workspace, places.home, process.env);
  if (flags.json) printJson({ checks });
  else {
    const tiers = checks.filter(({ tier }) => tier !== undefined);
    const others = checks.filter(({ tier }) => tier === undefined);
    print([...others.map(line), "", say("tiersTitle"), ...tiers.map(line)].join("\n"));
  }
  return checks.some(({ state }) => state === "failed") ? exitCodes.failed : exitCodes.done;
}

function line(check: Check): string {
  const { state, tier } = check;
  const used = tier?.standing === "in_use";
  // An absent tier is neither good nor bad: another one is in use.
  const mark = tier === undefined || state === "warning" ? styled(colours[state], marks[state], process.stdout) : tierMark(used);
  const name = tier === undefined ? checkName(check) : `${padded(tier.name, 4)}${padded(say(standings[tier.standing]), 11)}`;
  const head = padded(name, tier === undefined ? 11 : 15);
  const detail = indented(checkWords(check), widthOf(head) + 2);
  const body = `${mark} ${used ? styled("bold", head, process.stdout) : head}${detail}`;
  const advice = adviceWords(check);
  return advice === undefined ? body : `${body}\n  → ${indented(advice, 4)}`;
}

function tierMark(used: boolean): string {
  return used ? styled("green", "●", process.stdout) : styled("dim", "·", process.stdout);
}
