/** `karyi hook`: captures commands of other agents, keeps a process for their hooks, and puts itself into their settings. */
import { join } from "node:path";
import type { Mode } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, warn } from "../front.ts";
import { say } from "../messages.ts";
import { answerAgent, knownMode, ownFiles } from "./answer-hook.ts";

type HookAgent = typeof import("../../compose/hooks/index.ts").hookAgents[number];

interface HookFlags extends GlobalFlags {
  readonly when?: string;
  readonly resident?: true;
  readonly mode?: string;
  readonly settings?: string;
}

const idleMs = 15 * 60_000;

export const claudeCode = (_: readonly string[], flags: HookFlags) => answerAgent("claude-code", flags);
export const codex = (_: readonly string[], flags: HookFlags) => answerAgent("codex", flags);
export const opencode = (_: readonly string[], flags: HookFlags) => answerAgent("opencode", flags);
export const pi = (_: readonly string[], flags: HookFlags) => answerAgent("pi", flags);

/** Stays and answers the hooks of this home. */
export async function resident(_: readonly string[], flags: HookFlags & { readonly idle?: string }): Promise<number> {
  const { keepResident } = await import("../../compose/hooks/index.ts");
  const { placesOf: resolve } = await import("../../compose/index.ts");
  const { home } = await resolve(undefined, flags.home, process.env);
  const { script, hookScript, bundle } = ownFiles();
  await keepResident({
    home,
    program: [script, hookScript, bundle],
    env: process.env,
    idleMs: flags.idle === undefined ? idleMs : Number(flags.idle),
    failed: (message) => say("hookFailed", message),
  });
  return exitCodes.done;
}

export async function shell(args: readonly string[], flags: HookFlags & { readonly plain?: true }): Promise<number> {
  const { captureCommand } = await import("../../compose/hooks/index.ts");
  return captureCommand({
    args,
    plain: flags.plain ?? false,
    ...(flags.home === undefined ? {} : { home: flags.home }),
    cwd: process.cwd(),
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}

export async function install([agent = ""]: readonly string[], flags: HookFlags): Promise<number> {
  const { installHook } = await import("../../compose/hooks/index.ts");
  const mode = modeOf(flags.mode);
  const { diff, changed } = await installHook({ ...(await placesOf(agent, flags)), ...(mode === undefined ? {} : { mode }) });
  if (flags.json) printJson({ agent, changed, diff });
  else print(changed ? `${diff}${say(installedWords(agent), agent)}` : say("hookThere", agent));
  return exitCodes.done;
}

function installedWords(agent: string): "hookCodexTrust" | "hookJudged" | "hookInstalled" {
  return agent === "codex" ? "hookCodexTrust" : agent === "pi" ? "hookJudged" : "hookInstalled";
}

export async function uninstall([agent = ""]: readonly string[], flags: HookFlags): Promise<number> {
  const { uninstallHook } = await import("../../compose/hooks/index.ts");
  const places = await placesOf(agent, flags);
  const removed = await uninstallHook(places.home, places.agent);
  if (flags.json) printJson({ agent, removed });
  else print(say(removed ? "hookRemoved" : "hookNotThere", agent));
  return exitCodes.done;
}

export async function status([agent = ""]: readonly string[], flags: HookFlags): Promise<number> {
  const { hookStatus } = await import("../../compose/hooks/index.ts");
  const found = await hookStatus(await placesOf(agent, flags));
  if (flags.json) printJson(found);
  else print(say("hookStatus", agent, found.grade, found.last_seen ?? say("hookNever")));
  // Codex skips a hook without a word until the person trusts it there: only a call that was seen shows that it works.
  const isUnseen = agent === "codex" && found.installed && found.last_seen === null;
  if (isUnseen) warn(say("hookCodexTrust"));
  return found.installed && !isUnseen ? exitCodes.done : exitCodes.failed;
}

async function placesOf(name: string, flags: HookFlags) {
  const { hookAgents } = await import("../../compose/hooks/index.ts");
  const agent = hookAgents.find((known) => known === name);
  if (agent === undefined) throw new UsageError(say("hookUnknownAgent", name, hookAgents.join(", ")));
  const { placesOf: resolve } = await import("../../compose/index.ts");
  const { home, userHome } = await resolve(flags.workspace, flags.home, process.env);
  const { script, hookScript } = ownFiles();
  const settings = flags.settings ?? settingsOf(agent, process.env.HOME ?? userHome);
  return { agent, home, settings, node: process.execPath, script, hookScript };
}

function settingsOf(agent: HookAgent, userHome: string): string {
  if (agent === "codex") return join(process.env.CODEX_HOME ?? join(userHome, ".codex"), "hooks.json");
  if (agent === "opencode") return join(process.env.XDG_CONFIG_HOME ?? join(userHome, ".config"), "opencode", "plugins", "karyi.js");
  if (agent === "pi") return join(process.env.PI_CODING_AGENT_DIR ?? join(userHome, ".pi", "agent"), "extensions", "karyi.js");
  return join(process.env.CLAUDE_CONFIG_DIR ?? join(userHome, ".claude"), "settings.json");
}

function modeOf(text: string | undefined): Mode | undefined {
  const mode = knownMode(text);
  if (text !== undefined && mode === undefined) throw new UsageError(say("unknownMode", text));
  return mode;
}
