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
  /** A command that is not read-only, and every write a command makes. */
  readonly command: Verdict;
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
  webAllowed: "allow",
  webOther: "allow",
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
  webAllowed: "allow",
  webOther: "ask",
  webSend: "ask",
  own: "allow",
  unknown: "ask",
};

const acceptEdits: Row = { ...normal, writeInside: "allow" };
const auto: Row = { ...acceptEdits, command: "allow" };
const unsandboxedAuto: Row = { ...auto, command: "ask" };

/** In `auto` an ask that is left over at the end becomes a denial; that is done once, by the decision itself. */
export function row(mode: Mode, world: PolicyWorld): Row {
  switch (mode) {
    case "default":
      return normal;
    case "accept-edits":
      return acceptEdits;
    case "auto":
      return world.sandboxed ? auto : unsandboxedAuto;
    default:
      // A mode that is not one of ours gets the read-only row.
      return plan;
  }
}
