/** `karyi commit` and `karyi discard`: what becomes of a kept dry run. Typing it is the person's consent. */
import { exitCodeOf } from "../exit-code.ts";
import { type GlobalFlags, openSession, printJson, withEngine } from "../front.ts";
import { printResult } from "../show-result.ts";

export const commitSet = (args: readonly string[], flags: GlobalFlags): Promise<number> => settle("CommitChanges", args, flags);
export const discardSet = (args: readonly string[], flags: GlobalFlags): Promise<number> => settle("DiscardChanges", args, flags);

function settle(tool: string, [id = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(
    flags,
    async (engine) => {
      const result = await (await openSession(engine, flags)).call(tool, { id });
      if (flags.json) printJson(result);
      else printResult(result, { workspace: engine.places.workspace });
      return exitCodeOf([result]);
    },
    { approve: async () => "once" },
  );
}
