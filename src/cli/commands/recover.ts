/** `karyi recover`: takes back or finishes what a crash left half done; opening the workspace does it, this says what was found. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, tellRecovered, withEngine } from "../front.ts";
import { say } from "../messages.ts";

export function recover(_: readonly string[], flags: GlobalFlags & { readonly all?: boolean }): Promise<number> {
  return withEngine(flags, async (engine) => {
    const here = engine.recovered.calls;
    const { calls, waiting } = flags.all === true ? await engine.recover({ everywhere: true }) : { ...engine.recovered, calls: [] };
    if (flags.json) printJson({ calls: [...here, ...calls], waiting });
    else {
      tellRecovered({ calls, waiting: [] }, engine.places.workspace);
      if (here.length + calls.length === 0) print(say("nothingToRecover"));
    }
    return here.concat(calls).some(({ failed }) => failed.length > 0) ? exitCodes.failed : exitCodes.done;
  });
}
