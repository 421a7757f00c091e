/** Confinement and capture of commands: what holds on this machine, and what a captured command changed (B6, B7). */
import type { FileChange } from "./plan.ts";

export type SandboxTier = "E1" | "E2" | "E2u" | "E3" | "E4" | "E5";

export type NetworkAccess = "none" | "loopback" | "on";

/** How a rehearsal may run. */
export interface Rehearsal {
  readonly network: NetworkAccess;
  /** Keep the change set on disk, so that it can be committed later. */
  readonly keep: boolean;
}

/** How much of what a command did to the roots undo gives back. */
export type UndoGuarantee =
  /** Everything: it was written to a layer first. */
  | { readonly kind: "layer" }
  /** Everything that was there before; the command was not confined. */
  | { readonly kind: "snapshot" }
  /** As `snapshot`, but for these paths: too large, too many, or closed. */
  | { readonly kind: "partial"; readonly uncovered: readonly string[] };

/** What a captured command would change; lives on disk until it is committed or dropped. */
export interface ChangeSet {
  readonly id: string;
  readonly tier: SandboxTier;
  readonly changes: readonly FileChange[];
  /** Sockets and devices that the command made: they cannot be kept. */
  readonly leftOut?: readonly string[];
  /** What a rehearsal left in temporary directories, which were its own and are gone. */
  readonly temporary?: { readonly count: number; readonly first: readonly string[] };
}

/** Kept change sets, by id, from any process of this home. */
export interface ChangeSets {
  /** Throws a ToolFailure when there is none. */
  load(id: string): ChangeSet & { readonly command: string };
  /** Applies exactly what was shown, journaled under the call; refuses where the workspace changed since. */
  commit(id: string, callId: string): Promise<void>;
  discard(id: string): void;
}
