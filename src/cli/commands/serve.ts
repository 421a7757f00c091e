/** `karyi serve`: starts the gateway, says where it is and how to use it, and stops in order. */
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import type { Mode } from "../../contract/index.ts";
import { modes } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, readGiven, UsageError } from "../front.ts";
import { loadServer, type Server } from "../load-server.ts";
import { say } from "../messages.ts";
import { parentGone } from "../parent-gone.ts";
import { styled } from "../terminal-style.ts";

interface ServeFlags extends GlobalFlags {
  readonly host?: string;
  readonly port?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly enableShell?: boolean;
  readonly mode?: string;
}

/** Set by the first process for the second: the token comes on a pipe. */
const handOver = "KARYI_TOKEN_HANDED_OVER";

export async function serveGateway(_: readonly string[], flags: ServeFlags): Promise<number> {
  const server = await loadServer();
  const visible = flags.token ?? process.env.KARYI_TOKEN;
  if (visible !== undefined && process.env[handOver] === undefined) return startWithout(server, visible);
  const stop = new AbortController();
  const token = await tokenOf(server, flags, () => stop.abort());
  delete process.env[handOver];
  const serving = await server.serve({
    ...(flags.workspace === undefined ? {} : { workspace: flags.workspace }),
    ...(flags.home === undefined ? {} : { home: flags.home }),
    ...(flags.mode === undefined ? {} : { mode: modeOf(flags.mode) }),
    ...(flags.tokenFile === undefined ? {} : { tokenFile: flags.tokenFile }),
    host: flags.host ?? "127.0.0.1",
    port: portOf(flags.port ?? "4747"),
    ...(token === undefined ? {} : { token }),
    enableShell: flags.enableShell ?? false,
    consoleFolder: join(__dirname, "console"),
    version: packageJson.version,
    logTo: process.stderr,
  });
  const ended = new Promise<void>((resolve) => {
    stop.signal.addEventListener("abort", () => resolve());
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => resolve());
    if (stop.signal.aborted) resolve();
    // npm starts a shell that starts this process. A SIGTERM to npm ends npm and the shell, and is not passed on.
    if (process.env.npm_lifecycle_event === "start") void parentGone().then(resolve);
  });
  const { address, loginLink, madeToken, workspace, shell, model } = serving;
  if (flags.json) printJson({ address, login_link: loginLink, pid: process.pid, ...(madeToken === undefined ? {} : { token: madeToken }) });
  else {
    const shown = madeToken ?? "$KARYI_TOKEN";
    const lines = [
      styled("bold", say("serveAt", address), process.stdout),
      say("serveLogin", loginLink),
      say("serveWorkspace", workspace),
      "",
      say("serveCurl"),
      `  curl -H "Authorization: Bearer ${shown}" ${address}/api/v1/tools`,
      say("serveMcp"),
      `  {"mcpServers": {"karyi": {"type": "http", "url": "${address}/mcp", "headers": {"Authorization": "Bearer ${shown}"}}}}`,
      "",
      ...(shell ? [] : [say("serveShellOff")]),
      ...(model === undefined ? [say("serveNoModel")] : []),
      say("serveStop"),
    ];
    print(lines.join("\n"));
  }
  await ended;
  await serving.close();
  return exitCodes.done;
}

/** This process keeps the token in its arguments or environment, where any program of the user can read it; the next one has none. */
function startWithout(server: Server, secret: string): Promise<number> {
  const args: string[] = [];
  for (let index = 1; index < process.argv.length; index += 1) {
    const arg = process.argv[index] ?? "";
    if (arg === "--token") index += 1;
    else if (!arg.startsWith("--token=")) args.push(arg);
  }
  const { KARYI_TOKEN: _, ...env } = process.env;
  return server.startAgain({ args, env: { ...env, [handOver]: "1" }, secret });
}

async function tokenOf(server: Server, { tokenFile }: ServeFlags, onOrphaned: () => void): Promise<string | undefined> {
  if (process.env[handOver] !== undefined) return server.takeOver(onOrphaned);
  if (tokenFile === undefined) return undefined;
  const token = (await readGiven(tokenFile)).trim();
  if (token === "") throw new UsageError(say("tokenFileEmpty", tokenFile));
  return token;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError(say("notAPort", text));
  return port;
}

function modeOf(text: string): Mode {
  const mode = modes.find((candidate) => candidate === text);
  if (!mode) throw new UsageError(say("unknownMode", text));
  return mode;
}
