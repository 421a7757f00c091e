/** First stage of a call: look the tool up, parse its input, ask it for a plan. Nothing is changed here. */
import {
  type Call,
  type Plan,
  type PlanContext,
  type ReadPorts,
  type Tool,
  ToolFailure,
  type Traits,
  traitsOf,
} from "../contract/index.ts";
import { parseInput } from "../registry/index.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";

export interface Prepared {
  readonly tool: Tool;
  readonly traits: Traits;
  readonly input: unknown;
  readonly plan: Plan;
}

export function findTool(session: Session, call: Call): Tool {
  if (call.unreadable === undefined) return session.lookUp(call.name);
  throw new ToolFailure("invalid_tool_input", `The call could not be read: ${call.unreadable}.`, {
    hint: call.rightForm === undefined ? "Write the call again, complete and well-formed." : `Write it like this:\n${call.rightForm}`,
    details: { reason: "unreadable_call" },
  });
}

export async function prepare(session: Session, call: Call, tool: Tool, memory: CallMemory, signal: AbortSignal): Promise<Prepared> {
  const input = parseInput(tool, call.input);
  return { tool, traits: traitsOf(tool), input, plan: await planCall(session, call, tool, input, memory, signal) };
}

export async function planCall(
  session: Session,
  call: Call,
  tool: Tool,
  input: unknown,
  memory: CallMemory,
  signal: AbortSignal,
): Promise<Plan> {
  if (!tool.plan) return defaultPlan(tool);
  const context: PlanContext = {
    callId: call.id,
    seen: memory,
    signal,
    session: session.view(),
    ...(session.readPorts() as ReadPorts),
  };
  return tool.plan(input, context);
}

/** Written in code and read-only, a tool without a plan is a read; any other is somebody else's deed: asked about, alone, not undoable. */
function defaultPlan(tool: Tool): Plan {
  const readOnly = traitsOf(tool).readOnly && isZod(tool);
  return {
    summary: `${tool.name}`,
    effects: readOnly ? [] : [{ kind: "remote", server: serverOf(tool.name), tool: tool.name }],
  };
}

function isZod(tool: Tool): boolean {
  return typeof (tool.input as { safeParse?: unknown }).safeParse === "function";
}

function serverOf(name: string): string {
  const match = /^mcp__(.+?)__/.exec(name) ?? /^([^:]+):/.exec(name);
  return match?.[1] ?? "local";
}
