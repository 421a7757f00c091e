/** Confinement and capture of commands: what holds on this machine, and what a captured command changed (B6, B7). */
import type { Json } from "./json.ts";
import type { FileChange } from "./plan.ts";

/** From the strongest to none at all; `karyi doctor` says what each holds. */
export type SandboxTier = "E0" | "E1" | "E2" | "E2u" | "E3" | "E4" | "E5";

/** Whether commands run against a layer there, so that they can be rehearsed and taken back. */
export function hasLayer(tier: SandboxTier): boolean {
  return tier === "E0" || tier === "E1" || tier === "E2" || tier === "E2u";
}

/**
 * Why a command runs, which decides its world. `read`: nothing can be written. `capture`: written to a layer, then committed.
 * `rehearse`: nothing stays. `serve`: confined, but the roots are written directly.
 */
export type Purpose = "read" | "capture" | "rehearse" | "serve";

export type NetworkAccess = "none" | "loopback" | "on";

/** How a rehearsal may run. */
export interface Rehearsal {
  readonly network: NetworkAccess;
  readonly keep: Keeping;
}

/** Whether a change set stays on disk, so that it can be committed later; `if_changed`: not if it is empty, or may never be committed. */
export type Keeping = boolean | "if_changed";

/** How much of what a command did to the roots undo gives back. */
export type UndoGuarantee =
  /** Everything: it was written to a layer first. */
  | { readonly kind: "layer" }
  /** Everything that was there before; the command was not confined. */
  | { readonly kind: "snapshot" }
  /** As `snapshot`, but for these paths: too large, too many, or closed. */
  | { readonly kind: "partial"; readonly uncovered: readonly string[] };

/** Of a command that was written to a layer. */
export function undoOf({ uncovered }: Pick<ChangeSet, "uncovered">): UndoGuarantee {
  return uncovered === undefined ? { kind: "layer" } : { kind: "partial", uncovered };
}

/** What a captured command would change; lives on disk until it is committed or dropped. */
export interface ChangeSet {
  readonly id: string;
  readonly tier: SandboxTier;
  readonly changes: readonly FileChange[];
  /** Files of which nothing but the time would change. */
  readonly touched?: readonly string[];
  /** Sockets and devices that the command made: they cannot be kept. */
  readonly leftOut?: readonly string[];
  /** Sockets and devices that the command removed: undo cannot make them again. */
  readonly uncovered?: readonly string[];
  /** What a rehearsal left in temporary directories, which were its own and are gone. */
  readonly temporary?: { readonly count: number; readonly first: readonly string[] };
}

/** Something of the machine that a command named and that was not there for it. */
export interface Withheld {
  /** `file`: hidden within the roots. `path`: outside of what its world shows. */
  readonly kind: "file" | "socket" | "path";
  readonly name: string;
}

/** What a rehearsal found out beside its output. */
export interface Rehearsed {
  readonly exitCode: number | null;
  readonly changeSet: ChangeSet;
  /** How often something tried to leave the machine, look-ups of names included; traffic on its own loopback is none. */
  readonly networkAttempts: number;
}

/** Kept change sets, by id, from any process of this home. */
export interface ChangeSets {
  /** Throws a ToolFailure when there is none. */
  load(id: string): ChangeSet & { readonly command: string };
  /** Applies exactly what was shown, journaled under the call; refuses where the workspace changed since. */
  commit(id: string, callId: string): Promise<void>;
  discard(id: string): void;
  /** Keeps what belongs to a set beside it: it goes with the set. */
  hold(id: string, what: Json): void;
  held(id: string): Json | undefined;
}
