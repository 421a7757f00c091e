/** What a tool is given to run or to rehearse a plan: the session as this call sees it, its ports, live text that is masked. */
import type { Call, FileWriter, Plan, RunContext, Tool } from "../contract/index.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { liveText } from "./live-text.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";

export interface RunSurroundings {
  readonly session: Session;
  readonly tool: Tool;
  readonly call: Pick<Call, "id" | "agent">;
  readonly memory: CallMemory;
  readonly plan: Plan;
  readonly signal: AbortSignal;
  /** Bound to what the plan names. */
  readonly files: FileWriter;
  readonly network?: "none";
  /** Text that is not masked yet. */
  onText(text: string): void;
  onMasked(text: string): void;
}

export function runContext(
  { session, tool, call, memory, plan, signal, files, network, onText, onMasked }: RunSurroundings,
  { masker, store, userHome }: Pick<EngineDependencies, "masker" | "store" | "userHome">,
): RunContext {
  return {
    callId: call.id,
    ...(call.agent === undefined ? {} : { agent: call.agent }),
    seen: memory,
    signal,
    session: memory.session(session.roots, userHome),
    plan,
    ...(network === undefined ? {} : { network }),
    progress: onText,
    live: () => liveText(masker, () => store.createOutput(session.record.id), onMasked),
    ...session.runPorts(tool, plan, files),
  };
}
