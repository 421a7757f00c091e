/**
 * Keeps a conversation within the model's window, before each request: old results in fewer words first, then a summary by
 * the model itself. Learns the window from an overflow. Gives up clearly if two summaries in a row gain too little.
 */
import { estimateTokens, type SessionHandle } from "../../contract/index.ts";
import { assumedWindow, compactText, isFull, requestTokens, shortened, withoutOldestImages } from "../history/budget.ts";
import type { CompactNote, Conversation, ShortenNote } from "../history/conversation.ts";
import { type Answer, type Message, textOf } from "../history/message.ts";
import type { AgentPorts } from "../ports.ts";
import { type Model, ProviderFailure } from "../providers/model.ts";
import { ask } from "./ask.ts";
import { systemPrompt } from "./briefing.ts";

const defaultOutputTokens = 8_000;
const minGain = 0.1;
const summaryTokens = 4_000;
/** How often a request for a summary is made shorter. */
const maxShorter = 4;

const askForSummary = `Stop working for a moment. The conversation will be replaced by a summary that you write now, so that you can go on with the task from it alone. Do not call tools. Write down, briefly and exactly:
- what was done and found, and decisions with their reasons;
- files that you work on, with paths and what is to change in them;
- what failed and must not be tried again in the same way;
- the state now and the next steps.`;

export interface LengthSurroundings {
  readonly session: SessionHandle;
  readonly conversation: Conversation;
  /** Whose conversation it is, for the provider. */
  readonly name: string;
  readonly ports: Pick<AgentPorts, "keepOutput" | "maskStream" | "newId" | "log">;
  readonly signal: AbortSignal;
  step<T extends CompactNote | ShortenNote>(name: string, work: () => Promise<T>): Promise<T>;
  isRecorded(step: string): boolean;
  /** Counted with the run. */
  spent(note: CompactNote): void;
}

export class Length {
  readonly #around: LengthSurroundings;
  /** What an overflow taught, by model. */
  readonly #learned = new Map<string, number>();
  #poor = 0;
  /** Steps of the turn so far. */
  #steps = { turn: 0, count: 0 };

  constructor(around: LengthSurroundings) {
    this.#around = around;
  }

