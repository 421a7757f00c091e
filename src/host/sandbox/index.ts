/** Tiers of confinement, captured runs, change sets: commit, drop and recovery. */

export { quietInit, setupEnvironment } from "./confinement.ts";
export type { Hides } from "./hidden-within.ts";
export { type ConfinedRun, createSandbox, Sandbox, type Watch } from "./sandbox.ts";
export { exportText } from "./shell-quote.ts";
export type { Purpose } from "./surroundings.ts";
export { isAtLeast } from "./tiers.ts";
