/** Tokens and cost of a run, its children included at their own models' prices. An unknown price makes the cost unknown. */
import type { Durable, Json, RunRecord, UsageBody } from "../../contract/index.ts";
import { type Answer, addUsage, noUsage } from "../history/message.ts";
import { endOf } from "../recorded.ts";

export interface Sum {
  readonly usage: UsageBody;
  /** Absent where a price is unknown. */
  readonly costUsd?: number;
  readonly savedUsd?: number;
}

export class Tally {
  #usage = noUsage;
  #costUsd: number | undefined = 0;
  #savedUsd = 0;

  add({ usage, costUsd, savedUsd = 0 }: Pick<Answer, "usage" | "costUsd" | "savedUsd">): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#costUsd = plus(this.#costUsd, costUsd);
    this.#savedUsd += savedUsd;
  }

  /** What the run itself has cost with a further answer, for whoever counts while it goes on. */
  ownCost({ costUsd }: Pick<Answer, "costUsd">): Json {
    return { cost_usd: plus(this.#costUsd, costUsd) ?? null };
  }

  /** With the children that have ended. */
  async sum(durable: Pick<Durable, "runs">, { id, rootSessionId }: RunRecord): Promise<Sum> {
    let sum = { usage: this.#usage, costUsd: this.#costUsd, savedUsd: this.#savedUsd };
    for (const run of await durable.runs({ rootSessionId })) {
      const end = run.parentId === id ? endOf(run) : undefined;
      if (!end) continue;
      const { usage, cost_usd, cache_saved_usd = 0 } = end;
      sum = { usage: addUsage(sum.usage, usage), costUsd: plus(sum.costUsd, cost_usd), savedUsd: sum.savedUsd + cache_saved_usd };
    }
    const { usage, costUsd, savedUsd } = sum;
    return { usage, ...(costUsd === undefined ? {} : { costUsd: rounded(costUsd), savedUsd: rounded(savedUsd) }) };
  }
}

/** What the run, whoever started it and everybody below them have cost so far. */
export async function costOfAll(durable: Pick<Durable, "runs">, { id, rootSessionId }: RunRecord): Promise<number> {
  const byId = new Map((await durable.runs({ rootSessionId })).map((run) => [run.id, run]));
  const topOf = (run: RunRecord | undefined): string | undefined => {
    const above = run?.parentId === undefined ? undefined : byId.get(run.parentId);
    return above === undefined ? run?.id : topOf(above);
  };
  const top = topOf(byId.get(id));
  let sum = 0;
  for (const run of byId.values()) {
    const { cost_usd: cost } = (run.progress ?? {}) as { readonly cost_usd?: number | null };
    if (topOf(run) === top) sum += cost ?? 0;
  }
  return rounded(sum);
}

function plus(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Without the noise of binary fractions. */
function rounded(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
