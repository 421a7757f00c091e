/** How a run ends whose process is gone and that nobody resumes. Owns that what it spent and the turn it had begun are told. */
import type { Durable, EventDraft, RunEndBody, RunRecord, RunResult } from "../../contract/index.ts";
import { isAnswer, openTurn } from "../history/conversation.ts";
import { textOf } from "../history/message.ts";
import { noteOf, recordable } from "../recorded.ts";
import { Tally } from "./tally.ts";

export interface Interrupted extends RunResult {
  readonly body: RunEndBody;
}

export async function interrupted(durable: Pick<Durable, "steps" | "runs">, run: RunRecord, message: string): Promise<Interrupted> {
  const steps = (await durable.steps(run.sessionId)).filter(({ runId }) => runId === run.id);
  const answers = steps.flatMap(({ name, output }) => (isAnswer(name) && output !== undefined ? [noteOf("answer", output)] : []));
  const last = answers.at(-1);
  const tally = new Tally();
  for (const answer of answers) tally.add(answer);
  const { usage, costUsd } = await tally.sum(durable, run);
  const body: RunEndBody = {
    run_id: run.id,
    status: "cancelled",
    text: last === undefined ? "" : textOf(last),
    rounds: answers.length,
    usage,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    error: { code: "interrupted", message },
  };
  const turn = openTurn(steps);
  const closing: EventDraft[] = turn === undefined ? [] : [{ type: "turn_end", body: { run_id: run.id, turn } }];
  return { body, outcome: recordable(body), events: [...closing, { type: "run_end", body }] };
}
