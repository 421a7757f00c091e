/** `karyi mcp add|remove|list|test`: the servers whose tools Karyi uses. */
import type { Json } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { oneLine } from "../visible.ts";

/** So long the person may take in the browser. */
const loginMs = 10 * 60_000;

interface AddFlags extends GlobalFlags {
  readonly url?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
}

async function where(flags: GlobalFlags) {
  const { placesOf } = await import("../../compose/index.ts");
  return { ...(await placesOf(flags.workspace, flags.home, process.env)), env: process.env };
}

export async function add([name = "", ...words]: readonly string[], flags: AddFlags): Promise<number> {
  const { addServer } = await import("../../compose/index.ts");
  const server = await addServer(await where(flags), name, entryOf(words, flags));
  if (flags.json) printJson({ name: server.name, transport: server.transport, source: server.source });
  else print(say("mcpAdded", name, `karyi mcp test ${name}`));
  return exitCodes.done;
}

function entryOf([command, ...args]: readonly string[], { url, header = [], env = [] }: AddFlags): Json {
  if ((url === undefined) === (command === undefined)) throw new UsageError(say("mcpCommandOrUrl"));
  if (url !== undefined) {
    const headers = Object.fromEntries(header.map((line) => pair(line, ":")));
    return { type: "http", url, ...(header.length === 0 ? {} : { headers }) };
  }
  const variables = Object.fromEntries(env.map((line) => pair(line, "=")));
  return { command: command ?? "", args, ...(env.length === 0 ? {} : { env: variables }) };
}

function pair(line: string, separator: string): readonly [string, string] {
  const at = line.indexOf(separator);
  if (at <= 0) throw new UsageError(say("mcpBadPair", line, `NAME${separator}${separator === ":" ? " " : ""}VALUE`));
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

export async function remove([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  const { removeServer } = await import("../../compose/index.ts");
  const removed = await removeServer(await where(flags), name);
  if (flags.json) printJson({ name, removed });
  else if (removed) print(say("mcpRemoved", name));
  else warn(say("mcpNoSuch", name));
  return removed ? exitCodes.done : exitCodes.failed;
}

export async function list(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const { listServers } = await import("../../compose/index.ts");
  const servers = (await listServers(await where(flags))).map(({ name, transport, source, trusted, error }) => ({
    name,
    transport,
    source,
    trusted,
    ...(error === undefined ? {} : { error }),
  }));
  if (flags.json) printJson({ servers });
  else if (servers.length === 0) print(say("mcpNone"));
  else {
    const lines = servers.map(({ name, transport, source, trusted, error }) =>
      [name, transport, source, ...(trusted ? [] : [say("mcpUntrusted")]), ...(error === undefined ? [] : [error])].join("  "),
    );
    print(lines.join("\n"));
  }
  return exitCodes.done;
}

/** The link goes to stderr where the answer is read by a program. */
export async function login([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort(new UsageError(say("mcpLoginStopped"))));
    const tell = flags.json ? warn : print;
    const show = (link: string) => tell([say("mcpLoginLink", name), "", `  ${link}`, "", say("mcpLoginWaiting")].join("\n"));
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(loginMs)]);
    const outcome = await learned(engine.servers?.login(name, { show, signal }) ?? Promise.resolve([]));
    if (flags.json) printJson({ name, ok: outcome.error === undefined, ...outcome });
    else if (outcome.error !== undefined) warn(oneLine(outcome.error));
    else print(say("mcpLoggedIn", name, outcome.tools.length));
    return outcome.error === undefined ? exitCodes.done : exitCodes.failed;
  });
}

export async function logout([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const removed = (await engine.servers?.logout(name)) ?? false;
    if (flags.json) printJson({ name, removed });
    else print(say(removed ? "mcpLoggedOut" : "mcpNoLogin", name));
    return exitCodes.done;
  });
}

export async function test([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const outcome = await learned(engine.servers?.learn(name) ?? Promise.resolve([]));
    if (flags.json) printJson({ name, ok: outcome.error === undefined, ...outcome });
    else if (outcome.error !== undefined) warn(outcome.error);
    else print([say("mcpWorks", name, outcome.tools.length), ...outcome.tools.map((tool) => `  ${tool}`)].join("\n"));
    return outcome.error === undefined ? exitCodes.done : exitCodes.failed;
  });
}

async function learned(asking: Promise<readonly string[]>): Promise<{ readonly tools: readonly string[]; readonly error?: string }> {
  try {
    return { tools: await asking };
  } catch (error) {
    if (error instanceof ToolFailure) return { tools: [], error: error.message };
    throw error;
  }
}
