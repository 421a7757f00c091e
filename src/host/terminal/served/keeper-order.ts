/** What the process that keeps a terminal is told when it starts, and the one line it tells back. */
import type { ShellBeginning } from "./shared-terminal.ts";

export interface KeeperOrder {
  /** Of the socket it serves. */
  readonly path: string;
  readonly shell: ShellBeginning;
  readonly limits: KeeperLimits;
}

export interface KeeperLimits {
  /** How long a shell at its prompt waits for somebody to come. */
  readonly idleMs: number;
  /** How long a program that runs or waits does. */
  readonly busyMs: number;
  /** How often it looks whether it can still be reached. */
  readonly reachMs: number;
  /** How often it looks what runs, where nobody is there. */
  readonly lookMs: number;
}

export type KeeperNews =
  | { readonly kind: "served" }
  /** Another process serves this terminal. */
  | { readonly kind: "taken" }
  | { readonly kind: "failed"; readonly message: string; readonly reason: string };
