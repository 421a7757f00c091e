/** What every command shares: the global flags, opening the engine, printing, reading stdin. */

import type { EngineOptions, RecoveryReport, WiredEngine } from "../compose/index.ts";
import type { Approve, LockHolder, Mode, Result, SessionHandle } from "../contract/index.ts";
import { modes, type ToolFailure } from "../contract/index.ts";
import { within } from "./changes-words.ts";
import { exitCodes } from "./exit-code.ts";
import { beside } from "./live-output.ts";
import { localTime } from "./local-time.ts";
import { type MessageKey, say } from "./messages.ts";
import { Person } from "./person.ts";
import { recoveryWords } from "./recovery-words.ts";
import { oneLine } from "./visible.ts";
import { failureWords } from "./words.ts";

export interface GlobalFlags {
  readonly workspace?: string;
  readonly home?: string;
  readonly session?: string;
  readonly json?: boolean;
}

export interface CallFlags extends GlobalFlags {
  readonly stealLock?: boolean;
  readonly cwd?: string;
  readonly mode?: string;
  readonly approve?: string;
}

/** Wrong usage: the message goes to stderr, the exit code is 2. */
export class UsageError extends Error {}

async function openEngine(flags: CallFlags, person: Person, extra: Partial<EngineOptions> = {}): Promise<WiredEngine> {
  const { createEngine } = await import("../compose/index.ts");
  let workspace = "";
  const warned = new Set<string>();
  // Where a home cannot be written, each record of each call says so.
  const warnOnce = (line: string): void => {
    if (!warned.has(line)) warn(line);
    warned.add(line);
  };
  const engine = await createEngine({
    ...(flags.workspace === undefined ? {} : { workspace: flags.workspace }),
    ...(flags.home === undefined ? {} : { home: flags.home }),
    ...(flags.mode === undefined ? {} : { mode: modeOf(flags.mode) }),
    log: (message, cause) => warnOnce(cause instanceof Error ? `${message}: ${cause.message}` : message),
    // A command ends after its call; what runs in its terminal does not.
    terminal: "kept",
    onLockWait: ({ holder }) => warn(lockWords(holder.stopped ? "lockWaitStopped" : "lockWait", holder, workspace)),
    ...(flags.stealLock ? { onLockSteal: (from) => warn(lockWords("lockStolen", from, workspace)) } : {}),
    unknownTools: "warn",
    ...asking(flags.approve, person),
    ...(onTerminal() ? { askValue: (request, signal) => person.askValue(request, signal) } : {}),
    ...extra,
  });
  ({ workspace } = engine.places);
  return engine;
}

/** The session that the flags name; with `person` they are asked about its calls. */
export async function openSession(engine: WiredEngine, flags: CallFlags, person?: Person): Promise<SessionHandle> {
  const session = await engine.openSession({
    ...(flags.session === undefined ? {} : { id: flags.session }),
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
  });
  person?.hold(session);
  return session;
}

/** Opens, does, closes; whatever happens. */
export async function withEngine<T>(
  flags: CallFlags,
  work: (engine: WiredEngine, person: Person) => Promise<T>,
  extra?: Partial<EngineOptions>,
): Promise<T> {
  const person = new Person();
  const engine = await openEngine(flags, person, extra);
  tellRecovered(engine.recovered, engine.places.workspace);
  try {
    return await work(engine, person);
  } finally {
    await engine.close();
  }
}

function lockWords(key: MessageKey, { path, pid, since, callId, summary }: LockHolder, workspace: string): string {
  return say(key, oneLine(within(path, workspace)), pid, localTime(since), oneLine(summary ?? callId));
}

/** Somebody sits there and can be asked. */
export function onTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Without a terminal and without `--approve` nobody can be asked; with `--approve ask` the question waits as a record. */
function asking(approve: string | undefined, person: Person): Partial<EngineOptions> {
  const askHere: Approve = (card, signal) => person.approve(card, signal);
  switch (approve) {
    case undefined:
      return onTerminal() ? { approve: askHere } : {};
    case "ask":
      return onTerminal() ? { approve: askHere } : { approvals: "record" };
    case "yes":
      return { approve: "once" };
    case "no":
      return { approve: "deny" };
    default:
      throw new UsageError(say("unknownApprove", approve));
  }
}

function modeOf(text: string): Mode {
  const mode = modes.find((candidate) => candidate === text);
  if (!mode) throw new UsageError(say("unknownMode", text));
  return mode;
}

/** What dead processes had left, and where more of it waits. */
export function tellRecovered({ calls, waiting }: RecoveryReport, workspace: string): void {
  for (const call of calls) for (const line of recoveryWords(call, workspace)) warn(line);
  for (const workspace of waiting) warn(say("recoveryWaits", workspace));
}

export function print(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

export function warn(text: string): void {
  beside(() => process.stderr.write(`${text}\n`));
}

/** The engine of the command is over when the command is, and its background commands with it. */
export function warnOfBackground(results: readonly Result[]): void {
  const ids = results.flatMap(({ data }) => (data as { readonly task_id?: string } | undefined)?.task_id ?? []);
  if (ids.length > 0) warn(say("backgroundEnds", ids.join(", ")));
}

/** The text of a file that was named, or what comes on stdin. */
export async function readGiven(file = "-"): Promise<string> {
  if (file === "-") return readStdin();
  const { readText } = await import("../compose/index.ts");
  return readText(file).catch((error: NodeJS.ErrnoException) => {
    const unreadable: Record<string, MessageKey> = { ENOENT: "noFile", ENOTDIR: "noFile", EISDIR: "isDirectory", EACCES: "noRights" };
    const message = unreadable[error.code ?? ""];
    throw message === undefined ? error : new UsageError(say(message, file));
  });
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** By its name: the server is built apart and brings a class of its own. */
function isFailure(error: unknown): error is ToolFailure {
  return error instanceof Error && error.name === "ToolFailure" && "toError" in error;
}

/** Says what went wrong; with `--json` also as the one object on stdout. */
export function fail(error: unknown, { json = false }: { readonly json?: boolean } = {}): number {
  const failure = isFailure(error) ? error.toError() : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const usage = error instanceof UsageError || failure?.code === "invalid_tool_input";
  for (const line of failure === undefined ? [message] : failureWords(failure)) warn(line);
  if (json) printJson({ status: "error", error: failure ?? { code: usage ? "invalid_tool_input" : "tool_error", message } });
  return usage ? exitCodes.usage : exitCodes.failed;
}
