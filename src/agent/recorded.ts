/** What this room records as JSON and reads back: the one place where recorded values have their types again. */
import type { Json, RunEndBody, RunRecord } from "../contract/index.ts";
import type { BeginNote, CompactNote, ResultsNote, ShortenNote } from "./history/conversation.ts";
import type { Answer } from "./history/message.ts";
import type { ChildInput, RunInput } from "./loop/run-input.ts";

/** What the steps of a run give, by the first word of their names. */
export interface StepNotes {
  readonly begin: BeginNote;
  readonly answer: Answer;
  readonly results: ResultsNote;
  readonly compact: CompactNote;
  readonly shorten: ShortenNote;
}

export function noteOf<K extends keyof StepNotes>(_kind: K, output: Json): StepNotes[K] {
  return output as unknown as StepNotes[K];
}

export function inputOf({ input }: Pick<RunRecord, "input">): RunInput {
  return input as unknown as RunInput;
}

/** `undefined` for a run that no other one started. */
export function childOf(run: Pick<RunRecord, "input">): ChildInput | undefined {
  return inputOf(run)?.child;
}

/** `undefined` for a run that has not ended. */
export function endOf({ outcome }: Pick<RunRecord, "outcome">): RunEndBody | undefined {
  return outcome as unknown as RunEndBody | undefined;
}

export function recordable(value: RunInput | RunEndBody | StepNotes[keyof StepNotes]): Json {
  return value as unknown as Json;
}
