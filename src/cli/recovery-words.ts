/** What became of a call that a crash had cut off, in lines for a person. */
import type { RecoveryReport } from "../compose/index.ts";
import { within } from "./changes-words.ts";
import { type MessageKey, say } from "./messages.ts";
import { shortId } from "./short-id.ts";
import { oneLine } from "./visible.ts";

type RecoveredCall = RecoveryReport["calls"][number];

const outcomes: Readonly<Record<RecoveredCall["outcome"], MessageKey>> = {
  taken_back: "recoveredTakenBack",
  finished: "recoveredFinished",
  unchanged: "recoveredUnchanged",
  unknown: "recoveredUnknown",
};

export function recoveryWords({ outcome, summary, callId, kept, failed }: RecoveredCall, workspace: string): string[] {
  const shown = (path: string): string => oneLine(within(path, workspace));
  return [
    say(outcomes[outcome], oneLine(summary), shortId(callId)),
    ...kept.map((path) => say("recoveredKept", shown(path))),
    ...failed.map((path) => say("recoveredFailed", shown(path))),
  ];
}
