/**
 * Owns the room's inner verdict: what a judge says about one effect before rules and modes had their word.
 * Refuses nothing itself; it only says how far an allow rule may reach.
 */
import { type Because, type ErrorCode, reasonText, type Verdict, verdictsByStrictness } from "../contract/index.ts";

/**
 * What an allow rule can do to an `ask` or a `rehearse`:
 * `rule` any rule that covers the effect lifts it, `named` only one that spells the thing out (`Read(.env)`, not
 * `Read(**)`), `never` none does. A denial is never lifted but for a system directory that a rule opens by its name.
 */
export type Lift = "rule" | "named" | "never";

export interface Finding {
  readonly verdict: Verdict;
  readonly rule: `builtin:${string}`;
  readonly because: Because;
  /** The same in English: what models and records read. */
  readonly reason: string;
  readonly lift: Lift;
  readonly code?: ErrorCode;
  /** Only the mode makes it a denial. */
  readonly byMode?: true;
  /** A denial that a rule about this very place lifts. */
  readonly opens?: true;
}

const liftWeight: Readonly<Record<Lift, number>> = { rule: 0, named: 1, never: 2 };

export function isStricter(one: Verdict, other: Verdict): boolean {
  return one !== other && verdictsByStrictness.indexOf(one) > verdictsByStrictness.indexOf(other);
}

/** The finding that binds: the stricter verdict, and of two asks the one that is harder to lift. */
export function worst(first: Finding, ...others: readonly Finding[]): Finding {
  let found = first;
  for (const other of others) {
    const heavier = isStricter(other.verdict, found.verdict);
    const firmer = other.verdict === found.verdict && liftWeight[other.lift] > liftWeight[found.lift];
    if (heavier || firmer) found = other;
  }
  return found;
}

/** The same finding for a reason around the old one. */
export function saying<Word extends Pick<Finding, "because" | "reason">>(word: Word, because: Because): Word {
  return { ...word, because, reason: reasonText(because) };
}

export function allow(rule: Finding["rule"], because: Because): Finding {
  return { verdict: "allow", rule, because, reason: reasonText(because), lift: "rule" };
}

/** A question that a rehearsal answers better than anybody could beforehand. */
export function rehearse(rule: Finding["rule"], because: Because, lift: Lift = "rule"): Finding {
  return { verdict: "rehearse", rule, because, reason: reasonText(because), lift };
}

export function ask(rule: Finding["rule"], because: Because, lift: Lift = "rule"): Finding {
  return { verdict: "ask", rule, because, reason: reasonText(because), lift };
}

export function deny(rule: Finding["rule"], because: Because, code: ErrorCode = "permission_denied"): Finding {
  return { verdict: "deny", rule, because, reason: reasonText(because), lift: "never", code };
}

/** What a cell of the table of modes says. */
export function at(verdict: Verdict, rule: Finding["rule"], because: Because): Finding {
  return verdict === "deny" ? deny(rule, because) : { verdict, rule, because, reason: reasonText(because), lift: "rule" };
}

/** A place that is closed until a rule of the person's names it, such as `Read(/etc/nginx/**)`. */
export function close(rule: Finding["rule"], because: Because): Finding {
  return { ...forbid(rule, because), opens: true };
}

/** A denial because of where a path leads. */
export function forbid(rule: Finding["rule"], because: Because): Finding {
  return deny(rule, because, "tool_forbidden_path");
}
