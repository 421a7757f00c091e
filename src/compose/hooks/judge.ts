/** One hook of another agent: before a call judge it and keep images, after it write down what became of it. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type HookAgent, hookProtocols } from "../../adapters/index.ts";
import { type Decision, type ForeignAnswer, type ForeignBeginning, type Json, ToolFailure } from "../../contract/index.ts";
import { readJsonFile, removeFile, replaceBytes, writeJsonFile } from "../../host/index.ts";
import { createEngine } from "../create-engine.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { WiredEngine } from "../wired-engine.ts";
import { interactiveStart } from "./interactive.ts";
import { passCommand } from "./passed-commands.ts";
import { pendingFolder } from "./pending-folder.ts";

export interface HookRequest extends Pick<EngineOptions, "home" | "mode" | "env"> {
  readonly agent: HookAgent;
  readonly payload: string;
  /** Where the agent was started; default: the directory of the call. */
  readonly workspace?: string;
  /** The agent's commands run in our shell. */
  readonly isCaptured: boolean;
}

/** An engine for one hook; it is handed back when the hook is answered. */
export type OpenEngine = (
  options: EngineOptions & { readonly workspace: string },
) => Promise<{ readonly engine: WiredEngine; release(): Promise<void> }>;

const openOwn: OpenEngine = async (options) => {
  const engine = await createEngine(options);
  return { engine, release: () => engine.close() };
};

const sessionOf = (agent: HookAgent, id: string) => `${agent}:${id}`;

const pendingPath = (home: string, session: string, call: string) =>
  join(pendingFolder(home), `${createHash("sha256").update(`${session}\0${call}`).digest("hex").slice(0, 32)}.json`);
export const seenPath = (home: string, agent: HookAgent) => join(home, "hooks", `${agent}.seen.json`);

/** The text for stdout; empty: the call passes. */
export async function answerHook(request: HookRequest, open: OpenEngine = openOwn): Promise<string> {
  const { agent, payload, workspace, isCaptured, home, mode, env } = request;
  const protocol = hookProtocols[agent];
  const hooked = protocol.read(payload);
  if (hooked === undefined) return "";
  const { event, sessionId, cwd, outcome } = hooked;
  const place = workspace ?? cwd;
  const { engine, release } = await open({
    workspace: place,
    ...(home === undefined ? {} : { home }),
    ...(mode === undefined ? {} : { mode }),
    ...(env === undefined ? {} : { env }),
    unknownTools: "warn",
    log: () => {},
  });
  try {
    const id = sessionOf(agent, sessionId);
    const session = await engine.openSession({ id, workspace: place, cwd });
    const path = pendingPath(engine.home, id, hooked.call.id);
    const seen = { time: new Date().toISOString(), session: id, tool: hooked.call.name };
    await replaceBytes(seenPath(engine.home, agent), Buffer.from(JSON.stringify(seen)), 0o600);
    if (event === "after") {
      const pending = await readJsonFile(path);
      if (pending.kind !== "json" || outcome === undefined) return "";
      await session.settleForeign(hooked.call, pending.value as unknown as ForeignBeginning["journal"], outcome);
      await removeFile(path);
      return "";
    }
    const isCommand = hooked.call.name === "Bash";
    const command = String((hooked.call.input as { readonly command?: unknown }).command ?? "");
    const starts = isCommand && agent === "codex" ? interactiveStart(command) : undefined;
    const call = starts === undefined ? hooked.call : { ...hooked.call, touches: [{ kind: "unknown", reason: starts } as const] };
    const { decision, journal, asked } = await session.beginForeign(call, { record: protocol.ask === undefined, captured: isCaptured });
    const isLet = decision.verdict !== "deny" && (asked === undefined || asked.kind === "granted");
    if (isLet && isCommand && isCaptured) {
      const passed = { sessionId: id, callId: call.id, agent: call.agent ?? agent, workspace: engine.workspace };
      await passCommand(engine.home, cwd, command, passed);
    } else if (isLet && journal.length > 0) await writeJsonFile(path, journal as unknown as Json);
    if (asked !== undefined) return asked.kind === "granted" ? "" : protocol.deny(askedWords(decision, asked));
    return answerTo(protocol, decision, isCaptured);
  } catch (error) {
    if (error instanceof ToolFailure && event === "before")
      return answerTo(protocol, { verdict: "deny", reason: error.message, rule: error.code }, isCaptured);
    throw error;
  } finally {
    await release();
  }
}

/** Nothing for an allow. What would be rehearsed runs in the capturing shell, and is asked about where there is none. */
function answerTo(
  { ask, deny }: (typeof hookProtocols)[HookAgent],
  { verdict, reason, rule }: Pick<Decision, "verdict" | "reason" | "rule">,
  isCaptured: boolean,
): string {
  if (verdict === "allow" || (verdict === "rehearse" && isCaptured)) return "";
  const words = `${reason} (${rule})`;
  return verdict === "deny" || ask === undefined ? deny(words) : ask(words);
}

/** For an agent that cannot ask: the person answers elsewhere, and the agent makes the same call again. */
function askedWords({ reason, rule }: Decision, asked: ForeignAnswer): string {
  if (asked.kind === "refused") {
    return `the person said no${asked.words === undefined ? "" : `: ${asked.words}`}; do not try the same again (${rule})`;
  }
  return `a person has to allow this: ${reason} (${rule}). They type: karyi approvals answer ${asked.approvalId} once. Then make exactly this call again; it passes once.`;
}
