/**
 * A dry run: what the call would do, and what the policy says to it. Changes nothing. A command is
 * rehearsed for real in a copy-on-write view where the machine has one.
 */
import { type Call, type Decision, type Json, plannedText, type Result, type ToolOutput } from "../contract/index.ts";
import { asJson } from "./canonical.ts";
import { withDeadline } from "./deadline.ts";
import { judge } from "./decide.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { denial } from "./gate.ts";
import { guardFiles } from "./guarded-files.ts";
import { timeoutOf } from "./perform.ts";
import type { Prepared } from "./prepare.ts";
import { type ResultContext, resultOf } from "./result.ts";
import { runContext } from "./run-context.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";

export interface DryRun {
  readonly session: Session;
  readonly call: Call;
  readonly prepared: Prepared;
  readonly memory: CallMemory;
  readonly context: ResultContext;
  readonly signal: AbortSignal;
  readonly options: { readonly onProgress?: (text: string) => void; readonly keep?: boolean };
}

export async function dryRun(run: DryRun, dependencies: EngineDependencies): Promise<Result> {
  const { session, call, prepared, context } = run;
  const decision = judge(session, call, prepared, dependencies);
  if (decision.verdict === "deny") throw denial(decision);
  const produced = prepared.tool.rehearse ? await rehearse(run, dependencies) : planned(prepared);
  return resultOf({ ...produced, data: withDecision(produced.data, decision) }, false, context, "planned");
}

function planned({ plan }: Prepared): ToolOutput {
  const lines = [`${plannedText}${plan.summary}`];
  if (plan.preview?.type === "diff" || plan.preview?.type === "text") lines.push("", plan.preview.text);
  return {
    output: lines.join("\n"),
    data: {
      ...plan.report,
      ...(plan.changes === undefined
        ? {}
        : {
            changes: plan.changes.map(({ beforeSize, afterSize, ...change }) =>
              asJson({ ...change, before_size: beforeSize, after_size: afterSize }),
            ),
          }),
    },
  };
}

function withDecision(data: Json | undefined, decision: Decision): Json {
  const own = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
  return { ...own, decision: decision.verdict, rule: decision.rule, reason: decision.reason };
}

async function rehearse(run: DryRun, dependencies: EngineDependencies): Promise<ToolOutput> {
  const { session, call, prepared, memory, options } = run;
  const { tool, input, plan } = prepared;
  const { limits, masker } = dependencies;
  return withDeadline(
    { timeoutMs: timeoutOf(tool, input, limits.callTimeoutMs), signal: run.signal, graceMs: tool.graceMs ?? 250 },
    async (signal) => {
      const files = guardFiles(session.files, { ...plan, effects: [] }, signal, new Map()).files;
      const onMasked = (text: string) => options.onProgress?.(text);
      const onText = (text: string) => onMasked(masker.mask(text));
      const context = runContext({ session, tool, call, memory, plan, signal, files, onText, onMasked }, dependencies);
      const rehearsed = await tool.rehearse?.(input, context, { network: "none", keep: options.keep ?? false });
      return rehearsed?.told ?? planned(prepared);
    },
  );
}
