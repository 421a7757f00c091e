/** The Task tools (A6, B2): to-do items of a session, and background commands by the same ids. */

import { z } from "zod";
import { defineTool, type JsonObject, type TaskRecord, type TaskStatus, ToolFailure } from "../../contract/index.ts";
import { taskData, taskListData, taskOutputData } from "../data/command-data.ts";

const stateEffect = { kind: "state", area: "tasks" } as const;

const createInput = z.object({
  title: z.string().min(1).describe("Task title"),
  description: z.string().optional().describe("Task description"),
});
export type TaskCreateGiven = z.input<typeof createInput>;

export const taskCreate = defineTool<{ title: string; description?: string | undefined }, "tasks", undefined>({
  name: "TaskCreate",
  aliases: ["task_create"],
  description: "Adds a to-do item to this session's list.",
  input: createInput,
  dataSchema: taskData,
  example: { title: "Update the changelog" },
  traits: { concurrencySafe: true, searchHint: "todo plan add task item" },
  needs: ["tasks"],
  // The list is kept as it is written: it needs no value.
  ownsPlaceholders: ["title", "description"],
  plan: ({ title }) => ({ summary: `Add task: ${title}`, effects: [stateEffect] }),
  async run({ title, description }, { tasks }) {
    const task = await tasks.create(title, description);
    return { output: `Created ${line(task)}`, data: wire(task) };
  },
});

export const taskList = defineTool<object, "tasks", undefined>({
  name: "TaskList",
  aliases: ["task_list"],
  description: "Lists to-do items and background commands of this session with their status.",
  input: z.object({}),
  dataSchema: taskListData,
  example: {},
  traits: { concurrencySafe: true, readOnly: true, searchHint: "todo list tasks background status" },
  needs: ["tasks"],
  plan: () => ({ summary: "List tasks", effects: [stateEffect] }),
  async run(_, { tasks }) {
    const all = await tasks.list();
    return { output: all.length === 0 ? "There are no tasks." : all.map(line).join("\n"), data: { tasks: all.map(wire) } };
  },
});

const statuses = ["pending", "in_progress", "done", "failed", "cancelled"] as const;

const updateInput = z.object({ id: z.string().describe("Task ID"), status: z.enum(statuses).describe("New status") });
export type TaskUpdateGiven = z.input<typeof updateInput>;

export const taskUpdate = defineTool<{ id: string; status: TaskStatus }, "tasks", undefined>({
  name: "TaskUpdate",
  aliases: ["task_update"],
  description: "Changes the status of a to-do item: pending → in_progress or cancelled; in_progress → done, failed, cancelled or pending.",
  input: updateInput,
  dataSchema: taskData,
  example: { id: "task_1", status: "in_progress" },
  traits: { concurrencySafe: true, searchHint: "todo change status finish complete task" },
  needs: ["tasks"],
  plan: ({ id, status }) => ({ summary: `Set ${id} to ${status}`, effects: [stateEffect] }),
  async run({ id, status }, { tasks }) {
    const task = await tasks.update(id, status);
    return { output: line(task), data: wire(task) };
  },
});

const outputInput = z.object({
  id: z.string().describe("Task ID, such as bg_task_1"),
  offset: z.number().int().min(0).default(0).describe("The last answer's next"),
  wait_ms: z.number().int().min(0).max(600_000).default(0).describe("Wait so long for news"),
});
export type TaskOutputGiven = z.input<typeof outputInput>;

export const taskOutput = defineTool<{ id: string; offset: number; wait_ms: number }, "tasks", undefined>({
  name: "TaskOutput",
  aliases: ["task_output", "bash_output"],
  description: "Reads what a background task printed, and its status.",
  input: outputInput,
  dataSchema: taskOutputData,
  example: { id: "bg_task_1", offset: 0, wait_ms: 1000 },
  traits: { concurrencySafe: true, readOnly: true, searchHint: "background command output log read wait" },
  needs: ["tasks"],
  plan: ({ id }) => ({ summary: `Read output of ${id}`, effects: [stateEffect] }),
  timeoutMs: ({ wait_ms }) => wait_ms + 10_000,
  async run({ id, offset, wait_ms }, { tasks, signal }) {
    const page = await tasks.output(id, offset, wait_ms, signal);
    if (!page) throw unknownTask(id);
    const dropped = page.dropped > 0 ? `[${page.dropped} bytes are no longer kept]\n` : "";
    return {
      output: `${dropped}${page.text}${page.text === "" || page.text.endsWith("\n") ? "" : "\n"}[${line(page.task)}; next offset ${page.next}]`,
      data: { ...wire(page.task), offset: page.offset, next: page.next, dropped: page.dropped, text: page.text },
    };
  },
});

const stopInput = z.object({ id: z.string().describe("Task ID, such as bg_task_1") });
export type TaskStopGiven = z.input<typeof stopInput>;

export const taskStop = defineTool<{ id: string }, "tasks", undefined>({
  name: "TaskStop",
  aliases: ["task_stop", "kill_shell"],
  description: "Ends a background command with everything it started.",
  input: stopInput,
  dataSchema: taskData,
  example: { id: "bg_task_1" },
  traits: { searchHint: "background command cancel kill end stop" },
  needs: ["tasks"],
  plan: ({ id }) => ({ summary: `Stop ${id}`, effects: [stateEffect] }),
  async run({ id }, { tasks }) {
    const task = await tasks.stop(id);
    if (!task) throw unknownTask(id);
    return { output: line(task), data: wire(task) };
  },
});

function unknownTask(id: string): ToolFailure {
  return new ToolFailure("tool_not_found", `There is no task '${id}'.`, {
    hint: "TaskList shows the tasks of this session.",
    details: { reason: "task_not_found" },
  });
}

function line({ id, status, title, exitCode, timedOut }: TaskRecord): string {
  const how = `${timedOut ? ", ended by its time limit" : ""}${exitCode === undefined ? "" : `, exit code ${exitCode}`}`;
  return `${id} [${status}${how}] ${title}`;
}

function wire(task: TaskRecord): JsonObject {
  return {
    id: task.id,
    kind: task.kind,
    title: task.title,
    status: task.status,
    started_at: task.startedAt,
    output_bytes: task.outputBytes,
    ...(task.description === undefined ? {} : { description: task.description }),
    ...(task.endedAt === undefined ? {} : { ended_at: task.endedAt }),
    ...(task.exitCode === undefined ? {} : { exit_code: task.exitCode }),
    ...(task.timedOut ? { timed_out: true } : {}),
  };
}
