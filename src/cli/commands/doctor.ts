/** `karyi doctor`: what holds on this machine and what to do about the rest. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson } from "../front.ts";

const marks = { ok: "✓", warning: "!", failed: "✗" } as const;

export async function doctor(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const { examine, placesOf } = await import("../../compose/index.ts");
  const places = await placesOf(flags.workspace, flags.home, process.env);
  const checks = await examine(places.workspace, places.home, process.env);
  if (flags.json) printJson({ checks });
  else
    print(
      checks
        .map(({ name, state, detail, advice }) => `${marks[state]} ${name.padEnd(10)} ${detail}${advice ? `\n  → ${advice}` : ""}`)
        .join("\n"),
    );
  return checks.some(({ state }) => state === "failed") ? exitCodes.failed : exitCodes.done;
}
