/**
 * Whether a conversation still fits, and what of it can be said in fewer words without asking a model: old results and old
 * images. Shortens in large steps, so that the provider's cache is seldom lost, and never touches the latest results.
 */

import { estimateTokens } from "../../contract/index.ts";
import type { Conversation, ShortenNote } from "./conversation.ts";
import { type CallOutcome, callsOf, type Message, textOf } from "./message.ts";
import { skillTool, type WorkedOn } from "./worked-on.ts";

/** Tokens of a window that is not known. */
export const assumedWindow = 200_000;
/** Above this share of the window old results are shortened, above it still the conversation is compacted. */
const fullShare = 0.8;
/** Results of so many latest answers stay as they are. */
const keptTurns = 4;
const shortTokens = 100;
const imageTokens = 1_600;

interface Window {
  readonly tokens: number;
  /** Left free for the answer. */
  readonly outputTokens: number;
}

/** Tokens of a request, estimated. */
export function requestTokens(system: string, { messages, tools }: Pick<Conversation, "messages" | "tools">): number {
  const fixed = estimateTokens(system) + estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + messageTokens(message), fixed);
}

export function isFull(tokens: number, { tokens: window, outputTokens }: Window): boolean {
  return tokens > Math.min(window * fullShare, window - outputTokens);
}

function messageTokens(message: Message): number {
  if (message.role === "user") return estimateTokens(message.text) + 4;
  if (message.role === "results") return message.outcomes.reduce((sum, outcome) => sum + outcomeTokens(outcome), 4);
  const { answer } = message;
  return estimateTokens(textOf(answer)) + callsOf(answer).reduce((sum, { input }) => sum + estimateTokens(JSON.stringify(input)) + 20, 4);
}

function outcomeTokens({ output, images = [] }: CallOutcome): number {
  return estimateTokens(output) + images.length * imageTokens + 10;
}

/** Old results that are long, in fewer words; `undefined` if there are none. */
export async function shortened(messages: readonly Message[], keep: (text: string) => Promise<string>): Promise<ShortenNote | undefined> {
  const old = messages
    .flatMap((message) => (message.role === "results" ? [message.outcomes] : []))
    .slice(0, -keptTurns)
    .flat();
  const outputs: Record<string, string> = {};
  for (const { callId, output, ref, tool } of old) {
    // A model works by its skills: they stay whole.
    if (estimateTokens(output) <= shortTokens * 2 || tool === skillTool) continue;
    const whole = ref ?? (await keep(output));
    outputs[callId] =
      `[The ${output.length} characters of this result of ${tool} were left out; ReadOutput {"ref": "${whole}"} reads them.]`;
  }
  const withoutImages = old.filter(({ images = [] }) => images.length > 0).map(({ callId }) => callId);
  return Object.keys(outputs).length + withoutImages.length === 0 ? undefined : { outputs, withoutImages };
}

/** Every image but the latest is left out; then that one too. `undefined` if there is none. */
export function withoutOldestImages(messages: readonly Message[]): ShortenNote | undefined {
  const holders = messages.flatMap((message) =>
    message.role === "results" ? message.outcomes.filter(({ images = [] }) => images.length > 0).map(({ callId }) => callId) : [],
  );
  if (holders.length === 0) return undefined;
  return { outputs: {}, withoutImages: holders.length === 1 ? holders : holders.slice(0, Math.ceil(holders.length / 2)) };
}

/** What a compacted conversation begins with: the tasks word for word, instructions, the agent's words, open tasks, what was worked on, the summary. */
export function compactText(parts: {
  readonly tasks: readonly string[];
  readonly instructions: string | undefined;
  readonly agent: string | undefined;
  readonly open: readonly string[];
  readonly workedOn: Pick<WorkedOn, "skills" | "files" | "failed">;
  readonly summary: string;
}): string {
  const { tasks, instructions, agent, open, workedOn, summary } = parts;
  const { skills, files, failed } = workedOn;
  return [
    "The conversation so far was long and is told here in fewer words. Go on with the task.",
    `<tasks>\n${tasks.map((task) => `<task>\n${task}\n</task>`).join("\n")}\n</tasks>`,
    ...(instructions === undefined ? [] : [`<instructions>\n${instructions}\n</instructions>`]),
    ...(agent === undefined ? [] : [agent]),
    ...(open.length === 0 ? [] : [`<open_tasks>\n${open.join("\n")}\n</open_tasks>`]),
    ...(skills.length === 0 ? [] : [`<loaded_skills>\n${skills.join("\n\n")}\n</loaded_skills>`]),
    ...(files.length === 0 ? [] : [`<files_in_work>\n${files.join("\n")}\n</files_in_work>`]),
    ...(failed.length === 0 ? [] : [`<failed_attempts>\n${failed.join("\n")}\n</failed_attempts>`]),
    `<summary>\n${summary}\n</summary>`,
  ].join("\n\n");
}
