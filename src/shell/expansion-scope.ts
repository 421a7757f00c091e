/** What expansion of words needs to know and cannot: variables, homes, what a substitution prints. */
import type { ArithmeticExpression, ParsedScript } from "unbash";
import type { Field } from "./field.ts";

/** Everything expansion must ask others about. */
export interface Scope {
  /** The value of a variable or special parameter; `undefined` when it is not known. */
  lookup(name: string): Field | undefined;
  /** All positional parameters. */
  positional(): readonly Field[] | undefined;
  home(user: string): string | undefined;
  /** Visits a nested script; answers what it prints where that is known. */
  substitute(script: ParsedScript | undefined): readonly Field[] | undefined;
  /** Visits an arithmetic expression. */
  arithmetic(expression: ArithmeticExpression | undefined): void;
  /** `${name:=value}`. */
  assign(name: string, value: Field): void;
  /** The word cannot be followed, and evaluating it may run code. */
  doubt(reason: string): void;
}
