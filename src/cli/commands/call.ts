/** `karyi call TOOL [JSON|-]`: one call, its Result, its exit code. */
import { exitCodeOf } from "../exit-code.ts";
import { type CallFlags, openSession, printJson, printResult, readStdin, warnOfBackground, withEngine } from "../front.ts";

const quickMs = 1000;

export async function call(
  [tool = "", text]: readonly string[],
  flags: CallFlags & { readonly dryRun?: boolean; readonly keep?: boolean; readonly callId?: string },
): Promise<number> {
  const input = parseInputText(text === "-" ? await readStdin() : (text ?? "{}"));
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    const stop = new AbortController();
    const onInterrupt = () => stop.abort();
    process.once("SIGINT", onInterrupt);
    process.once("SIGTERM", onInterrupt);
    const result = await session.call(tool, input, {
      signal: stop.signal,
      ...(flags.dryRun || flags.keep ? { dryRun: true } : {}),
      ...(flags.keep ? { keep: true } : {}),
      ...(flags.callId === undefined ? {} : { callId: flags.callId }),
      ...(process.stderr.isTTY && !flags.json ? { onProgress: afterAWhile((text) => process.stderr.write(text)) } : {}),
    });
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onInterrupt);
    if (flags.json) printJson(result);
    else printResult(result);
    warnOfBackground([result]);
    return exitCodeOf([result]);
  });
}

/** What a quick call prints is in its result; only one that takes longer is worth watching. */
function afterAWhile(show: (text: string) => void): (text: string) => void {
  const begun = performance.now();
  let held = "";
  return (text) => {
    held += text;
    if (performance.now() - begun < quickMs) return;
    show(held);
    held = "";
  };
}

/** Text that is not JSON goes on as it is: the engine answers with the error that says what was expected. */
export function parseInputText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
