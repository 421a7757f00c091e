/**
 * The capturing shell of another agent: a command that the hook has let pass runs in the layer, so that it can be undone.
 * Every other text runs in bash as it is.
 */
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { unwrapped, type WrappedCommand } from "../../adapters/index.ts";
import type { JsonObject } from "../../contract/index.ts";
import { canonical, defaultHome, replaceBytes, resolvePlaces, runAsItIs } from "../../host/index.ts";
import { createEngine } from "../create-engine.ts";
import { takeCommand } from "./passed-commands.ts";

interface Capture {
  readonly home?: string;
  /** The agent gives its shell the command as it is, without anything around it. */
  readonly plain?: boolean;
  /** As bash was called. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
}

const bash = "/bin/bash";
const longestMs = 600_000;
const refusedCode = 126;

/** Answers the exit code. */
export async function captureCommand({ home, plain = false, args, cwd, env, out, err }: Capture): Promise<number> {
  const text = args.at(-1) ?? "";
  const wrapped = plain ? plainCommand(args) : args.some((arg) => /^-[a-z]*c$/.test(arg)) ? unwrapped(text) : undefined;
  if (wrapped === undefined) return runAsItIs(bash, args);
  const { directoryFile } = wrapped;
  if (directoryFile !== undefined && !(await isTemporary(directoryFile))) return runAsItIs(bash, args);
  const places = await resolvePlaces(cwd, home ?? defaultHome(env));
  const passed = await takeCommand(places.home, cwd, wrapped.command);
  if (passed === undefined) {
    err("[karyi: no hook has seen this command; it runs as it is and cannot be undone]\n");
    return runAsItIs(bash, args);
  }
  const { sessionId, callId, agent, workspace } = passed;
  const engine = await createEngine({ workspace, home: places.home, env, unknownTools: "warn", log: () => {} });
  try {
    const session = await engine.openSession({ id: sessionId, workspace, cwd });
    const result = await session.begin({
      id: callId,
      name: "Bash",
      input: { command: wrapped.command, timeout: longestMs },
      agent,
      judged: true,
    });
    const { stdout, stderr, exit_code: code, cwd: left } = (result.data ?? {}) as JsonObject;
    if (typeof stdout !== "string" || typeof stderr !== "string") {
      err(`${result.output}\n`);
      return refusedCode;
    }
    out(stdout);
    err(stderr);
    const exitCode = typeof code === "number" ? code : 1;
    if (exitCode === 0 && directoryFile !== undefined && typeof left === "string")
      await replaceBytes(directoryFile, Buffer.from(`${left}\n`));
    return exitCode;
  } finally {
    await engine.close();
  }
}

function plainCommand([flag, command, ...more]: readonly string[]): (Partial<WrappedCommand> & { readonly command: string }) | undefined {
  return flag === "-c" && command !== undefined && more.length === 0 ? { command } : undefined;
}

/** The agent's own file lies among temporary ones; any other path is none of its. */
async function isTemporary(file: string): Promise<boolean> {
  const folder = await canonical(dirname(resolve(file)));
  const temporary = await Promise.all([tmpdir(), "/tmp"].map((path) => canonical(path)));
  return temporary.some((root) => folder === root || folder.startsWith(`${root}/`));
}
