/** `karyi exec`, `karyi parse` and `karyi prompt`: a model's own text in, results in its own dialect out. */
import { randomUUID } from "node:crypto";
import type { WiredEngine } from "../../compose/index.ts";
import { cutForModel, estimateTokens, type Result, type SessionHandle } from "../../contract/index.ts";
import {
  type DecodedCall,
  type Dialect,
  encodeResults,
  generateToolInstruction,
  guessDialect,
  parseToolCalls,
  rightForm,
} from "../../dialect/index.ts";
import { dialects } from "../dialect-names.ts";
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import {
  type CallFlags,
  type GlobalFlags,
  openSession,
  print,
  printJson,
  readGiven,
  UsageError,
  warn,
  warnOfBackground,
  withEngine,
} from "../front.ts";
import { say } from "../messages.ts";

interface DialectFlags extends CallFlags {
  readonly dialect?: string;
  readonly dryRun?: boolean;
}

export async function execText([file]: readonly string[], flags: DialectFlags): Promise<number> {
  const dialect = dialectOf(flags.dialect ?? "auto");
  const text = await readGiven(file);
  return withEngine(flags, async (engine, person) => {
    const calls = decode(text, dialect, engine);
    const answering = dialect === "auto" ? guessDialect(text) : dialect;
    const session = await openSession(engine, flags, person);
    const messageId = randomUUID();
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    const results = await session.callAll(
      calls.map((call) => ({ ...call, messageId, ...formFor(call, answering, engine) })),
      { signal: stop.signal, ...(flags.dryRun ? { dryRun: true } : {}) },
    );
    const { modelOutputTokens } = engine.config.effective;
    printResults(
      flags.json ? results : await Promise.all(results.map((one) => fitting(one, modelOutputTokens, session))),
      answering,
      flags,
    );
    warnOfBackground(results);
    return exitCodeOf(results);
  });
}

export async function parseText([file]: readonly string[], flags: DialectFlags): Promise<number> {
  const dialect = dialectOf(flags.dialect ?? "auto");
  const text = await readGiven(file);
  return withEngine(flags, async (engine) => {
    const calls = decode(text, dialect, engine);
    for (const { name, input, repaired, unreadable, cutOff } of calls) {
      printJson({
        name,
        input,
        ...(repaired === undefined || repaired.length === 0 ? {} : { repaired }),
        ...(cutOff ? { cut_off: true } : {}),
        ...(unreadable === undefined ? {} : { error: unreadable }),
      });
    }
    return calls.some(({ unreadable }) => unreadable !== undefined) ? exitCodes.failed : exitCodes.done;
  });
}

export function printPrompt(
  _: readonly string[],
  flags: GlobalFlags & { readonly dialect?: string; readonly tools?: string },
): Promise<number> {
  const dialect = dialectOf(flags.dialect ?? "tool_call");
  return withEngine(flags, async (engine) => {
    const wanted = flags.tools?.split(",").map((name) => name.trim());
    const missing = wanted?.find((name) => !engine.registry.get(name));
    if (missing !== undefined) throw new UsageError(say("unknownTool", missing, engine.registry.closest(missing, 3).join(", ")));
    const names = wanted ?? engine.registry.names();
    const specs = names.flatMap((name) => {
      const tool = engine.registry.get(name);
      return tool ? [engine.describe(tool)] : [];
    });
    const instruction = generateToolInstruction(specs, dialect);
    if (flags.json) printJson(typeof instruction === "string" ? { instruction } : instruction);
    else print(typeof instruction === "string" ? instruction : JSON.stringify(instruction, null, 2));
    return exitCodes.done;
  });
}

function decode(text: string, dialect: Dialect, engine: WiredEngine): DecodedCall[] {
  return parseToolCalls(text, {
    dialect,
    tools: (name) => {
      const tool = engine.registry.get(name);
      return tool && engine.describe(tool).inputSchema;
    },
  });
}

function formFor({ name, unreadable }: DecodedCall, dialect: Dialect, engine: WiredEngine): { rightForm?: string } {
  const tool = unreadable === undefined ? undefined : engine.registry.get(name);
  return tool ? { rightForm: rightForm(engine.describe(tool), dialect) } : {};
}

/** The copy that a model reads; the result itself keeps its own limits. */
async function fitting(result: Result, maxTokens: number, session: SessionHandle): Promise<Result> {
  if (estimateTokens(result.output) <= maxTokens) return result;
  const ref = result.truncated?.ref ?? (await session.keepOutput(result.output));
  return { ...result, output: cutForModel(result.output, maxTokens, ref) };
}

function printResults(results: readonly Result[], dialect: Dialect, flags: GlobalFlags): void {
  if (flags.json) printJson(results);
  else if (results.length === 0) warn(say("noCalls"));
  else {
    const encoded = encodeResults(dialect, results);
    print(typeof encoded === "string" ? encoded : JSON.stringify(encoded, null, 2));
  }
}

function dialectOf(text: string): Dialect {
  const dialect = dialects.find((candidate) => candidate === text);
  if (!dialect) throw new UsageError(say("unknownDialect", text, dialects.join(", ")));
  return dialect;
}
