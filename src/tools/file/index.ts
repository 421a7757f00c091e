/** The file tools. */
import type { Tool } from "../../contract/index.ts";
import { applyPatchTool } from "./apply-patch.ts";
import { editTool } from "./edit.ts";
import { listTool } from "./list.ts";
import { multiEditTool } from "./multi-edit.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

export { textHead } from "./text-head.ts";

export const fileTools: readonly Tool[] = [readTool, writeTool, editTool, multiEditTool, applyPatchTool, listTool];
