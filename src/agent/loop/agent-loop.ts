/**
 * The loop of an agent (A1), written once over `Durable`: ask the model, make its calls, tell it what came of them, until it is
 * done, a limit is met or somebody stops it. Every answer and every set of results is a recorded step; a resumed run finds
 * them and goes on. Refuses to ask again for what was answered, and to run what was cut.
 */
import {
  type DurableContext,
  type EventDraft,
  isSuspended,
  type Json,
  type RunEndBody,
  type RunResult,
  type RunStatus,
  type SessionHandle,
  ToolFailure,
} from "../../contract/index.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import { type BeginNote, Conversation, type ResultsNote, type Said } from "../history/conversation.ts";
import { type Answer, type CallOutcome, type CallPart, callsOf, noUsage, textOf } from "../history/message.ts";
import { notRun } from "../history/outcome.ts";
import type { AgentPorts } from "../ports.ts";
import { type Model, ProviderFailure } from "../providers/model.ts";
import { nameBehind } from "../providers/wire-names.ts";
import { inputOf, recordable, type StepNotes } from "../recorded.ts";
import { ask } from "./ask.ts";
import { beginNote, systemPrompt, toolsToAdd } from "./briefing.ts";
import { type CallMaker, closeCalls, EarlyCalls, makeBegun, makeCalls } from "./calls.ts";
import { faultyCalls } from "./faulty-calls.ts";
import { Length } from "./length.ts";
import { Repetition } from "./repetition.ts";
import type { RunInput } from "./run-input.ts";
import { costOfAll, Tally } from "./tally.ts";

/** Signals of people who say something during a run. */
export const messageTopic = "message";
const defaultMaxRounds = 500;
/** Of the window, what the results of one answer may take together. */
const resultsShare = 0.4;
/** Answers in a row whose calls were cut by the output limit. */
const maxCut = 3;
/** How often one request is mended: images dropped, the past shortened, another model asked. */
const maxMended = 6;

const words = {
  conclude:
    "You have used all the rounds of this run. Do not call any tool now. Say in words what you did, what you found and what is left.",
  cut: "not run: the answer was cut by the output limit before it was complete. Write shorter calls, or split the work.",
  concluded: "not run: the rounds of this run are used up.",
  refused: "not run: the answer was refused.",
  repeated:
    "You have made the same calls again and again, and nothing changes by it. Stop, say what you expected, and try another way or ask the person.",
} as const;

interface Parts {
  readonly session: SessionHandle;
  readonly definition: AgentDefinition;
  readonly model: Model;
  readonly conversation: Conversation;
}

type Ending = { readonly status: RunStatus; readonly error?: { readonly code: string; readonly message: string } };

/** The function that `Durable` calls, also again after a crash. */
export async function runAgent(context: DurableContext, ports: AgentPorts): Promise<RunResult> {
  const input = inputOf(context.run);
  const base = await ports.engine.sessionById(context.run.sessionId);
  if (!base) throw new Error(`There is no session ${context.run.sessionId}.`);
  const conversation = Conversation.of(await ports.durable.steps(base.id), context.run.id);
  const definition = await ports.definitions.find(base, input.agent);
  // Without its file nobody knows which tools the agent may use: it does not work with more of them.
  if (!definition) return failedToBegin(context, "unknown_agent", `There is no agent '${input.agent}' any more.`);
  let model: Model;
  try {
    model = await ports.openModel(input.model, base, input.record);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return failedToBegin(context, "bad_model", error.message);
  }
  const session = await ports.definitions.workAs(base, definition);
  return new AgentLoop(context, ports, { session, definition, model, conversation }).run();
}

/** A run that waited its turn, or was left by its process, and cannot be driven any more. */
function failedToBegin(context: Pick<DurableContext, "run" | "recorded">, code: string, message: string): RunResult {
  const { run } = context;
  const outcome: RunEndBody = { run_id: run.id, status: "failed", text: "", rounds: 0, usage: noUsage, error: { code, message } };
  const { agent, model, prompt } = inputOf(run);
  const start: EventDraft = { type: "run_start", agent, body: { run_id: run.id, agent, model, prompt } };
  return {
    outcome: recordable(outcome),
    events: [...(context.recorded("begin") === undefined ? [start] : []), { type: "run_end", body: outcome }],
  };
}

