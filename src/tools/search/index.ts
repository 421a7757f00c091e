/** The search tools. */
import type { Tool } from "../../contract/index.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";

export const searchTools: readonly Tool[] = [globTool, grepTool];
