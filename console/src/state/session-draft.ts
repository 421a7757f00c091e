/** A state under construction: each part is copied when it is first changed, so that many events cost one copy. */
import type { RunStatus, UsageBody } from "../../../src/contract/event-body.ts";
import type { Entry, RunInfo, SessionState, Thread } from "./session-state.ts";
import type { WireEvent } from "./wire-event.ts";

type Open<T> = { -readonly [K in keyof T]: T[K] };

interface ThreadDraft {
  entries: Entry[];
  model: string | undefined;
}

export class Draft {
  readonly state: SessionState;
  readonly #copies: { [K in "calls" | "questions" | "values" | "agents" | "artifacts"]?: Map<string, unknown> } = {};
  readonly #threads = new Map<string, ThreadDraft>();
  #root: ThreadDraft | undefined;
  #lastSaid: string | undefined;
  run: RunInfo | undefined;
  inputAsked: SessionState["inputAsked"] | undefined;
  usage: UsageBody;

  constructor(state: SessionState) {
    this.state = state;
    this.run = state.run;
    this.inputAsked = state.inputAsked;
    this.usage = state.usage;
    this.#lastSaid = state.root.entries.findLast(({ kind }) => kind === "said")?.key;
  }

  get lastSaid(): string | undefined {
    return this.#lastSaid;
  }

  get calls(): Open<Map<string, NonNullable<ReturnType<SessionState["calls"]["get"]>>>> {
    return this.#copy("calls") as never;
  }
  get questions(): Map<string, NonNullable<ReturnType<SessionState["questions"]["get"]>>> {
    return this.#copy("questions") as never;
  }
  get values(): Map<string, NonNullable<ReturnType<SessionState["values"]["get"]>>> {
    return this.#copy("values") as never;
  }
  get agents(): Map<string, NonNullable<ReturnType<SessionState["agents"]["get"]>>> {
    return this.#copy("agents") as never;
  }
  get artifacts(): Map<string, NonNullable<ReturnType<SessionState["artifacts"]["get"]>>> {
    return this.#copy("artifacts") as never;
  }

  thread(agentId: string | undefined): ThreadDraft {
    if (agentId === undefined) {
      this.#root ??= open(this.state.root);
      return this.#root;
    }
    const known = this.#threads.get(agentId) ?? open(this.state.threads.get(agentId) ?? { entries: [] });
    this.#threads.set(agentId, known);
    return known;
  }

  push(agentId: string | undefined, entry: Entry): void {
    // A call may begin before the text around it has ended: the text goes on above it.
    if (!besideText.has(entry.kind)) this.closeText(agentId, entry.time);
    this.thread(agentId).entries.push(entry);
    if (entry.kind === "said" && agentId === undefined) this.#lastSaid = entry.key;
  }

  /** Text that arrives bit by bit goes on in the open entry, or begins one. */
  growText(agentId: string | undefined, event: WireEvent, kind: "text" | "thinking", text: string): void {
    const { entries } = this.thread(agentId);
    const at = openAt(entries);
    const open = entries[at];
    if (open?.kind === kind) {
      entries[at] = open.kind === "text" ? { ...open, text: open.text + text } : { ...open, text: open.text + text, until: event.time };
      return;
    }
    this.closeText(agentId, event.time);
    const place = { key: `e${event.seq}`, seq: event.seq, time: event.time, text, open: true };
    entries.push(kind === "text" ? { kind, ...place } : { kind, ...place, until: event.time });
  }

  /** The whole text replaces what its pieces made. */
  wholeText(agentId: string | undefined, event: WireEvent, text: string): void {
    const { entries } = this.thread(agentId);
    const at = openAt(entries);
    const open = entries[at];
    if (open?.kind === "text") entries[at] = { ...open, text, open: false };
    else if (text !== "") this.push(agentId, { kind: "text", key: `e${event.seq}`, seq: event.seq, time: event.time, text, open: false });
  }

  closeText(agentId: string | undefined, time: number): void {
    const { entries } = this.thread(agentId);
    const at = openAt(entries);
    const open = entries[at];
    if (open?.kind === "text") entries[at] = { ...open, open: false };
    if (open?.kind === "thinking") entries[at] = { ...open, open: false, until: time };
  }

  /** Thinking is over when a call begins. */
  closeThinking(agentId: string | undefined, time: number): void {
    const { entries } = this.thread(agentId);
    if (entries[openAt(entries)]?.kind === "thinking") this.closeText(agentId, time);
  }

  setModel(agentId: string | undefined, model: string): void {
    this.thread(agentId).model = model;
  }

  setRun(run: RunInfo, agentId: string | undefined): void {
    if (agentId === undefined) this.run = run;
  }

  endRun(runId: string, status: RunStatus, time: number): void {
    if (this.run?.runId === runId) this.run = { ...this.run, status, endedAt: time };
  }

  addUsage(usage: UsageBody, agentId: string | undefined): void {
    const agent = agentId === undefined ? undefined : this.agents.get(agentId);
    if (agent) this.agents.set(agent.id, { ...agent, tokens: agent.tokens + usage.input_tokens + usage.output_tokens });
    this.usage = {
      input_tokens: this.usage.input_tokens + usage.input_tokens,
      output_tokens: this.usage.output_tokens + usage.output_tokens,
      cache_read_tokens: this.usage.cache_read_tokens + usage.cache_read_tokens,
      cache_write_tokens: this.usage.cache_write_tokens + usage.cache_write_tokens,
    };
  }

  finish(seq: number, lastTime: number): SessionState {
    const { run: _run, inputAsked: _asked, ...rest } = this.state;
    const threads = new Map(this.state.threads);
    for (const [id, thread] of this.#threads) threads.set(id, closed(thread));
    return {
      ...rest,
      ...(this.#copies as Partial<SessionState>),
      seq,
      lastTime,
      usage: this.usage,
      root: this.#root === undefined ? this.state.root : closed(this.#root),
      threads: this.#threads.size === 0 ? this.state.threads : threads,
      ...(this.run === undefined ? {} : { run: this.run }),
      ...(this.inputAsked === undefined ? {} : { inputAsked: this.inputAsked }),
    };
  }

  #copy(part: "calls" | "questions" | "values" | "agents" | "artifacts"): Map<string, unknown> {
    const copy = this.#copies[part] ?? new Map<string, unknown>(this.state[part]);
    this.#copies[part] = copy;
    return copy;
  }
}

/** Entries that may stand between the pieces of one text. */
const besideText: ReadonlySet<Entry["kind"]> = new Set(["call", "agent", "value"]);

/** Where text or thinking is still growing; -1 if nothing is. */
function openAt(entries: readonly Entry[]): number {
  const at = entries.findLastIndex(({ kind }) => !besideText.has(kind));
  const entry = entries[at];
  return (entry?.kind === "text" || entry?.kind === "thinking") && entry.open ? at : -1;
}

function open({ entries, model }: Thread): ThreadDraft {
  return { entries: [...entries], model };
}

function closed({ entries, model }: ThreadDraft): Thread {
  return { entries, ...(model === undefined ? {} : { model }) };
}