  /** What a turn shortened before a crash is shortened in the same way again. */
  async replay(turn: number): Promise<void> {
    const { step, isRecorded, spent } = this.#around;
    for (let count = 1; ; count++) {
      const kind = (["shorten", "compact"] as const).find((name) => isRecorded(`${name}:${turn}.${count}`));
      if (kind === undefined) return;
      const note = await step<CompactNote | ShortenNote>(this.#name(kind, turn), unreachable);
      if ("text" in note) spent(note);
    }
  }

  /** Makes room before a request if it is needed. */
  async fit(model: Model, turn: number): Promise<void> {
    const window = {
      tokens: this.windowOf(model),
      outputTokens: Math.min(model.maxOutputTokens ?? defaultOutputTokens, this.windowOf(model) / 4),
    };
    const { conversation } = this.#around;
    if (!isFull(requestTokens(systemPrompt, conversation), window)) return;
    await this.shorten(turn);
    while (isFull(requestTokens(systemPrompt, conversation), window)) await this.#compact(model, turn);
  }

  /** A request was refused as too long: the window is smaller than was thought. */
  async afterOverflow(model: Model, turn: number, { windowTokens }: ProviderFailure): Promise<void> {
    const sent = requestTokens(systemPrompt, this.#around.conversation);
    // Less than the fixed part cannot be the window: then the estimate is wrong.
    const fixed = requestTokens(systemPrompt, { messages: [], tools: this.#around.conversation.tools });
    this.#learned.set(model.id, Math.max(2 * fixed, Math.min(windowTokens ?? sent, Math.floor(sent * 0.9))));
    await this.shorten(turn);
    const window = { tokens: this.windowOf(model), outputTokens: 0 };
    if (isFull(requestTokens(systemPrompt, this.#around.conversation), window)) await this.#compact(model, turn);
  }

  /** A request was too large in bytes, or an image was not taken. False if there is no image left. */
  async dropImages(turn: number): Promise<boolean> {
    const { conversation, step } = this.#around;
    const note = withoutOldestImages(conversation.messages);
    if (!note) return false;
    await step<ShortenNote>(this.#name("shorten", turn), async () => note);
    return true;
  }

  async shorten(turn: number): Promise<void> {
    const { conversation, ports, session, step } = this.#around;
    const note = await shortened(conversation.messages, (text) => ports.keepOutput(session.id, text));
    if (note) await step<ShortenNote>(this.#name("shorten", turn), async () => note);
  }

  /** Tokens that a request and its answer may have together, as far as that is known. */
  windowOf(model: Model): number {
    return Math.min(model.contextWindow ?? assumedWindow, this.#learned.get(model.id) ?? Number.POSITIVE_INFINITY);
  }

  async #compact(model: Model, turn: number): Promise<void> {
    const { conversation, step, spent } = this.#around;
    const before = requestTokens(systemPrompt, conversation);
    const note = await step<CompactNote>(this.#name("compact", turn), () => this.#summarized(model));
    spent(note);
    const gain = 1 - requestTokens(systemPrompt, conversation) / before;
    this.#poor = gain < minGain ? this.#poor + 1 : 0;
    if (this.#poor >= 2) {
      throw new ProviderFailure(
        "fatal",
        "context_full",
        "The conversation does not fit into the model's window, and summaries do not make it shorter.",
      );
    }
  }

  async #summarized(model: Model): Promise<CompactNote> {
    const { conversation, session, signal } = this.#around;
    const answer = await this.#askForSummary(model);
    signal.throwIfAborted();
    const open = (await session.tasks.list())
      .filter(({ status }) => status === "pending" || status === "in_progress")
      .map(({ id, title, status }) => `${id} ${status}: ${title}`);
    const text = compactText({
      tasks: conversation.tasks,
      instructions: conversation.instructions,
      agent: conversation.agent,
      open,
      workedOn: conversation.workedOn,
      summary: textOf(answer),
    });
    return { text, usage: answer.usage, ...(answer.costUsd === undefined ? {} : { costUsd: answer.costUsd }) };
  }

  /** Of less of the past, if even the request for a summary is too long. */
  async #askForSummary(model: Model): Promise<Answer> {
    const { conversation, name, session, signal, ports } = this.#around;
    const { messages, tools, initialTools } = conversation;
    // Nobody watches a summary being written; that it has to be tried again is worth knowing.
    const quiet: Pick<SessionHandle, "append"> = {
      append: (drafts) => session.append(drafts.filter(({ type }) => type === "error")),
    };
    for (let again = 0, window = this.windowOf(model); ; again++, window = Math.floor(window / 2)) {
      const request = {
        system: systemPrompt,
        messages: [...fitting(messages, tools, window), { role: "user" as const, text: askForSummary }],
        tools,
        initialTools,
        answersBefore: conversation.answersOf(model.id),
        answersInAll: conversation.answers,
        conversation: name,
        isSummary: true as const,
        maxOutputTokens: summaryTokens,
      };
      try {
        return await ask(model, { session: quiet, request, signal, ports });
      } catch (error) {
        if (again >= maxShorter || !(error instanceof ProviderFailure) || (error.kind !== "overflow" && error.kind !== "too_large"))
          throw error;
      }
    }
  }

  /** A turn may need several. */
  #name(kind: "shorten" | "compact", turn: number): string {
    const count = this.#steps.turn === turn ? this.#steps.count + 1 : 1;
    this.#steps = { turn, count };
    return `${kind}:${turn}.${count}`;
  }
}

async function unreachable(): Promise<never> {
  throw new Error("A recorded step does not run again.");
}

/** The latest messages that a summary can be made from, if not all of them fit any more; long ones of them in part. */
function fitting(messages: readonly Message[], tools: Conversation["tools"], window: number): readonly Message[] {
  const room = Math.max(window * 0.9 - summaryTokens, window / 4);
  const tokens = (of: readonly Message[]) => requestTokens(systemPrompt, { messages: of, tools });
  let from = 0;
  while (from < messages.length - 2 && tokens(messages.slice(from)) > room) from += 1;
  const kept = messages.slice(from);
  const left = from === 0 ? [] : [{ role: "user" as const, text: "(The beginning of the conversation is left out here.)" }];
  const over = tokens([...left, ...kept]) - room;
  return [...left, ...(over > 0 ? inPart(kept, over) : kept)];
}

/** Shorter texts stay whole. */
const wholeTokens = 200;

/** The same messages with at least `over` tokens less, as far as that goes: texts and results lose their middle. */
function inPart(messages: readonly Message[], over: number): readonly Message[] {
  const all = requestTokens("", { messages, tools: [] });
  const share = Math.max(0.02, 1 - (1.1 * over) / all);
  const cut = (text: string) => {
    if (estimateTokens(text) < wholeTokens) return text;
    const half = Math.floor((text.length * share) / 2);
    return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(text.length - half)}`;
  };
  return messages.map((message): Message => {
    if (message.role === "user") return { ...message, text: cut(message.text) };
    if (message.role === "assistant") return message;
    return { ...message, outcomes: message.outcomes.map(({ images: _, ...outcome }) => ({ ...outcome, output: cut(outcome.output) })) };
  });
}
