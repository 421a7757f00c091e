/** Calls as bars on lanes, one lane an agent, with idle time folded. Pure. */
import type { CallState, SessionState } from "./session-state.ts";

export type BarKind = "reads" | "changes" | "running" | "person" | "failed" | "thinking";

export interface Bar {
  readonly callId: string;
  readonly label: string;
  readonly kind: BarKind;
  readonly from: number;
  readonly to: number;
}

interface Lane {
  readonly id: string;
  readonly name: string;
  readonly calls: number;
  readonly bars: readonly Bar[];
}

interface Fold {
  readonly from: number;
  readonly to: number;
}

export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly folds: readonly Fold[];
  readonly start: number;
  readonly end: number;
  readonly waitedMs: number;
  /** Its end is now. */
  readonly isLive: boolean;
}

/** Gaps longer than this are folded to `foldedMs`. */
const foldAfterMs = 20_000;
const foldedMs = 4000;
const shortestThoughtMs = 150;

export function timelineOf(state: SessionState, now: number): Timeline {
  const calls = [...state.calls.values()].sort((a, b) => a.startedAt - b.startedAt);
  const root = state.run?.agent === undefined || state.run.agent === "" ? "general" : state.run.agent;
  const lanes: Lane[] = [
    lane({ id: "", name: root, ...(state.run ?? { startedAt: now }) }, calls, state, now),
    ...[...state.agents.values()].map((agent) => lane(agent, calls, state, now)),
  ];
  // A model that thinks for long is idle time to a reader: only calls keep the axis open.
  const bars = lanes
    .flatMap(({ bars: own }) => own)
    .filter(({ kind }) => kind !== "thinking")
    .sort((a, b) => a.from - b.from);
  const start = bars[0]?.from ?? now;
  const end = Math.max(start + 1000, ...bars.map(({ to }) => to));
  const folds: Fold[] = [];
  let reached = start;
  for (const { from, to } of bars) {
    if (from - reached > foldAfterMs) folds.push({ from: reached, to: from });
    reached = Math.max(reached, to);
  }
  const waitedMs = bars.filter(({ kind }) => kind === "person").reduce((sum, { from, to }) => sum + to - from, 0);
  return { lanes, folds, start, end, waitedMs, isLive: state.run?.status === "running" };
}

/** A moment's place on the folded axis, in milliseconds from its start. */
export function placeOf(time: number, { start, folds }: Timeline): number {
  let place = time - start;
  for (const { from, to } of folds) {
    if (time >= to) place -= to - from - foldedMs;
    else if (time > from) place -= (time - from) * (1 - foldedMs / (to - from));
  }
  return place;
}

interface Worker {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt?: number;
}

function lane({ id, name, startedAt, endedAt }: Worker, calls: readonly CallState[], state: SessionState, now: number): Lane {
  // An undo is a person's, and may stand beside a call that waits.
  const own = calls.filter(({ agentId, undoOf }) => (agentId ?? "") === id && undoOf.length === 0);
  const bars = own.flatMap((call) => barsOf(call, state, now));
  return { id, name, calls: own.length, bars: [...thinking(bars, startedAt, endedAt ?? now, id), ...bars] };
}

/** Between its calls a working agent waits for its model. */
function thinking(bars: readonly Bar[], start: number, end: number, id: string): readonly Bar[] {
  const gaps: Bar[] = [];
  let reached = start;
  const note = (to: number): void => {
    if (to - reached >= shortestThoughtMs) gaps.push({ callId: `${id} ${reached}`, label: "", kind: "thinking", from: reached, to });
  };
  for (const { from, to } of [...bars].sort((a, b) => a.from - b.from)) {
    if (from >= start && from <= end) note(from);
    reached = Math.max(reached, to);
  }
  note(end);
  return gaps;
}

function barsOf(call: CallState, state: SessionState, now: number): readonly Bar[] {
  const end = call.endedAt ?? now;
  const question = call.approvalId === undefined ? undefined : state.questions.get(call.approvalId);
  const bar = (kind: BarKind, from: number, to: number): Bar => ({
    callId: call.callId,
    label: call.tool,
    kind,
    from,
    to: Math.max(to, from + 1),
  });
  if (question === undefined) return [bar(kindOf(call), call.startedAt, end)];
  const answered = question.answeredAt ?? (call.status === "waiting" ? now : end);
  return [bar("person", question.askedAt, answered), ...(call.status === "waiting" ? [] : [bar(kindOf(call), answered, end)])];
}

function kindOf(call: CallState): BarKind {
  if (call.status === "running" || call.status === "waiting") return "running";
  if (call.status !== "ok" && call.status !== "planned") return "failed";
  return call.changesTotal > 0 ? "changes" : "reads";
}
