/** The shapes of `/api/v1` on the wire (snake_case): what is checked, and what `openapi.json` says. */
import { z } from "@hono/zod-openapi";
import { eventTypes, modes } from "../../contract/index.ts";

const json = z.unknown();
const object = z.record(z.string(), json);

export const sessionIdParam = z.object({
  id: z
    .string()
    .min(1)
    .max(200)
    .openapi({ param: { name: "id", in: "path" } }),
});
export const callParams = sessionIdParam.extend({ call: z.string().min(1).max(200) });
export const idParam = z.object({ id: z.string().min(1).max(400) });

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().max(2000).optional(),
});
const nextCursor = z.string().nullable();

export const modeSchema = z.enum(modes);

export const sessionSchema = z
  .object({
    id: z.string(),
    user_id: z.string(),
    channel: z.string(),
    created_at: z.number(),
    workspace: z.string(),
    cwd: z.string(),
    mode: modeSchema,
    /** First words of the person, or of what was done. */
    title: z.string(),
    /** `failed`: its last run did. */
    status: z.enum(["idle", "running", "waiting", "failed"]),
    /** Questions, values and terminal input that wait for a person, those of its sub-agents too. */
    waiting: z.number().int(),
    last_seq: z.number().int(),
    updated_at: z.number(),
    /** The session of the agent that started it. */
    parent_id: z.string().optional(),
    agent: z.string().optional(),
    model: z.string().optional(),
  })
  .openapi("Session");

export const newSessionBody = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9._~-]{1,200}$/)
      .optional(),
    workspace: z.string().min(1).max(4096).optional(),
    mode: modeSchema.optional(),
    agent: z.string().min(1).max(100).optional(),
    model: z.string().min(1).max(200).optional(),
  })
  .openapi("NewSession");

export const forkBody = newSessionBody.pick({ id: true }).openapi("Fork");

export const changeSessionBody = z
  .strictObject({ mode: modeSchema.optional(), model: z.string().min(1).max(200).optional() })
  .openapi("ChangeSession");

export const sessionsQuery = pageQuery.extend({
  /** Only those that a person began, without the ones of sub-agents. */
  top: z.enum(["0", "1"]).optional(),
});
export const sessionList = z.object({ sessions: z.array(sessionSchema), next_cursor: nextCursor }).openapi("SessionList");

const toolErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  details: object.optional(),
});

export const resultSchema = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    status: z.enum(["ok", "error", "denied", "cancelled", "planned", "suspended", "running"]),
    output: z.string(),
    content: z.array(object),
    data: json.optional(),
    error: toolErrorSchema.optional(),
    undoable: z.boolean(),
    duration_ms: z.number(),
    truncated: z.object({ shown: z.number(), total: z.number(), ref: z.string() }).optional(),
    approval_id: z.string().optional(),
  })
  .openapi("Result");

export const callBody = z
  .strictObject({
    tool: z.string().min(1).max(200),
    input: json.optional(),
    call_id: z.string().min(1).max(200).optional(),
    dry_run: z.boolean().optional(),
    /** With `dry_run` of a command: what it would change is kept, and `CommitChanges` applies exactly that. */
    keep: z.boolean().optional(),
  })
  .openapi("NewCall");

export const callRecordSchema = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    input: json,
    summary: z.string(),
    /** `asked` and `running` until it has ended; then the journal's word. */
    status: z.enum(["asked", "running", "success", "failed", "rolled_back"]),
    result_status: z.string().optional(),
    started_at: z.number(),
    settled_at: z.number().optional(),
    undoable: z.boolean(),
    message_id: z.string().optional(),
    agent: z.string().optional(),
    undo_of: z.string().optional(),
    changes: z.array(object).optional(),
  })
  .openapi("Call");

export const callList = z.object({ calls: z.array(callRecordSchema), next_cursor: nextCursor }).openapi("CallList");

export const undoBody = z.strictObject({ dry_run: z.boolean().optional(), force: z.boolean().optional() }).openapi("Undo");

