/**
 * What the handler of a program or builtin may ask of the interpreter: run a script it was handed as text,
 * judge a command inside its own arguments, and change the state of the shell. Only types, so that handlers
 * and interpreter do not import each other.
 */
import type { Field } from "./field.ts";
import type { Judge } from "./judge.ts";
import type { State } from "./state.ts";

export interface Machine {
  state: State;
  /** Runs shell text in this shell (`eval`) or a new one (`bash -c`). A reason makes everything in it doubtful. */
  runText(
    text: string,
    options: { readonly child: boolean; readonly positional?: readonly Field[]; readonly doubt?: string | undefined },
  ): void;
  /** Judges a command named inside arguments (`xargs`, `find -exec`) as one of its own. */
  runInner(fields: readonly Field[], options?: { readonly doubt?: string | undefined; readonly directoryUnknown?: boolean }): void;
  /** Assigns a variable; false (and the judge fails) when the name steers execution. */
  assign(name: string, value: Field | undefined, exported: boolean, judge: Judge): void;
  /** A loop is left or a script ends here. */
  leave(): void;
}

/** A simple command on its way through wrappers to its handler. */
export interface Call {
  readonly judge: Judge;
  /** Name first. */
  readonly fields: readonly Field[];
  readonly machine: Machine;
}

export type Handler = (call: Call) => void;

/** What a wrapper says about the command inside it; `undefined` where there is none. */
export interface Unwrapped {
  readonly fields: readonly Field[];
  /** Directory the inner command runs in. */
  readonly directory?: Field;
  /** Variables set for it. */
  readonly assignments?: readonly Field[];
}

export type Unwrapper = (call: Call) => Unwrapped | undefined;

export interface Program {
  /** Judges the arguments; without one the program is known but never understood. */
  readonly handle?: Handler;
  /** Why it asks, where it always does. */
  readonly asks?: string;
}
