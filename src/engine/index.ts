/** The engine room: the life of a call. */
export type { CallOptions } from "./call-life.ts";
export { defaultLimits, type EngineDependencies, type SessionPorts } from "./dependencies.ts";
export { type CallRequest, Engine } from "./engine.ts";
export type { Session, Toolkit } from "./session.ts";
export type { UndoOptions, UndoTarget } from "./undo.ts";
