/** Tiers of confinement, captured runs, change sets: commit, drop and recovery. */

export type { StoredChangeSet } from "./change-set.ts";
export { environmentFd, setupEnvironment } from "./confinement.ts";
export type { MakeDiff } from "./describe-changes.ts";
export { type ConfinedRun, createSandbox, type Recovery, type RunPlan, Sandbox, type SandboxOptions } from "./sandbox.ts";
export { exportText } from "./shell-quote.ts";
export type { Purpose } from "./surroundings.ts";
export type { TierReport } from "./tiers.ts";
