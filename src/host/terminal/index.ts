/** The persistent terminal of a session, reached from any process of its user, and the way for a person to join it. */

export { DriverNotes } from "./driver-notes.ts";
export { terminalEnvironment } from "./environment.ts";
export { attachTerminal } from "./served/attach-client.ts";
export { endTerminal, lookAtTerminal, ReachedTerminal } from "./served/reach-terminal.ts";
export { watchTerminal } from "./served/watch-terminal.ts";
export { createTerminal } from "./terminal.ts";
export type { SessionTerminal, TerminalOptions } from "./terminal-types.ts";
