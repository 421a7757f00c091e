/** Turns what a tool returned or threw into the one neutral Result: masked, bounded, never losing why. */
import {
  type CommandClass,
  type Content,
  errorText,
  type Masker,
  type Result,
  type ResultStatus,
  type Store,
  type ToolError,
  ToolFailure,
  type ToolOutput,
  type Truncation,
} from "../contract/index.ts";
import { boundData } from "./bound-data.ts";
import { boundOutput } from "./bound-output.ts";

const maxContentBytes = 24 << 20;

export interface ResultContext {
  readonly callId: string;
  readonly tool: string;
  readonly sessionId: string;
  readonly startedAt: number;
  readonly masker: Masker;
  readonly maxOutputBytes: number;
  readonly store: Pick<Store, "createOutput">;
  /** Of a command: how its output is cut. */
  readonly class?: CommandClass | undefined;
  /** Text that hooks want the model to read too. */
  readonly additions?: readonly string[];
}

export async function resultOf(
  produced: ToolOutput,
  undoable: boolean,
  context: ResultContext,
  status: ResultStatus = "ok",
): Promise<Result> {
  checkShape(produced, context.tool);
  const output = [withoutPartedSecrets(produced, context.masker), ...(context.additions ?? [])].join("\n");
  const bounded = await boundOutput(
    output,
    context.maxOutputBytes,
    context.masker,
    () => context.store.createOutput(context.sessionId),
    context.additions?.length ? undefined : context.class,
  );
  const data = await boundData(produced.data, context.masker, () => context.store.createOutput(context.sessionId));
  return {
    callId: context.callId,
    tool: context.tool,
    status,
    output: bounded.text,
    content: boundContent(produced.content ?? [], context.masker),
    ...(data === undefined ? {} : { data }),
    undoable,
    durationMs: elapsed(context.startedAt),
    ...truncationOf(bounded.truncated, produced.truncated),
  };
}

/** Where a mark stands inside something that is masked, the marks go. */
function withoutPartedSecrets({ output, unmarked }: ToolOutput, masker: Masker): string {
  return unmarked !== undefined && masker.mask(unmarked) !== unmarked ? unmarked : output;
}

/** A tool that kept the whole itself knows the exact total; the engine's own cut comes second. */
function truncationOf(engines: Truncation | undefined, tools: Truncation | undefined): { truncated?: Truncation } {
  const truncated = tools ?? engines;
  return truncated === undefined ? {} : { truncated };
}

export async function failureResult(thrown: unknown, undoable: boolean, context: ResultContext): Promise<Result> {
  const failure = asFailure(thrown, context.tool);
  const error = context.masker.maskJson<ToolError>(failure.toError());
  const lines = [failure.output, errorText(failure.toError())];
  const text = [...lines.filter((line) => line !== undefined && line !== ""), ...(context.additions ?? [])].join("\n");
  const bounded = await boundOutput(text, context.maxOutputBytes, context.masker, () => context.store.createOutput(context.sessionId));
  const data = await boundData(failure.data, context.masker, () => context.store.createOutput(context.sessionId));
  return {
    callId: context.callId,
    tool: context.tool,
    status: statusOf(failure),
    output: bounded.text,
    content: [],
    ...(data === undefined ? {} : { data }),
    error,
    undoable,
    durationMs: elapsed(context.startedAt),
    ...truncationOf(bounded.truncated, failure.truncated),
  };
}

/** A failure thrown on purpose as it is; a defect with its first line, so that the model still learns why. */
function asFailure(thrown: unknown, tool: string): ToolFailure {
  if (thrown instanceof ToolFailure) return thrown;
  const message = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)[0]?.slice(0, 500) ?? "";
  return new ToolFailure("tool_error", `${tool} failed unexpectedly: ${message === "" ? "no reason given" : message}`, {
    hint: "This is a defect of the tool, not of the call.",
    details: { reason: "defect" },
    cause: thrown,
  });
}

const deniedReasons = new Set(["denied_by_policy", "nobody_to_ask", "refused"]);

function statusOf(failure: ToolFailure): ResultStatus {
  if (failure.code === "cancelled") return "cancelled";
  if (failure.code === "permission_denied" || deniedReasons.has(String(failure.details?.reason))) return "denied";
  return "error";
}

function checkShape(produced: ToolOutput, tool: string): void {
  if (typeof produced === "object" && produced !== null && typeof produced.output === "string") return;
  throw new ToolFailure("tool_error", `${tool} returned no output text.`, {
    hint: "A tool returns { output: string }.",
    details: { reason: "bad_output" },
  });
}

function boundContent(content: readonly Content[], masker: Masker): Content[] {
  let room = maxContentBytes;
  return content.map((part): Content => {
    const size = part.type === "text" ? part.text.length : part.data.length;
    if (size > room) return { type: "text", text: `[${part.type} of ${size} bytes left out: too large]` };
    room -= size;
    return part.type === "text" ? { type: "text", text: masker.mask(part.text) } : part;
  });
}

function elapsed(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 100) / 100;
}
