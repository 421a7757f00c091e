/** `karyi attach [SESSION]`: a person sees and types into the live terminal of a session, lists the live ones, or ends one. */
import type { WiredEngine } from "../../compose/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, openSession, print, printJson, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { stateWords } from "../words.ts";

type AttachFlags = GlobalFlags & { readonly list?: boolean; readonly close?: boolean };

export async function attach([id]: readonly string[], flags: AttachFlags): Promise<number> {
  if (flags.list) return withEngine(flags, (engine) => listTerminals(engine, flags));
  const named = id === undefined ? flags : { ...flags, session: id };
  if (flags.close) return withEngine(flags, (engine) => closeTerminal(engine, named));
  return join(named);
}

/** Ctrl-] leaves. */
async function join(flags: GlobalFlags): Promise<number> {
  if (!process.stdin.isTTY) throw new UsageError(say("attachNeedsTerminal"));
  const { attachTerminal, lookAtTerminal } = await import("../../compose/index.ts");
  const socket = await withEngine(flags, async (engine) => engine.terminalSocket((await openSession(engine, flags)).id));
  if (!(await lookAtTerminal(socket))) {
    warn(say("nothingToAttach"));
    return exitCodes.failed;
  }
  await attachTerminal(socket, process.stdin, process.stdout, say("attached"));
  return exitCodes.done;
}

async function listTerminals(engine: WiredEngine, { json }: GlobalFlags): Promise<number> {
  const terminals = (await engine.terminals()).map(({ session, ...live }) => ({ session: session.key.externalId, ...live }));
  if (json) printJson({ terminals });
  else if (terminals.length === 0) print(say("noTerminals"));
  else
    print(
      terminals
        .map(({ session, state, program, cwd, pid }) =>
          [session, program === undefined ? stateWords(state) : `${stateWords(state)}: ${program}`, cwd, pid].join("  "),
        )
        .join("\n"),
    );
  return exitCodes.done;
}

async function closeTerminal(engine: WiredEngine, flags: GlobalFlags): Promise<number> {
  const closed = await engine.endTerminal((await openSession(engine, flags)).id);
  if (flags.json) printJson({ closed });
  else print(say(closed ? "terminalClosed" : "noTerminals"));
  return exitCodes.done;
}