class AgentLoop {
  readonly #context: DurableContext;
  readonly #ports: AgentPorts;
  readonly #input: RunInput;
  readonly #session: SessionHandle;
  readonly #definition: AgentDefinition;
  readonly #conversation: Conversation;
  readonly #repetition = new Repetition();
  readonly #tally = new Tally();
  readonly #length: Length;
  #model: Model;
  /** Answers of this run. */
  #rounds = 0;
  #roundsWithCalls = 0;
  #cutInARow = 0;
  /** The latest answer of this run. */
  #last: Answer | undefined;
  /** Calls that began while the latest answer streamed. */
  #early: EarlyCalls | undefined;
  /** The turn whose `turn_start` was written and whose `turn_end` was not. */
  #openTurn: number | undefined;

  constructor(context: DurableContext, ports: AgentPorts, { session, definition, model, conversation }: Parts) {
    this.#context = context;
    this.#ports = ports;
    this.#input = inputOf(context.run);
    this.#session = session;
    this.#definition = definition;
    this.#model = model;
    this.#conversation = conversation;
    this.#length = new Length({
      session,
      conversation,
      name: this.#input.child?.subagentId ?? "",
      ports,
      signal: context.signal,
      step: (name, work) => this.#step(name, work, () => []),
      isRecorded: (name) => context.recorded(name) !== undefined,
      spent: (note) => this.#tally.add(note),
    });
  }

  async run(): Promise<RunResult> {
    const { run, signal } = this.#context;
    const ending = await this.#turns().catch((error): Ending => {
      if (isSuspended(signal)) throw error;
      if (signal.aborted) return { status: "cancelled" };
      if (error instanceof ProviderFailure) return { status: "failed", error: { code: error.code, message: error.message } };
      this.#ports.log("A run failed unexpectedly", error);
      return { status: "failed", error: { code: "internal", message: error instanceof Error ? error.message : String(error) } };
    });
    await this.#ports.sideWork.afterEnd(run.id, this.#session);
    return this.#result(ending);
  }

  async #turns(): Promise<Ending> {
    if (this.#context.resumed) await this.#ports.sideWork.resumed(this.#context.run.id, this.#session);
    await this.#begin();
    for (let turn = 1; ; turn++) {
      if (this.#isStopped) return { status: "cancelled" };
      if (await this.#isTooCostly()) return { status: "max_cost" };
      const answer = await this.#answer(turn);
      if (answer.finish === "interrupted") return { status: "cancelled" };
      const ending = await this.#follow(turn, answer);
      if (ending) return ending;
    }
  }

  async #begin(): Promise<void> {
    const { id } = this.#context.run;
    const { agent, model } = this.#input;
    await this.#step<BeginNote>(
      "begin",
      async () => {
        const note = await beginNote(this.#session, this.#conversation, this.#input, this.#definition, this.#ports);
        const open = this.#conversation.openCalls;
        return open.length === 0 ? note : { ...note, closed: await closeCalls(open, this.#maker("closed")) };
      },
      ({ task }) => [{ type: "run_start", agent, body: { run_id: id, agent, model, prompt: task } }, this.#turnStart(1)],
    );
    this.#openTurn = 1;
  }

  async #answer(turn: number): Promise<Answer> {
    await this.#length.replay(turn);
    const answer = await this.#step<Answer>(
      `answer:${turn}`,
      () => this.#ask(turn),
      ({ parts, finish }) =>
        finish === "interrupted"
          ? []
          : parts.flatMap((part) => (part.type === "text" ? [{ type: "text" as const, body: { text: part.text } }] : [])),
      (made) => this.#tally.ownCost(made),
    );
    this.#rounds += 1;
    this.#last = answer;
    this.#tally.add(answer);
    return answer;
  }

  /** Asks until there is an answer: with less of the past where it does not fit, by another model where one is configured. */
  async #ask(turn: number): Promise<Answer> {
    await this.#length.fit(this.#model, turn);
    for (let again = 0; ; again++) {
      try {
        return await this.#askOnce(turn);
      } catch (error) {
        if (!(error instanceof ProviderFailure) || again >= maxMended || !(await this.#mend(turn, error))) throw error;
      }
    }
  }

  async #mend(turn: number, failure: ProviderFailure): Promise<boolean> {
    if (failure.kind === "too_large" && (await this.#length.dropImages(turn))) return true;
    if (failure.kind === "overflow" || failure.code === "http_413") {
      await this.#length.afterOverflow(this.#model, turn, failure);
      return true;
    }
    if (failure.kind !== "retry") return false;
    const other = await this.#ports.fallbackModel(this.#model.id, this.#session);
    if (other === undefined) return false;
    const opened = await this.#ports.openModel(other, this.#session, this.#input.record).catch((error) => {
      this.#ports.log(`${other} cannot take over`, error);
      return undefined;
    });
    if (opened === undefined) return false;
    // A limit of cost cannot be kept with a model whose price nobody knows.
    if (this.#input.maxCostUsd !== undefined && opened.price === undefined) return false;
    await this.#session.append([{ type: "error", body: { message: `${failure.message} ${other} takes over.`, code: failure.code } }]);
    this.#model = opened;
    return true;
  }

  async #askOnce(turn: number): Promise<Answer> {
    const early = new EarlyCalls(this.#maker(`answer:${turn}`));
    this.#early = early;
    const { messages, tools, initialTools } = this.#conversation;
    const answer = await ask(this.#model, {
      session: this.#session,
      signal: this.#context.signal,
      ports: this.#ports,
      request: {
        system: systemPrompt,
        messages,
        tools,
        initialTools,
        answersBefore: this.#conversation.answersOf(this.#model.id),
        answersInAll: this.#conversation.answers,
        conversation: this.#input.child?.subagentId ?? "",
      },
      // The calls of a last answer do not run.
      onCall: (call) => (this.#roundsWithCalls >= this.#maxRounds ? undefined : early.offer(call)),
      onWhole: () => early.underWay(),
    });
    this.#throwIfSuspended();
    return answer;
  }

  /** What follows an answer: results and a further turn (`undefined`), or the end. */
  async #follow(turn: number, answer: Answer): Promise<Ending | undefined> {
    const calls = callsOf(answer);
    if (answer.finish === "refused") return this.#endWith(turn, calls, words.refused, { status: "refused" });
    if (this.#roundsWithCalls >= this.#maxRounds) return this.#endWith(turn, calls, words.concluded, { status: "max_rounds" });
    if (calls.length === 0) {
      if (answer.finish === "cut") return { status: "max_tokens" };
      return (await this.#hearOthers(turn)) ? undefined : { status: this.#isStopped ? "cancelled" : "done" };
    }
    this.#roundsWithCalls += 1;
    this.#cutInARow = answer.finish === "cut" ? this.#cutInARow + 1 : 0;
    if (this.#cutInARow >= maxCut) return this.#endWith(turn, calls, words.cut, { status: "max_tokens" });
    return this.#makeCalls(turn, calls, answer.finish === "cut");
  }

  async #makeCalls(turn: number, calls: readonly CallPart[], isCut: boolean): Promise<Ending | undefined> {
    const circle = this.#repetition.note(calls);
    if (circle === "end") {
      const error = { code: "no_progress", message: "The model makes the same calls again and again." };
      return this.#endWith(turn, calls, words.repeated, { status: "failed", error });
    }
    const { goesOn, outcomes } = await this.#results(turn, async () => {
      const outcomes = await (isCut ? this.#begunOf(turn, calls) : makeCalls(calls, this.#maker(`answer:${turn}`)));
      this.#throwIfSuspended();
      if (circle === "person") await this.#tellPerson("The model makes the same calls again and again, although it was told so.");
      const own: Said[] = circle === "model" ? [{ by: "karyi", text: words.repeated }] : [];
      if (this.#roundsWithCalls >= this.#maxRounds) own.push({ by: "karyi", text: words.conclude });
      const goesOn = !this.#isStopped;
      return { outcomes, said: [...(goesOn ? await this.#steering(turn) : []), ...own], goesOn };
    });
    this.#repetition.gave(outcomes);
    return goesOn ? undefined : { status: "cancelled" };
  }

  /** True if somebody said something that asks for a further turn: a person, or agents in the background. */
  async #hearOthers(turn: number): Promise<boolean> {
    if (this.#context.recorded(`results:${turn}`) === undefined) {
      const { signal, run } = this.#context;
      const steering = await this.#steering(turn);
      const agents =
        steering.length > 0 || this.#isStopped ? undefined : await this.#ports.sideWork.beforeEnd(run.id, this.#session, signal);
      this.#throwIfSuspended();
      const said: readonly Said[] = agents === undefined ? steering : [{ by: "agents", text: agents }];
      if (said.length === 0 || this.#isStopped) return false;
      await this.#results(turn, async () => ({ outcomes: [], said, goesOn: true }));
      return true;
    }
    await this.#results(turn, async () => ({ outcomes: [], said: [], goesOn: true }));
    return true;
  }

  /** The calls of a last answer do not run, but have an outcome. */
  async #endWith(turn: number, calls: readonly CallPart[], why: string, ending: Ending): Promise<Ending> {
    if (calls.length === 0) return ending;
    const outcomes = async () => (ending.status === "max_tokens" ? this.#begunOf(turn, calls) : calls.map((call) => notRun(call, why)));
    await this.#results(turn, async () => ({ outcomes: await outcomes(), said: [], goesOn: false }));
    return ending;
  }

  /** Of an answer that was cut: what had begun while it streamed keeps its result. */
  #begunOf(turn: number, calls: readonly CallPart[]): Promise<CallOutcome[]> {
    return makeBegun(calls, this.#maker(`answer:${turn}`), this.#early, words.cut);
  }

  async #results(turn: number, work: () => Promise<Omit<ResultsNote, "tools">>): Promise<ResultsNote> {
    const note = await this.#step<ResultsNote>(
      `results:${turn}`,
      async () => ({ ...(await work()), tools: toolsToAdd(this.#session, this.#conversation) }),
      ({ outcomes, said, goesOn }) => [
        ...faultyCalls(this.#conversation.openCalls, outcomes, this.#definition.name),
        this.#turnEnd(turn),
        ...said.flatMap(({ by, text }): EventDraft[] => (by === "person" ? [{ type: "text", body: { text, role: "user" } }] : [])),
        ...(goesOn ? [this.#turnStart(turn + 1)] : []),
      ],
    );
    this.#openTurn = note.goesOn ? turn + 1 : undefined;
    return note;
  }

  /** Messages of people that came since the last turn, in their order. */
  async #steering(turn: number): Promise<Said[]> {
    const messages = await this.#context.take(messageTopic, `steer:${turn}`);
    return messages.map((text) => ({ by: "person", text: String(text) }));
  }

  async #tellPerson(message: string): Promise<void> {
    await this.#session.append([{ type: "error", body: { message, code: "no_progress" } }]);
  }

  async #isTooCostly(): Promise<boolean> {
    const { maxCostUsd } = this.#input;
    return maxCostUsd !== undefined && (await costOfAll(this.#ports.durable, this.#context.run)) >= maxCostUsd;
  }

  async #result({ status, error }: Ending): Promise<RunResult> {
    const { run } = this.#context;
    const { usage, costUsd, savedUsd } = await this.#tally.sum(this.#ports.durable, run);
    const outcome: RunEndBody = {
      run_id: run.id,
      status,
      text: this.#last === undefined ? "" : textOf(this.#last),
      rounds: this.#rounds,
      usage,
      ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
      ...(savedUsd === undefined || savedUsd === 0 ? {} : { cache_saved_usd: savedUsd }),
      ...(error === undefined ? {} : { error }),
    };
    const closing = this.#openTurn === undefined ? [] : [this.#turnEnd(this.#openTurn)];
    const result: RunResult = { outcome: recordable(outcome), events: [...closing, { type: "run_end", body: outcome }] };
    // What a person says in the last moment is heard: the run goes on.
    return status === "done" ? { ...result, unless: messageTopic } : result;
  }

  async #step<T extends StepNotes[keyof StepNotes]>(
    name: string,
    work: () => Promise<T>,
    events: (output: T) => readonly EventDraft[],
    progress?: (output: T) => Json,
  ): Promise<T> {
    const output = await this.#context.step(name, "idempotent", work, (made) => ({
      events: events(made),
      ...(progress === undefined ? {} : { progress: progress(made) }),
    }));
    this.#conversation.apply(name, recordable(output));
    return output;
  }

  #maker(step: string): CallMaker {
    return {
      session: this.#session,
      agent: this.#definition.name,
      messageId: `${this.#context.run.id}:${step}`,
      signal: this.#context.signal,
      nameOf: (written) => nameBehind(written, this.#conversation.tools),
      roomTokens: Math.floor(this.#length.windowOf(this.#model) * resultsShare),
      ports: this.#ports,
    };
  }

  get #maxRounds(): number {
    return this.#input.maxRounds ?? this.#definition.maxRounds ?? defaultMaxRounds;
  }

  get #isStopped(): boolean {
    return this.#context.signal.aborted;
  }

  /** A process that ends leaves the run as it is, to be resumed. */
  #throwIfSuspended(): void {
    const { signal } = this.#context;
    if (isSuspended(signal)) throw signal.reason;
  }

  #turnStart(turn: number): EventDraft {
    return { type: "turn_start", body: { run_id: this.#context.run.id, turn, model: this.#model.id } };
  }

  #turnEnd(turn: number): EventDraft {
    const { usage, costUsd } = this.#last ?? {};
    const counted = usage === undefined ? {} : { usage, ...(costUsd === undefined ? {} : { cost_usd: costUsd }) };
    return { type: "turn_end", body: { run_id: this.#context.run.id, turn, ...counted } };
  }
}
