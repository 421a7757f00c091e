/** What is checked and known before a child starts. Refuses what could not be kept: agents, models, depth, plan mode. */
import { type RunRecord, type SessionHandle, ToolFailure, type ToolSpec } from "../../contract/index.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import { Conversation } from "../history/conversation.ts";
import { inputOf } from "../recorded.ts";
import type { SpawnRequest } from "./agent-tool.ts";
import { callsBefore } from "./call-order.ts";
import type { SubagentPorts } from "./subagent-ports.ts";

/** Everything that is known before a child starts. */
export interface Prepared {
  readonly request: SpawnRequest;
  readonly parent: SessionHandle;
  readonly parentRun: RunRecord | undefined;
  readonly top: SessionHandle;
  readonly definition: AgentDefinition;
  readonly model: string;
  /** Absent with another model than the parent's. */
  readonly tools: readonly ToolSpec[] | undefined;
  /** Calls of the same answer whose children are named first. */
  readonly before: readonly string[];
}

export async function prepare(request: SpawnRequest, ports: SubagentPorts): Promise<Prepared> {
  const { engine, definitions, durable } = ports;
  const parent = await engine.sessionById(request.sessionId);
  if (parent === undefined) throw new Error(`There is no session ${request.sessionId}.`);
  const definition = await definitions.find(parent, request.agent);
  if (definition === undefined) {
    const names = (await definitions.names(parent)).join(", ");
    throw new ToolFailure("invalid_tool_input", `There is no agent '${request.agent}'. Valid agents: ${names}.`, {
      hint: `Choose one of: ${names}.`,
      details: { reason: "unknown_agent" },
    });
  }
  await demandDepth(parent, ports);
  if (request.mode === "worktree" && parent.mode === "plan") {
    throw new ToolFailure("permission_denied", "In plan mode no agent works in a worktree.", { details: { reason: "plan_mode" } });
  }
  const parentRun = (await durable.runs({ sessionId: parent.id, open: true })).find(
    ({ phase, orphaned }) => phase === "running" && !orphaned,
  );
  const parentModel = parentRun && inputOf(parentRun).model;
  const model = request.model ?? definition.model ?? parentModel ?? (await ports.defaultModel(parent));
  if (model === undefined) {
    throw new ToolFailure("invalid_tool_input", "No model is configured.", {
      hint: 'Name one as PROVIDER/MODEL: "model" of the call, of the agent, or of the config.',
      details: { reason: "no_model" },
    });
  }
  const { price } = await ports.openModel(model, parent);
  if (costLimitOf(parentRun) !== undefined && price === undefined) {
    throw new ToolFailure("invalid_tool_input", `The price of ${model} is not known, and the cost of this run is limited.`, {
      hint: "Leave the model out: the agent then has yours.",
      details: { reason: "unknown_price" },
    });
  }
  const top = (await engine.sessionById(parentRun?.rootSessionId ?? parent.id)) ?? parent;
  // With its parent's model a child's requests begin byte for byte as its parent's do (A4).
  const conversation = parentRun === undefined ? undefined : Conversation.of(await durable.steps(parent.id), "");
  const tools = model === parentModel ? conversation?.tools : undefined;
  const before = conversation === undefined ? [] : callsBefore(request.callId, conversation, engine);
  return { request, parent, parentRun, top, definition, model, tools, before };
}

async function demandDepth(parent: SessionHandle, { engine, maxDepth }: SubagentPorts): Promise<void> {
  const most = await maxDepth(parent);
  let depth = 1;
  for (let above: SessionHandle | undefined = parent; above?.record.state.rights?.parent !== undefined; depth += 1)
    above = await engine.sessionById(above.record.state.rights.parent);
  if (depth <= most) return;
  throw new ToolFailure("tool_disabled", `Agents may start agents ${most} deep, and this would be ${depth}.`, {
    hint: "Do the task yourself.",
    details: { reason: "too_deep", max_depth: most },
  });
}

/** A limit holds for a run and everybody below it together. */
function costLimitOf(run: RunRecord | undefined): number | undefined {
  return run && inputOf(run).maxCostUsd;
}
