/** `karyi shell parse`: the commands, redirections, class and effects of a script, as JSON. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, readGiven } from "../front.ts";

export async function parseScript([file]: readonly string[], flags: GlobalFlags & { readonly command?: string }): Promise<number> {
  const { describeScript, placesOf } = await import("../../compose/index.ts");
  const text = flags.command ?? (await readGiven(file));
  const { workspace, userHome } = await placesOf(flags.workspace, flags.home, process.env);
  const report = describeScript(text, workspace, userHome);
  if (flags.json) printJson(report);
  else print(JSON.stringify(report, null, 2));
  return report.parsed === true ? exitCodes.done : exitCodes.failed;
}
