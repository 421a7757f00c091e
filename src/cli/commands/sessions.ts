/** `karyi sessions`: the sessions of this home. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, withEngine } from "../front.ts";

export function listSessions(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const sessions = await engine.listSessions();
    if (flags.json) printJson({ sessions });
    else
      print(
        sessions
          .map(({ id, key, workspace, createdAt }) => `${id}  ${new Date(createdAt).toISOString()}  ${key.externalId}  ${workspace}`)
          .join("\n"),
      );
    return exitCodes.done;
  });
}
