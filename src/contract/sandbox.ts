/** Confinement and capture of commands: what holds on this machine, and what a captured command changed (B6, B7). */
import type { FileChange } from "./plan.ts";

export type SandboxTier = "E1" | "E2" | "E2u" | "E3" | "E4" | "E5";

export type NetworkAccess = "none" | "loopback" | "on";

/** How a rehearsal may run. */
export interface Rehearsal {
  readonly network: NetworkAccess;
}

/** What a captured command would change; lives on disk until it is committed or dropped. */
export interface ChangeSet {
  readonly id: string;
  readonly tier: SandboxTier;
  readonly changes: readonly FileChange[];
}
