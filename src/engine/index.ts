/** The engine room: the life of a call. */
export { type Asker, defaultLimits, type EngineDependencies, type SessionPorts } from "./dependencies.ts";
export { Engine } from "./engine.ts";
export { PathLocks } from "./path-locks.ts";
export type { RecoveredCall } from "./recover.ts";
export type { Session } from "./session.ts";
