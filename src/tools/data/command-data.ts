/** Schemas of `data` in results of the shell and task tools, in the names of the wire. Each is made when first asked for. */
import { z } from "zod";
import { changeData } from "./file-data.ts";

const count = () => z.int().nonnegative();
const classes = () => z.enum(["search", "read", "list", "write", "silent", "general"]);
const undo = () => z.object({ guarantee: z.enum(["layer", "snapshot", "partial"]), uncovered: z.array(z.string()).optional() });

const noteData = () =>
  z.object({ code: z.string(), count: z.number().optional(), names: z.array(z.string()).optional(), names_total: count().optional() });
const withheld = () => z.object({ kind: z.enum(["network", "file", "socket", "path"]), name: z.string().optional() });
const rehearsed = () =>
  z.object({
    exit_code: z.int().nullable(),
    change_set: z.string().nullable(),
    changes_total: count(),
    network_attempts: count(),
    withheld: z.array(withheld()),
    dropped: z.array(z.string()),
  });

/** Of a command that ran; of a dry run, which has no directory; or of one that goes on in the background. */
export const bashData = () =>
  z.object({
    class: classes(),
    /** `null` if a signal ended it. */
    exit_code: z.int().nullable().optional(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    duration_ms: z.number().nonnegative().optional(),
    cwd: z.string().optional(),
    tier: z.string().optional(),
    containment: z.string().optional(),
    timed_out: z.literal(true).optional(),
    changes: z.array(changeData()).optional(),
    left_out: z.array(z.string()).optional(),
    temporary: z.object({ count: count(), first: z.array(z.string()) }).optional(),
    undo: undo().optional(),
    concealed: z.array(z.string()).optional(),
    notes: z.array(noteData()).optional(),
    /** Where nobody is asked: what it wanted and what is not there for commands. */
    network_attempts: count().optional(),
    withheld: z.array(withheld()).optional(),
    rehearsed: rehearsed().optional(),
    task_id: z.string().optional(),
    change_set: z.string().optional(),
  });

const inputRequired = () => z.object({ kind: z.string(), program: z.string().optional() });

/** Of Terminal, TerminalInput and TerminalKey. `class` of Terminal only. */
export const terminalData = () =>
  z.object({
    class: classes().optional(),
    exit_code: z.int().optional(),
    cwd: z.string().optional(),
    output: z.string(),
    waiting: z.string().optional(),
    input_required: inputRequired().optional(),
    running: z.literal(true).optional(),
    restarted: z.literal(true).optional(),
    taken_over: z.literal(true).optional(),
    omitted_bytes: count().optional(),
    total_bytes: count().optional(),
  });

export const screenData = () =>
  z.object({
    lines: z.array(z.string()),
    row: count(),
    column: count(),
    state: z.string(),
    cwd: z.string().optional(),
    program: z.string().optional(),
    waiting: z.string().optional(),
    input_required: inputRequired().optional(),
  });

export const commitData = () => z.object({ changes: z.array(changeData()) });
export const discardData = () => z.object({ discarded: z.string() });

const taskFields = () => ({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  description: z.string().optional(),
  status: z.enum(["pending", "in_progress", "done", "failed", "cancelled", "lost"]),
  started_at: z.number(),
  ended_at: z.number().optional(),
  exit_code: z.int().optional(),
  timed_out: z.literal(true).optional(),
  output_bytes: count(),
});

export const taskData = () => z.object(taskFields());
export const taskListData = () => z.object({ tasks: z.array(taskData()) });
export const taskOutputData = () => z.object({ ...taskFields(), offset: count(), next: count(), dropped: count(), text: z.string() });
