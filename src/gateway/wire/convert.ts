/** From what the engine holds to what goes over the wire. Pure. */
import {
  type ApprovalCard,
  type ApprovalRecord,
  type CallRecord,
  type Effect,
  type EffectVerdict,
  eventToWire,
  type FileChange,
  type Json,
  type JsonObject,
  type KaryiEvent,
  type Result,
  type SessionRecord,
} from "../../contract/index.ts";

/** Sessions that somebody named are known by that name to their user; all others by their own id. */
export function wireSessionId({ id, key }: Pick<SessionRecord, "id" | "key">): string {
  return key.channel === "local" && !key.externalId.startsWith("workspace:") ? key.externalId : id;
}

/** The channel as a client of `/agent/process` gave it. */
export function wireChannel({ channel }: SessionRecord["key"]): string {
  const match = /^process:[^:]*:(.*)$/.exec(channel);
  return match?.[1] === undefined ? channel : decodeURIComponent(match[1]);
}

export function wireResult(result: Result): JsonObject {
  const { callId, tool, status, output, content, data, error, undoable, durationMs, truncated, approvalId } = result;
  return {
    call_id: callId,
    tool,
    status,
    output,
    content: content.map((one) =>
      one.type === "image"
        ? {
            type: "image",
            media_type: one.mediaType,
            data: one.data,
            ...(one.width === undefined ? {} : { width: one.width }),
            ...(one.height === undefined ? {} : { height: one.height }),
          }
        : { type: "text", text: one.text },
    ),
    ...(data === undefined ? {} : { data }),
    ...(error === undefined ? {} : { error: { ...error } }),
    undoable,
    duration_ms: durationMs,
    ...(truncated === undefined ? {} : { truncated: { ...truncated } }),
    ...(approvalId === undefined ? {} : { approval_id: approvalId }),
  };
}

/** A call that has not ended has no result of its own yet; `approvalId` if it waits for a person. */
export function wireUnsettled(record: CallRecord, now: number, approvalId: string | undefined): JsonObject {
  const asked = record.phase === "asked";
  return {
    call_id: record.id,
    tool: record.tool,
    status: asked ? "suspended" : "running",
    output: asked ? `Waiting for a person's approval: ${record.summary}` : record.summary,
    content: [],
    undoable: false,
    duration_ms: Math.max(0, now - record.startedAt),
    ...(approvalId === undefined ? {} : { approval_id: approvalId }),
  };
}

export function wireCall(record: CallRecord): JsonObject {
  const { result } = record;
  const changes = (result?.data as { readonly changes?: Json } | undefined)?.changes;
  return {
    call_id: record.id,
    tool: record.tool,
    input: record.input,
    summary: record.summary,
    status: record.phase === "settled" ? (record.status ?? "failed") : record.phase,
    ...(result === undefined ? {} : { result_status: result.status }),
    started_at: record.startedAt,
    ...(record.settledAt === undefined ? {} : { settled_at: record.settledAt }),
    undoable: result?.undoable === true && record.status !== "rolled_back",
    ...(record.messageId === undefined ? {} : { message_id: record.messageId }),
    ...(record.agent === undefined ? {} : { agent: record.agent }),
    ...(record.undoOf === undefined ? {} : { undo_of: record.undoOf }),
    ...(Array.isArray(changes) ? { changes } : {}),
  };
}

export function wireEvent(event: KaryiEvent, sessionId: string): JsonObject {
  return { ...eventToWire(event), session_id: sessionId };
}

export interface ApprovalFacts {
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly workspace: string;
  /** Only for those who may answer. */
  readonly withNonce: boolean;
  readonly call: CallRecord | undefined;
}

