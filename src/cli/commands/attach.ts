/** `karyi attach [SESSION]`: a person sees and types into the live terminal of a session. Ctrl-] leaves. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, openSession, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";

export async function attach([id]: readonly string[], flags: GlobalFlags): Promise<number> {
  if (!process.stdin.isTTY) throw new UsageError(say("attachNeedsTerminal"));
  const { attachTerminal } = await import("../../compose/index.ts");
  const socket = await withEngine(flags, async (engine) =>
    engine.terminalSocket((await openSession(engine, id === undefined ? flags : { ...flags, session: id })).id),
  );
  warn(say("attached"));
  try {
    await attachTerminal(socket, process.stdin, process.stdout);
    return exitCodes.done;
  } catch (error) {
    warn(say("nothingToAttach", (error as Error).message));
    return exitCodes.failed;
  }
}
