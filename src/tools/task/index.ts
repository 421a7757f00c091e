/** The tools for tasks. */
import type { Tool } from "../../contract/index.ts";
import { taskCreate, taskList, taskOutput, taskStop, taskUpdate } from "./task-tools.ts";

export const taskTools: readonly Tool[] = [taskCreate, taskList, taskUpdate, taskOutput, taskStop];
