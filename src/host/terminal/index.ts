/** The persistent terminal of a session, and the way for a person to join it. */
export { attachTerminal } from "./attach-client.ts";
export { serveTerminal } from "./attach-server.ts";
export { terminalEnvironment } from "./environment.ts";
export { createTerminal } from "./terminal.ts";
export type { SessionTerminal, TerminalOptions } from "./terminal-types.ts";
