/** What every command shares: the global flags, opening the engine, printing, reading stdin. */

import type { EngineOptions, KaryiEngine, SessionHandle } from "../compose/index.ts";
import type { ApprovalCard, Approve, Mode, Result } from "../contract/index.ts";
import { modes, ToolFailure } from "../contract/index.ts";
import { exitCodes } from "./exit-code.ts";
import { whileAsking } from "./live-output.ts";
import { type MessageKey, say } from "./messages.ts";
import { tellResult } from "./show-result.ts";
import { failureWords } from "./words.ts";

export interface GlobalFlags {
  readonly workspace?: string;
  readonly home?: string;
  readonly session?: string;
  readonly json?: boolean;
}

export interface CallFlags extends GlobalFlags {
  readonly cwd?: string;
  readonly mode?: string;
  readonly approve?: string;
}

/** Wrong usage: the message goes to stderr, the exit code is 2. */
export class UsageError extends Error {}

async function openEngine(flags: CallFlags, extra: Partial<EngineOptions> = {}): Promise<KaryiEngine> {
  const { createEngine } = await import("../compose/index.ts");
  return createEngine({
    ...(flags.workspace === undefined ? {} : { workspace: flags.workspace }),
    ...(flags.home === undefined ? {} : { home: flags.home }),
    ...(flags.mode === undefined ? {} : { mode: modeOf(flags.mode) }),
    log: (message, cause) => warn(cause instanceof Error ? `${message}: ${cause.message}` : message),
    // A command ends after its call; what runs in its terminal does not.
    terminal: "kept",
    ...asking(flags.approve),
    ...(onTerminal() ? { askValue: askValueHere } : {}),
    ...extra,
  });
}

const askValueHere: NonNullable<EngineOptions["askValue"]> = async (request, signal) => {
  const { askValueOnTerminal } = await import("./ask.ts");
  return whileAsking(() => askValueOnTerminal(request, signal));
};

/** The session of this command and its workspace, for a preview of what is being asked about. */
let current: SessionHandle | undefined;
let workspace = "";

export async function openSession(engine: KaryiEngine, flags: CallFlags): Promise<SessionHandle> {
  current = await engine.openSession({
    ...(flags.session === undefined ? {} : { id: flags.session }),
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
  });
  workspace = engine.places.workspace;
  return current;
}

/** A dry run of the call on the card. What it would have to ask about itself is not asked a second time. */
async function rehearse({ tool, input }: ApprovalCard): Promise<string> {
  const session = current;
  current = undefined;
  const result = await session?.call(tool, input, { dryRun: true });
  current = session;
  return result === undefined ? "" : tellResult(result, { workspace, stream: process.stderr, asking: true });
}

/** Opens, does, closes; whatever happens. */
export async function withEngine<T>(
  flags: CallFlags,
  work: (engine: KaryiEngine) => Promise<T>,
  extra?: Partial<EngineOptions>,
): Promise<T> {
  const engine = await openEngine(flags, extra);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** Somebody sits there and can be asked. */
function onTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Without a terminal and without `--approve` nobody can be asked; with `--approve ask` the question waits as a record. */
function asking(approve: string | undefined): Partial<EngineOptions> {
  const askHere: Approve = async (card, signal) => {
    const { askOnTerminal } = await import("./ask.ts");
    return whileAsking(() => askOnTerminal(card, signal, current && (() => rehearse(card))));
  };
  switch (approve) {
    case undefined:
      return onTerminal() ? { approve: askHere } : {};
    case "ask":
      return onTerminal() ? { approve: askHere } : { approvals: "record" };
    case "yes":
      return { approve: async () => "once" };
    case "no":
      return { approve: async () => "deny" };
    default:
      throw new UsageError(say("unknownApprove", approve));
  }
}

function modeOf(text: string): Mode {
  const mode = modes.find((candidate) => candidate === text);
  if (!mode) throw new UsageError(say("unknownMode", text));
  return mode;
}

export function print(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

export function warn(text: string): void {
  process.stderr.write(`${text}\n`);
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

/** Says what went wrong; with `--json` also as the one object on stdout. */
export function fail(error: unknown, { json = false }: { readonly json?: boolean } = {}): number {
  const failure = error instanceof ToolFailure ? error.toError() : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const usage = error instanceof UsageError || failure?.code === "invalid_tool_input";
  for (const line of failure === undefined ? [message] : failureWords(failure)) warn(line);
  if (json) printJson({ status: "error", error: failure ?? { code: usage ? "invalid_tool_input" : "tool_error", message } });
  return usage ? exitCodes.usage : exitCodes.failed;
}
