/** The shell tools. */
import type { Tool } from "../../contract/index.ts";
import { bash } from "./bash.ts";
import { commitChanges, discardChanges } from "./change-sets.ts";

import { terminalTools } from "./terminal-tools.ts";

export { bash };

export const shellTools: readonly Tool[] = [bash, commitChanges, discardChanges, ...terminalTools];
