/** The persistent terminal of a session, reached from any process of its user, and the way for a person to join it. */
export { attachTerminal } from "./attach-client.ts";
export { terminalEnvironment } from "./environment.ts";
export { endTerminal, lookAtTerminal, ReachedTerminal } from "./reach-terminal.ts";
export { createTerminal } from "./terminal.ts";
export type { SessionTerminal, TerminalOptions } from "./terminal-types.ts";