export function wireApproval(record: ApprovalRecord, { sessionId, rootSessionId, workspace, withNonce, call }: ApprovalFacts): JsonObject {
  const { card } = record;
  const description = (card.input as { readonly description?: unknown } | null)?.description;
  return {
    id: record.id,
    session_id: sessionId,
    root_session_id: rootSessionId,
    call_id: record.callId,
    status: record.status,
    tool: card.tool,
    input: card.input,
    cwd: card.cwd,
    ...(card.class === undefined ? {} : { class: card.class }),
    summary: card.summary,
    preview: (card.preview as JsonObject | undefined) ?? null,
    effects: (card.verdicts ?? card.effects.map((effect) => ({ effect, verdict: "ask", rule: card.rule, reason: card.reason }))).map(
      (one) => wireEffectVerdict(one as EffectVerdict, workspace),
    ),
    rule: card.rule,
    reason: card.reason,
    ...(card.because === undefined ? {} : { because: card.because as unknown as JsonObject }),
    ...(card.rehearsal === undefined ? {} : { rehearsal: wireRehearsal(card) }),
    can_rehearse: card.canRehearse === true,
    ...(card.proposal === undefined
      ? {}
      : {
          proposal: {
            rules: card.proposal.rules,
            also_allows: card.proposal.alsoAllows,
            still_asks: card.proposal.stillAsks,
            examples: (card.proposal.examples ?? []).map(({ rule, alsoAllows, stillAsks }) => ({
              rule,
              also_allows: alsoAllows,
              still_asks: stillAsks,
            })),
          },
        }),
    undo: undoGuarantee(card),
    ...(call?.agent === undefined ? {} : { agent: call.agent, agent_path: call.agent.split("/") }),
    ...(call?.messageId === undefined ? {} : { message_id: call.messageId }),
    ...(typeof description === "string" ? { description } : {}),
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    ...(withNonce && record.status === "pending" ? { nonce: record.nonce } : {}),
    ...(record.answer === undefined ? {} : { answer: record.answer }),
    ...(record.answeredBy === undefined ? {} : { answered_by: record.answeredBy }),
    ...(record.answeredAt === undefined ? {} : { answered_at: record.answeredAt }),
    ...(record.words === undefined ? {} : { words: record.words }),
    ...(record.voidCause === undefined ? {} : { void_cause: record.voidCause }),
  };
}

export function wireEffectVerdict({ effect, verdict, rule, reason, because }: EffectVerdict, workspace: string): JsonObject {
  return {
    effect: wireEffect(effect, workspace),
    verdict,
    rule,
    reason,
    ...(because === undefined ? {} : { because: because as unknown as JsonObject }),
  };
}

/** With what it printed and would change beside the figures. */
function wireRehearsal({ rehearsal, output, changes }: ApprovalCard): JsonObject {
  return { ...(rehearsal as unknown as JsonObject), ...(output === undefined ? {} : { output }), changes: (changes ?? []).map(wireChange) };
}

/** A changed file as tools tell it. */
function wireChange({ path, change, beforeSize, afterSize, diff, risky }: FileChange): JsonObject {
  return {
    path,
    change,
    ...(beforeSize === undefined ? {} : { before_size: beforeSize }),
    ...(afterSize === undefined ? {} : { after_size: afterSize }),
    ...(diff === undefined ? {} : { diff }),
    ...(risky === undefined ? {} : { risky }),
  };
}

/** Paths below the workspace are told relative to it; the real one stays beside it. */
function wireEffect(effect: Effect, workspace: string): JsonObject {
  if (effect.kind !== "read" && effect.kind !== "write") return { ...effect } as unknown as JsonObject;
  const { path, ...rest } = effect;
  const inside = path.real === workspace ? "." : path.real.startsWith(`${workspace}/`) ? path.real.slice(workspace.length + 1) : path.real;
  return { ...rest, path: inside, asked: path.asked, real: path.real, path_kind: path.kind } as JsonObject;
}

/** What of a call can be taken back, as far as its effects tell beforehand. */
function undoGuarantee({ tool, effects }: ApprovalRecord["card"]): {
  readonly guarantee: "exact" | "files" | "none";
  readonly reason?: string;
} {
  // What runs in the terminal is not captured.
  if (tool.startsWith("Terminal")) return { guarantee: "none", reason: tool };
  const remote = effects.find((effect) => effect.kind === "remote");
  if (remote) return { guarantee: "none", reason: `${remote.tool} of ${remote.server}` };
  const runs = effects.some(({ kind }) => kind === "run" || kind === "code" || kind === "unknown");
  const connects = effects.some(({ kind }) => kind === "connect" || kind === "agent");
  if (runs || connects) return { guarantee: "files" };
  return { guarantee: "exact" };
}
