/** What a run does at this moment, folded from its events: calls under way, agents with what they do, tokens and cost. Pure. */
import type { KaryiEvent, UsageBody } from "../contract/index.ts";

interface LiveCall {
  readonly summary: string;
  readonly since: number;
  /** The last line that it printed. */
  said?: string;
}

export interface LiveAgent {
  readonly id: string;
  readonly agent: string;
  readonly description: string;
  readonly parentId: string | undefined;
  readonly since: number;
  calls: number;
  /** In and out, cached ones included. */
  tokens: number;
  readonly doing: Map<string, string>;
}

export class RunTree {
  readonly #calls = new Map<string, LiveCall>();
  readonly #agents = new Map<string, LiveAgent>();
  /** Calls that stand for an agent: the agent is shown instead. */
  readonly #starters = new Map<string, string>();
  #rounds = 0;
  #tokens = { in: 0, out: 0 };
  #costUsd: number | undefined = 0;

  /** Calls at work that are not shown as agents. */
  get calls(): readonly LiveCall[] {
    return [...this.#calls].flatMap(([id, call]) => (this.#starters.has(id) ? [] : [call]));
  }

  get rounds(): number {
    return this.#rounds;
  }

  get tokens(): { readonly in: number; readonly out: number } {
    return this.#tokens;
  }

  /** `undefined` where a price is unknown. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  /** Agents at work with how deep they stand, each after its parent. */
  get agents(): readonly { readonly agent: LiveAgent; readonly depth: number }[] {
    const below = (parentId: string | undefined, depth: number): { agent: LiveAgent; depth: number }[] =>
      [...this.#agents.values()]
        .filter((agent) => (agent.parentId !== undefined && this.#agents.has(agent.parentId) ? agent.parentId : undefined) === parentId)
        .flatMap((agent) => [{ agent, depth }, ...below(agent.id, depth + 1)]);
    return below(undefined, 0);
  }

  /** What an agent does at this moment, but for agents that it waits for: they stand below it. */
  doing({ doing }: LiveAgent): readonly string[] {
    return [...doing].flatMap(([callId, summary]) => (this.#starters.has(callId) ? [] : [summary]));
  }

  isAgentCall(callId: string): boolean {
    return this.#starters.has(callId);
  }

  take(event: KaryiEvent): void {
    const { callId = "", subagentId = "" } = event;
    switch (event.type) {
      case "turn_start":
        this.#rounds += 1;
        return;
      case "turn_end":
        return this.#count(event.body.usage, event.body.cost_usd);
      case "tool_call":
        if (event.subagentId === undefined) this.#calls.set(callId, { summary: event.body.summary, since: event.time });
        return;
      case "tool_progress": {
        const call = this.#calls.get(callId);
        const said = event.body.text.trimEnd().split("\n").at(-1)?.trim();
        if (call && said) call.said = said;
        return;
      }
      case "tool_result":
        this.#calls.delete(callId);
        return;
      case "subagent_start": {
        const { agent, description, parent_id: parentId } = event.body;
        const facts = { id: subagentId, agent, description, parentId, since: event.time };
        this.#agents.set(subagentId, { ...facts, calls: 0, tokens: 0, doing: new Map() });
        if (callId !== "") this.#starters.set(callId, subagentId);
        return;
      }
      case "subagent_event":
        return this.#ofChild(subagentId, event.body.event as ChildEvent);
      case "subagent_end":
        this.#agents.delete(subagentId);
        return;
      default:
        return;
    }
  }

  #ofChild(id: string, event: ChildEvent): void {
    const agent = this.#agents.get(id);
    if (!agent) return;
    const callId = event.call_id ?? "";
    if (event.type === "tool_call") agent.doing.set(callId, event.summary ?? event.tool ?? "");
    else if (event.type === "tool_result") {
      agent.doing.delete(callId);
      agent.calls += 1;
    } else if (event.type === "turn_end") {
      agent.tokens += allTokens(event.usage);
      this.#count(event.usage, event.cost_usd);
    }
  }

  #count(usage: UsageBody | undefined, costUsd: number | undefined): void {
    if (usage === undefined) return;
    const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
    this.#tokens = {
      in: this.#tokens.in + input_tokens + cache_read_tokens + cache_write_tokens,
      out: this.#tokens.out + output_tokens,
    };
    this.#costUsd = this.#costUsd === undefined || costUsd === undefined ? undefined : this.#costUsd + costUsd;
  }
}

/** An event of a child in its wire form, as far as it is looked at here. */
interface ChildEvent {
  readonly type?: string;
  readonly call_id?: string;
  readonly tool?: string;
  readonly summary?: string;
  readonly usage?: UsageBody;
  readonly cost_usd?: number;
}

export function allTokens(usage: UsageBody | undefined): number {
  if (usage === undefined) return 0;
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}
