/** The persistent terminal of a session, and the way for a person to join it. */
export { attachTerminal } from "./attach-client.ts";
export { type ServedTerminal, serveTerminal } from "./attach-server.ts";
export { terminalEnvironment } from "./environment.ts";
export { createTerminal } from "./terminal.ts";
export type { SessionTerminal, TerminalEvent, TerminalOptions, TerminalView } from "./terminal-types.ts";
