/** Events of calls that were broken or cut: the engine never saw them, and a person sees what the model is told of them. */
import type { EventDraft } from "../../contract/index.ts";
import type { CallOutcome, CallPart } from "../history/message.ts";

export function faultyCalls(calls: readonly CallPart[], outcomes: readonly CallOutcome[], agent: string): EventDraft[] {
  return outcomes.flatMap(({ callId, tool, output, fault }): EventDraft[] => {
    const call = calls.find((one) => one.callId === callId);
    if (fault === undefined || call === undefined) return [];
    const error = {
      code: "invalid_tool_input" as const,
      message: output.replace(/^Error: (?:invalid_tool_input: )?/, ""),
      details: { reason: fault },
    };
    const counted = { output_length: output.length, undoable: false, duration_ms: 0 };
    return [
      { type: "tool_call", callId, agent, body: { tool, input: call.input, summary: tool } },
      { type: "tool_result", callId, agent, body: { tool, status: "error", output, ...counted, error } },
    ];
  });
}
