/** The search tools, and what decides what they leave out. */
import type { Tool } from "../../contract/index.ts";
import { gitignoreTool } from "../file/gitignore.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";

export const searchTools: readonly Tool[] = [globTool, grepTool, gitignoreTool];
