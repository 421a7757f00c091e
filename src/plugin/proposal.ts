/** A tool that a model proposed (A8): kept as it was written, used only after a person approved exactly this version. */
import type { JsonSchema } from "../contract/index.ts";

export type ProposalStatus = "pending" | "approved" | "rejected" | "revoked";

export interface ProposalText {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Begins with `#!` and its interpreter. */
  readonly script: string;
  readonly reason: string;
}

export interface Proposal extends ProposalText {
  readonly id: string;
  /** From 1, by name. */
  readonly version: number;
  readonly status: ProposalStatus;
  /** The session at the top of the one that proposed it. */
  readonly sessionId: string;
  readonly createdAt: number;
  readonly decidedAt?: number;
}

export type Interpreter = "node" | "bash" | "python3";

export interface Shebang {
  readonly interpreter: Interpreter;
  /** Options of one dash, such as `-eu`. */
  readonly flags: readonly string[];
}

/** `undefined` if the first line names none of the three interpreters. */
export function shebangOf(script: string): Shebang | undefined {
  const found = /^#![ \t]*(?:\/[\w./-]*\/)?(?:env[ \t]+)?(node|bash|python3)((?:[ \t]+-[A-Za-z]+)*)[ \t]*\r?(?:\n|$)/.exec(script);
  if (found === null) return undefined;
  return { interpreter: found[1] as Interpreter, flags: (found[2] ?? "").split(/[ \t]+/).filter((flag) => flag !== "") };
}

/** Statements that only a module may have. */
export function isModule(script: string): boolean {
  return /^(?:import\s*[\w{*"']|export\s)/m.test(script);
}