export const eventSchema = z
  .object({
    schema_version: z.number(),
    seq: z.number().int(),
    time: z.number(),
    session_id: z.string(),
    type: z.enum(eventTypes),
  })
  .loose()
  .openapi("Event");

export const eventList = z
  .object({
    events: z.array(eventSchema),
    /** The oldest event that is still kept; older ones were collected. */
    first_seq: z.number().int(),
    last_seq: z.number().int(),
  })
  .openapi("EventList");

const count = z.coerce.number().int().min(0);

export const eventsQuery = z.object({
  after: count.optional(),
  /** Backwards: events before this one, the latest of them. */
  before: count.optional(),
  limit: z.coerce.number().int().min(1).max(5000).optional(),
  types: z.string().max(1000).optional(),
});

/** The reason as a code and what it names; a parameter may be a reason itself. */
export const becauseSchema = z.object({ code: z.string(), params: z.record(z.string(), z.unknown()).optional() }).openapi("Because");

export const effectVerdictSchema = z.object({
  effect: object,
  verdict: z.string(),
  rule: z.string(),
  reason: z.string(),
  because: becauseSchema.optional(),
});

export const approvalSchema = z
  .object({
    id: z.string(),
    session_id: z.string(),
    /** The session that a person began; the same unless a sub-agent asks. */
    root_session_id: z.string(),
    call_id: z.string(),
    status: z.enum(["pending", "granted", "refused", "used", "expired", "void"]),
    tool: z.string(),
    input: json,
    cwd: z.string(),
    class: z.string().optional(),
    summary: z.string(),
    preview: object.nullable(),
    effects: z.array(effectVerdictSchema),
    rule: z.string(),
    reason: z.string(),
    because: becauseSchema.optional(),
    rehearsal: object.optional(),
    can_rehearse: z.boolean(),
    proposal: z
      .object({
        rules: z.array(z.string()),
        also_allows: z.array(z.string()),
        still_asks: z.array(z.string()),
        examples: z.array(z.object({ rule: z.string(), also_allows: z.array(z.string()), still_asks: z.array(z.string()) })),
      })
      .optional(),
    /** `exact`: byte for byte; `files`: the files of the workspace, not what left the machine; `none`. */
    undo: z.object({ guarantee: z.enum(["exact", "files", "none"]), reason: z.string().optional() }),
    agent: z.string().optional(),
    /** From the root agent to the one that asks. */
    agent_path: z.array(z.string()).optional(),
    message_id: z.string().optional(),
    description: z.string().optional(),
    created_at: z.number(),
    expires_at: z.number(),
    nonce: z.string().optional(),
    answer: z.string().optional(),
    answered_by: z.string().optional(),
    answered_at: z.number().optional(),
    words: z.string().optional(),
    /** Of a void one: what made it so. */
    void_cause: z.enum(["plan_changed", "policy_changed", "call_ended", "asked_again", "not_needed"]).optional(),
  })
  .openapi("Approval");

export const approvalsQuery = pageQuery.extend({
  status: z.enum(["pending", "granted", "refused", "used", "expired", "void"]).optional(),
  session_id: z.string().min(1).max(200).optional(),
});
export const approvalList = z.object({ approvals: z.array(approvalSchema), next_cursor: nextCursor }).openapi("ApprovalList");
export const answerBody = z
  .strictObject({ answer: z.enum(["once", "always", "deny"]), nonce: z.string().max(200), words: z.string().max(10_000).optional() })
  .openapi("Answer");
export const answeredSchema = z.object({ approval: approvalSchema, result: resultSchema.optional() }).openapi("Answered");

export const countsSchema = z
  .object({
    sessions: z.number().int(),
    running: z.number().int(),
    approvals: z.number().int(),
    values: z.number().int(),
    /** Programs in terminals that wait for input, with no agent at work to give it. */
    inputs: z.number().int(),
    /** All of the three. */
    waiting: z.number().int(),
  })
  .openapi("Counts");
