/** The tools of the persistent terminal. */
import type { Tool } from "../../contract/index.ts";
import { terminal } from "./terminal.ts";
import { terminalInput } from "./terminal-input.ts";
import { terminalKey } from "./terminal-key.ts";
import { terminalScreen } from "./terminal-screen.ts";

export const terminalTools: readonly Tool[] = [terminal, terminalInput, terminalKey, terminalScreen];
