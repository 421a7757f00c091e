/** First stage of a call: look the tool up, parse its input, ask it for a plan. Nothing is changed here. */
import {
  type Call,
  type Effect,
  type PathFacts,
  type Plan,
  type PlanContext,
  type Tool,
  ToolFailure,
  type Traits,
  traitsOf,
} from "../contract/index.ts";
import { parseInput } from "../registry/index.ts";
import { withDeadline } from "./deadline.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";

/** A plan only looks: what takes longer than this is not coming back. */
const planTimeoutMs = 60_000;

/** As much of a call as the policy and the records need. */
export interface Planned {
  readonly tool: Pick<Tool, "name">;
  readonly traits: Traits;
  readonly input: unknown;
  readonly plan: Plan;
}

export interface Prepared extends Planned {
  readonly tool: Tool;
}

export function findTool(session: Session, call: Call): Tool {
  if (call.unreadable === undefined) return session.lookUp(call.name);
  throw new ToolFailure("invalid_tool_input", `The call could not be read: ${call.unreadable}.`, {
    hint: call.rightForm === undefined ? "Write the call again, complete and well-formed." : `Write it like this:\n${call.rightForm}`,
    details: { reason: "unreadable_call" },
  });
}

/**
 * A plan that failed after it had looked at something. What it says may tell what it saw, so it is shown only where
 * the policy lets that be read: `looked` is the same call with those reads as its plan.
 */
export class PlanFailed extends Error {
  readonly failure: ToolFailure;
  readonly looked: Prepared;

  constructor(failure: ToolFailure, looked: Prepared) {
    super(failure.message);
    this.failure = failure;
    this.looked = looked;
  }
}

export async function prepare(session: Session, call: Call, tool: Tool, memory: CallMemory, signal: AbortSignal): Promise<Prepared> {
  const input = await parseInput(tool, call.input);
  const traits = traitsOf(tool);
  const looked: PathFacts[] = [];
  try {
    return { tool, traits, input, plan: await planCall(session, call, tool, input, memory, signal, (facts) => looked.push(facts)) };
  } catch (error) {
    const hidden = session.values.placeholders(filledParts(tool, input));
    // Without its values it may not even find its file: what it does is known when they are filled in, and judged then.
    if (error instanceof ToolFailure && hidden.length > 0) return { tool, traits, input, plan: undecided(tool, hidden) };
    if (!(error instanceof ToolFailure) || looked.length === 0) throw error;
    const effects = looked.map((path): Effect => ({ kind: "read", path }));
    throw new PlanFailed(error, {
      tool,
      traits,
      input,
      plan: { summary: `${tool.name}: look at ${looked.map(({ asked }) => asked).join(", ")}`, effects },
    });
  }
}

/** What the engine fills in; a tool that handles placeholders of its own has said what is wrong with them. */
function filledParts(tool: Tool, input: unknown): unknown {
  if (typeof input !== "object" || input === null || tool.ownsPlaceholders === undefined) return input;
  const own = new Set(tool.ownsPlaceholders);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !own.has(name)));
}

function undecided(tool: Tool, names: readonly string[]): Plan {
  const reason = `decided by the secure variable ${names.join(", ")}`;
  return { summary: `${tool.name}: ${reason}`, effects: [{ kind: "unknown", reason }] };
}

export async function planCall(
  session: Session,
  call: Call,
  tool: Tool,
  input: unknown,
  memory: CallMemory,
  caller: AbortSignal,
  onLook: (facts: PathFacts) => void = () => {},
): Promise<Plan> {
  if (!tool.plan) return defaultPlan(tool);
  const { plan } = tool;
  // Nothing may hang a call, also before it is judged and cannot be seen anywhere yet.
  const timeoutMs = typeof tool.timeoutMs === "number" ? Math.min(tool.timeoutMs, planTimeoutMs) : planTimeoutMs;
  return withDeadline({ timeoutMs, signal: caller }, async (signal) => {
    const context: PlanContext = {
      callId: call.id,
      seen: memory,
      signal,
      session: session.view(),
      ...session.readPorts(tool, onLook),
    };
    return plan.call(tool, input, context);
  });
}

/** Written in code and read-only, a tool without a plan is a read; any other is somebody else's deed: asked about, alone, not undoable. */
function defaultPlan(tool: Tool): Plan {
  const readOnly = traitsOf(tool).readOnly && tool.importedFrom === undefined;
  return {
    summary: `${tool.name}`,
    effects: readOnly ? [] : [{ kind: "remote", server: tool.importedFrom ?? "local", tool: tool.name }],
  };
}
