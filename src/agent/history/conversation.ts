/**
 * The conversation of a session, folded from the recorded steps of its runs. Owns the forms of those steps. Only ever grows:
 * a recorded message is never written anew.
 */
import type { Json, StepRecord, ToolSpec, UsageBody } from "../../contract/index.ts";
import { noteOf } from "../recorded.ts";
import { type Answer, type CallOutcome, type CallPart, callsOf, type Message } from "./message.ts";
import { WorkedOn } from "./worked-on.ts";

/** How a run joins the conversation. */
export interface BeginNote {
  /** The user message: context, instructions and the agent's words where they are new, and the task. */
  readonly text: string;
  /** The task word for word. */
  readonly task: string;
  /** Instructions of the workspace that `text` tells. */
  readonly instructions?: string;
  /** The agent's own words that `text` tells; absent if they were told before. */
  readonly agent?: string;
  /** Tools that are advertised from here on. */
  readonly tools: readonly ToolSpec[];
  /** Outcomes of calls that an earlier run left open. */
  readonly closed?: readonly CallOutcome[];
}

/** What follows an answer. */
export interface ResultsNote {
  readonly outcomes: readonly CallOutcome[];
  /** What people, agents or Karyi say before the next answer. */
  readonly said: readonly Said[];
  /** Newly activated tools. */
  readonly tools: readonly ToolSpec[];
  /** A further answer is asked for. */
  readonly goesOn: boolean;
}

export interface Said {
  readonly by: "person" | "agents" | "karyi";
  readonly text: string;
}

/** The conversation up to here in fewer words. */
export interface CompactNote {
  /** Stands in the place of every message before. */
  readonly text: string;
  readonly usage: UsageBody;
  readonly costUsd?: number;
}

/** Old results in fewer words, from now on. */
export interface ShortenNote {
  readonly outputs: Readonly<Record<string, string>>;
  /** Calls whose images are left out. */
  readonly withoutImages: readonly string[];
}

const imageLeftOut = "[The image was left out here because the request was refused as too large. Read it again if you need it.]";

/** True for the step that records an answer of the model. */
export function isAnswer(step: string): boolean {
  return step.startsWith("answer:");
}

/** The turn of a run that was begun and not ended. */
export function openTurn(steps: readonly Pick<StepRecord, "name" | "output">[]): number | undefined {
  let open: number | undefined;
  for (const { name, output } of steps) {
    if (output === undefined) continue;
    const [kind, turn] = name.split(":");
    if (kind === "begin") open = 1;
    else if (kind === "results") open = noteOf("results", output).goesOn ? Number(turn) + 1 : undefined;
  }
  return open;
}

export class Conversation {
  #messages: Message[] = [];
  readonly #tools: ToolSpec[] = [];
  readonly #answers = new Map<string, number>();
  #instructions: string | undefined;
  #agent: string | undefined;
  #initialTools: number | undefined;
  readonly #tasks: string[] = [];
  readonly #worked = new WorkedOn();

  /** Everything that was recorded before the run `except`. */
  static of(steps: readonly StepRecord[], except: string): Conversation {
    const conversation = new Conversation();
    for (const { runId, name, output } of steps) if (runId !== except && output !== undefined) conversation.apply(name, output);
    return conversation;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get tools(): readonly ToolSpec[] {
    return this.#tools;
  }

  /** So many of `tools` were there from the beginning. */
  get initialTools(): number {
    return this.#initialTools ?? this.#tools.length;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** Instructions of the workspace as they were told last. */
  get instructions(): string | undefined {
    return this.#instructions;
  }

  /** The words of the agent that was told last who it is. */
  get agent(): string | undefined {
    return this.#agent;
  }

  /** What people asked for, word for word, oldest first. */
  get tasks(): readonly string[] {
    return this.#tasks;
  }

  /** What has to survive if the past is told in fewer words. */
  get workedOn(): WorkedOn {
    return this.#worked;
  }

  /** Of all models. */
  get answers(): number {
    return [...this.#answers.values()].reduce((sum, count) => sum + count, 0);
  }

  answersOf(model: string): number {
    return this.#answers.get(model) ?? 0;
  }

  /** Calls of the last answer that have no outcome. */
  get openCalls(): readonly CallPart[] {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" ? callsOf(last.answer) : [];
  }

  apply(step: string, output: Json): void {
    const [kind] = step.split(":", 1);
    switch (kind) {
      case "begin":
        return this.#begin(noteOf(kind, output));
      case "answer":
        return this.#answer(noteOf(kind, output));
      case "results":
        return this.#results(noteOf(kind, output));
      case "compact":
        return this.#compact(noteOf(kind, output));
      case "shorten":
        return this.#shorten(noteOf(kind, output));
      default:
        return;
    }
  }

  #begin({ text, task, instructions, agent, tools, closed }: BeginNote): void {
    if (closed && closed.length > 0) {
      this.#worked.note(this.openCalls, closed);
      this.#messages.push({ role: "results", outcomes: closed });
    }
    if (instructions !== undefined) this.#instructions = instructions;
    if (agent !== undefined) this.#agent = agent;
    this.#tasks.push(task);
    this.#tools.push(...tools);
    const isFirst = this.#initialTools === undefined;
    this.#initialTools ??= this.#tools.length;
    this.#messages.push({ role: "user", text, ...(isFirst || tools.length === 0 ? {} : { newTools: tools }) });
  }

  #answer(answer: Answer): void {
    this.#answers.set(answer.model, this.answersOf(answer.model) + 1);
    this.#messages.push({ role: "assistant", answer });
  }

  #results({ outcomes, said, tools }: ResultsNote): void {
    const newTools = tools.length === 0 ? {} : { newTools: tools };
    this.#worked.note(this.openCalls, outcomes);
    if (outcomes.length > 0) this.#messages.push({ role: "results", outcomes, ...newTools });
    for (const { by, text } of said) {
      if (by === "person") this.#tasks.push(text);
      this.#messages.push({ role: "user", text });
    }
    this.#tools.push(...tools);
  }

  #compact({ text }: CompactNote): void {
    const later = this.#tools.slice(this.initialTools);
    this.#messages = [{ role: "user", text, ...(later.length === 0 ? {} : { newTools: later }) }];
  }

  #shorten({ outputs, withoutImages }: ShortenNote): void {
    const bare = new Set(withoutImages);
    const shortened = (outcome: CallOutcome): CallOutcome => {
      const output = outputs[outcome.callId];
      if (output === undefined && !bare.has(outcome.callId)) return outcome;
      const { images, ...rest } = outcome;
      const shorter = { ...rest, ...(output === undefined ? {} : { output }) };
      if (images === undefined) return shorter;
      return bare.has(outcome.callId) ? { ...shorter, output: `${shorter.output}\n${imageLeftOut}` } : { ...shorter, images };
    };
    this.#messages = this.#messages.map((message) =>
      message.role === "results" ? { ...message, outcomes: message.outcomes.map(shortened) } : message,
    );
  }
}
