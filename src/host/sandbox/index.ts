/** Tiers of confinement, captured runs, change sets: commit, drop and recovery. */

export { quietInit, setupEnvironment } from "./confinement.ts";
export type { Hides } from "./hidden-index.ts";
export { watchLayers } from "./layer-watch.ts";
export { createSandbox, type Recovery, Sandbox, type Watch } from "./sandbox.ts";
export { temporaryNames, temporaryOf } from "./session-place.ts";
export { exportText, shellQuote } from "./shell-quote.ts";
export { isAtLeast } from "./tiers.ts";
export type { ConfinedRun } from "./worlds.ts";
