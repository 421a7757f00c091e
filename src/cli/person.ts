/**
 * The person at the terminal of one command: asked about calls and for values. Owns whose calls are asked about now.
 * Refuses to ask two things at once; the screen belongs to `live-output.ts`.
 */
import type { ApprovalCard, ApprovalReply, SessionHandle, ValueReply, ValueRequest } from "../contract/index.ts";
import { whileAsking } from "./live-output.ts";
import { tellResult } from "./show-result.ts";

export class Person {
  #session: SessionHandle | undefined;
  /** Whose call is shown as a dry run now, while its question waits. */
  #previewed: SessionHandle | undefined;

  /** The session whose calls are asked about from now on. */
  hold(session: SessionHandle): void {
    this.#session = session;
  }

  async approve(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalReply> {
    const { askOnTerminal } = await import("./ask.ts");
    // A question of the dry run itself stands inside the one that waits for it.
    if (this.#previewed) return askOnTerminal(card, signal, this.#previewed.workspace);
    return whileAsking(async () => {
      // It was answered elsewhere while another question stood here.
      if (signal.aborted) return { answer: "deny" };
      const session = this.#session;
      return askOnTerminal(card, signal, session?.workspace ?? "", session && (() => this.#rehearse(session, card, signal)));
    }, card.approvalId);
  }

  async askValue(request: ValueRequest, signal: AbortSignal): Promise<ValueReply> {
    const { askValueOnTerminal } = await import("./ask.ts");
    return whileAsking(() => askValueOnTerminal(request, signal));
  }

  /** A dry run of the call on the card. */
  async #rehearse(session: SessionHandle, { tool, input }: ApprovalCard, signal: AbortSignal): Promise<string> {
    this.#previewed = session;
    try {
      const result = await session.call(tool, input, { dryRun: true, signal });
      return tellResult(result, { workspace: session.workspace, stream: process.stderr, asking: true });
    } finally {
      this.#previewed = undefined;
    }
  }
}
