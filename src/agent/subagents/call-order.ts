/**
 * The order in which the children of one answer get their names: that of the calls in the answer, although the calls run side
 * by side. Refuses to let a call wait for one that a person has to answer first, or that is over.
 */
import { type KaryiEngine, ToolFailure } from "../../contract/index.ts";
import type { Conversation } from "../history/conversation.ts";
import { nameBehind } from "../providers/wire-names.ts";

type OrderEngine = Pick<KaryiEngine, "call" | "changed" | "describeTool">;

/** Ids of the calls of the same answer that start agents and stand before `callId`. */
export function callsBefore(
  callId: string,
  { openCalls, tools }: Conversation,
  engine: Pick<OrderEngine, "describeTool">,
): readonly string[] {
  const at = openCalls.findIndex((call) => call.callId === callId);
  return openCalls
    .slice(0, Math.max(0, at))
    .filter(({ broken, name }) => broken === undefined && engine.describeTool(nameBehind(name, tools))?.name === "Agent")
    .map((call) => call.callId);
}

export class CallOrder {
  readonly #engine: OrderEngine;
  /** Calls that have taken their turn. */
  readonly #passed = new Set<string>();

  constructor(engine: OrderEngine) {
    this.#engine = engine;
  }

  /** Waits until each call of `before` has taken its turn, waits for a person, or is over; then it is this one's turn. */
  async take(callId: string, before: readonly string[], signal: AbortSignal): Promise<void> {
    for (;;) {
      // A call that takes its turn or fails commits something afterwards.
      const changed = this.#engine.changed(signal);
      if (signal.aborted) throw new ToolFailure("cancelled", "The call was cancelled before its agent started.");
      if (!(await this.#isAnyAhead(before))) break;
      await changed;
    }
    this.#passed.add(callId);
  }

  /** The call is over: nobody asks for its turn any more. */
  forget(callId: string): void {
    this.#passed.delete(callId);
  }

  async #isAnyAhead(before: readonly string[]): Promise<boolean> {
    for (const id of before) {
      if (this.#passed.has(id)) continue;
      const record = await this.#engine.call(id);
      if (record?.phase !== "asked" && record?.phase !== "settled") return true;
    }
    return false;
  }
}
