/**
 * Owns the table of modes (C9), cell by cell, as data.
 * Refuses to know any tool or path: a cell is only where a judge starts from.
 */
import type { Mode, PolicyWorld, Verdict } from "../contract/index.ts";

export interface Row {
  readonly readInside: Verdict;
  readonly writeInside: Verdict;
  readonly readOutside: Verdict;
  readonly writeOutside: Verdict;
  /** A command that nobody could read through. */
  readonly command: Verdict;
  /** A write inside the roots that a command names. */
  readonly commandWrite: Verdict;
  /** A public GET to an allowed domain, to any other, and anything that is not a GET. */
  readonly webAllowed: Verdict;
  readonly webOther: Verdict;
  readonly webSend: Verdict;
  /** Artifacts, tasks, sub-agents. */
  readonly own: Verdict;
  /** What nobody could name beforehand, of a tool that does not claim to be read-only. */
  readonly unknown: Verdict;
}

const plan: Row = {
  readInside: "allow",
  writeInside: "deny",
  readOutside: "ask",
  writeOutside: "deny",
  command: "deny",
  commandWrite: "deny",
  webAllowed: "allow",
  webOther: "ask",
  webSend: "deny",
  own: "allow",
  unknown: "deny",
};

const normal: Row = {
  readInside: "allow",
  writeInside: "ask",
  readOutside: "ask",
  writeOutside: "deny",
  command: "ask",
  commandWrite: "ask",
  webAllowed: "allow",
  webOther: "ask",
  webSend: "ask",
  own: "allow",
  unknown: "ask",
};

const acceptEdits: Row = { ...normal, writeInside: "allow", commandWrite: "allow" };
const auto: Row = { ...acceptEdits, command: "allow" };
const unsandboxedAuto: Row = { ...auto, command: "ask", commandWrite: "ask" };

/** The rows of calls that can be rehearsed (B9). In `plan` what they change is dropped, so nothing is denied beforehand. */
const rehearsed = {
  plan: { ...plan, command: "rehearse", commandWrite: "rehearse" },
  normal: { ...normal, command: "rehearse", commandWrite: "rehearse" },
  acceptEdits: { ...acceptEdits, command: "rehearse" },
} as const satisfies Record<string, Row>;

/** In `auto` an ask that is left over at the end becomes a denial; that is done once, by the decision itself. */
export function row(mode: Mode, world: PolicyWorld, rehearsable: boolean): Row {
  switch (mode) {
    case "default":
      return rehearsable ? rehearsed.normal : normal;
    case "accept-edits":
      return rehearsable ? rehearsed.acceptEdits : acceptEdits;
    case "auto":
      return world.sandboxed ? auto : unsandboxedAuto;
    default:
      // A mode that is not one of ours gets the read-only row.
      return rehearsable && mode === "plan" ? rehearsed.plan : plan;
  }
}
