/** Tools about the tools themselves. */
import type { Tool } from "../../contract/index.ts";
import { getValue } from "./get-value.ts";
import { readOutput } from "./read-output.ts";
import { toolSearch } from "./tool-search.ts";

export const metaTools: readonly Tool[] = [toolSearch, readOutput, getValue];
