/** What every agent's hook protocol comes to: a payload read as a call, and an answer in that agent's own words. */
import type { ForeignCall, Json, JsonObject, Touch } from "../../contract/index.ts";

export const hookAgents = ["claude-code", "codex", "opencode", "pi"] as const;
export type HookAgent = (typeof hookAgents)[number];

/** A call of the other agent in our words. */
export interface HookedCall {
  readonly event: "before" | "after";
  readonly sessionId: string;
  readonly cwd: string;
  readonly call: ForeignCall;
  /** Of a finished call. */
  readonly outcome?: { readonly ok: boolean; readonly output: string };
}

export interface HookProtocol {
  readonly agent: HookAgent;
  /** `undefined` where it is no call that we judge. Throws if it is no payload at all: what is not understood must not pass. */
  read(text: string): HookedCall | undefined;
  deny(reason: string): string;
  /** Absent: the agent cannot ask its person. */
  ask?(reason: string): string;
}

type Mapped = Required<Pick<ForeignCall, "name" | "touches">> & { readonly input: JsonObject };
export type MapTool = (name: string, input: JsonObject) => Mapped | undefined;

/** Payloads of Claude Code's form: `hook_event_name`, `tool_name`, `tool_input`, `tool_use_id`. */
export function readCall(text: string, agent: HookAgent, mapTool: MapTool): HookedCall | undefined {
  const payload = JSON.parse(text.replace(/^\uFEFF/, "")) as JsonObject | null;
  if (typeof payload !== "object" || payload === null || typeof payload.hook_event_name !== "string")
    throw new Error("this is no payload of a hook");
  const event = events[payload.hook_event_name];
  if (event === undefined) return undefined;
  const { session_id, cwd, tool_name, tool_input, tool_use_id, agent_id } = payload;
  if (typeof tool_name !== "string" || typeof cwd !== "string" || typeof session_id !== "string")
    throw new Error("the payload names no tool, session or directory");
  const mapped = mapTool(tool_name, isObject(tool_input) ? tool_input : {});
  if (mapped === undefined) return undefined;
  const id = isText(tool_use_id) ? tool_use_id : `${session_id}:${tool_name}:${JSON.stringify(tool_input)}`.slice(0, 200);
  return {
    event,
    sessionId: session_id,
    cwd,
    call: { id, ...mapped, agent: typeof agent_id === "string" ? agent_id : agent },
    ...(event === "after" ? { outcome: outcomeOf(payload) } : {}),
  };
}

const events: Readonly<Record<string, HookedCall["event"]>> = {
  PreToolUse: "before",
  PostToolUse: "after",
  PostToolUseFailure: "after",
};

function outcomeOf({ hook_event_name, tool_response, error }: JsonObject): { readonly ok: boolean; readonly output: string } {
  const said = error ?? tool_response ?? "";
  return { ok: hook_event_name === "PostToolUse", output: typeof said === "string" ? said : JSON.stringify(said) };
}

export function preToolUse(permissionDecision: "deny" | "ask", reason: string): string {
  const permissionDecisionReason = `Karyi: ${reason}`;
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } });
}

/** A tool that no list here knows: one of an MCP server by its name, else nobody can say what it does. */
export function strangeTool(name: string, input: JsonObject): Mapped {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  const touches: readonly Touch[] = server === undefined || tool === undefined ? [] : [{ kind: "remote", server, tool }];
  return { name, input, touches };
}

export function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
