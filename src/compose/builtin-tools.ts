/** The tools every engine has. */
import type { Tool } from "../contract/index.ts";
import { fileTools } from "../tools/file/index.ts";
import { metaTools } from "../tools/meta/index.ts";

export const builtinTools: readonly Tool[] = [...fileTools, ...metaTools];
