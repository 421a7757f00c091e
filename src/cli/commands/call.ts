/** `karyi call TOOL [JSON|-]`: one call, its Result, its exit code. */
import { exitCodeOf, interruptedCode } from "../exit-code.ts";
import { type CallFlags, openSession, printJson, readStdin, warnOfBackground, withEngine } from "../front.ts";
import { LiveOutput } from "../live-output.ts";
import { printResult } from "../show-result.ts";

export async function call(
  [tool = "", text]: readonly string[],
  flags: CallFlags & { readonly dryRun?: boolean; readonly keep?: boolean; readonly callId?: string },
): Promise<number> {
  const input = parseInputText(text === "-" ? await readStdin() : (text ?? "{}"));
  return withEngine(flags, async (engine, person) => {
    const session = await openSession(engine, flags, person);
    const stop = new AbortController();
    let interrupted: NodeJS.Signals | undefined;
    const onInterrupt = (signal: NodeJS.Signals) => {
      interrupted = signal;
      stop.abort();
    };
    process.once("SIGINT", onInterrupt);
    process.once("SIGTERM", onInterrupt);
    const live = process.stderr.isTTY && !flags.json ? new LiveOutput(process.stderr) : undefined;
    const options = {
      signal: stop.signal,
      ...(flags.dryRun || flags.keep ? { dryRun: true } : {}),
      ...(flags.keep ? { keep: true } : {}),
      ...(flags.callId === undefined ? {} : { callId: flags.callId }),
      ...(live === undefined ? {} : { onProgress: (text: string) => live.push(text) }),
    };
    const result = await session.call(tool, input, options).finally(() => live?.end());
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onInterrupt);
    if (flags.json) printJson(result);
    else printResult(result, { workspace: engine.places.workspace, live });
    warnOfBackground([result]);
    return result.status === "cancelled" && interrupted !== undefined ? interruptedCode(interrupted) : exitCodeOf([result]);
  });
}

/** Text that is not JSON goes on as it is: the engine answers with the error that says what was expected. */
export function parseInputText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
