/** Tiers of confinement, captured runs, change sets: commit, drop and recovery. */

export { setupEnvironment } from "./confinement.ts";
export { type ConfinedRun, createSandbox, Sandbox, type Watch } from "./sandbox.ts";
export { exportText } from "./shell-quote.ts";
