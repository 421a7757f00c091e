/**
 * A model that plays a script, for tests, demos and bug reports: a YAML or JSON list of turns. Owns the script's form.
 * The n-th answer of a conversation is the n-th turn, so that a resumed or later run goes on where the last one stopped.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import { z } from "zod";
import { type Json, ToolFailure } from "../../contract/index.ts";
import { noUsage } from "../history/message.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";

const turnSchema = z.strictObject({
  text: z.string().optional(),
  thinking: z.string().optional(),
  calls: z.array(z.strictObject({ name: z.string(), input: z.json().optional() })).optional(),
  delay_ms: z.number().nonnegative().optional(),
  /** Beside `stop` and calls: how a provider may end an answer. */
  finish: z.enum(["stop", "cut", "refused"]).optional(),
  usage: z
    .strictObject({
      input_tokens: z.number().int().nonnegative().optional(),
      output_tokens: z.number().int().nonnegative().optional(),
      cache_read_tokens: z.number().int().nonnegative().optional(),
      cache_write_tokens: z.number().int().nonnegative().optional(),
    })
    .optional(),
});

type Turn = z.infer<typeof turnSchema>;

/** The turns of a script; a script that is not well formed is wrong usage, said with the place. */
export function readScript(text: string, file: string): readonly Turn[] {
  const bad = (message: string) =>
    new ToolFailure("invalid_tool_input", `${file}: ${message}.`, {
      hint: "A script is a YAML or JSON list of turns {text?, calls?: [{name, input}], delay_ms?}.",
      details: { reason: "bad_script" },
    });
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw bad(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error));
  }
  const turns = z.array(turnSchema).safeParse(value);
  if (turns.success) return turns.data;
  const [issue] = turns.error.issues;
  throw bad(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a list of turns"}`);
}

/** Pieces of a text that is shown little by little. */
const pieceLength = 24;
const defaultIdleMs = 3_600_000;

export function scriptedModel(id: string, turns: readonly Turn[]): Model {
  return {
    id,
    idleTimeoutMs: defaultIdleMs,
    stream: (request) => play(turns[request.answersBefore] ?? {}, request),
  };
}

async function* play(turn: Turn, { signal, answersBefore }: ModelRequest): AsyncGenerator<ModelEvent> {
  const texts = (["thinking", "text"] as const).flatMap((kind) => pieces(turn[kind] ?? "").map((text) => ({ kind, text })));
  const wait = (turn.delay_ms ?? 0) / (texts.length + 1);
  for (const { kind, text } of texts) {
    if (wait > 0) await delay(wait, undefined, { signal });
    signal.throwIfAborted();
    yield { type: "delta", kind, text };
  }
  if (wait > 0) await delay(wait, undefined, { signal });
  if (turn.thinking) yield { type: "part", part: { type: "thinking", text: turn.thinking } };
  if (turn.text) yield { type: "part", part: { type: "text", text: turn.text } };
  const calls = turn.calls ?? [];
  for (const [index, { name, input = {} }] of calls.entries()) {
    const broken = isObject(input) ? {} : { broken: "its input is not a JSON object" };
    yield {
      type: "part",
      part: { type: "call", providerId: `call_${answersBefore}_${index}`, name, input: isObject(input) ? input : {}, ...broken },
    };
  }
  const finish = turn.finish ?? (calls.length > 0 ? "calls" : "stop");
  const { input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 } = turn.usage ?? noUsage;
  yield { type: "end", finish, usage: { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } };
}

function pieces(text: string): string[] {
  const letters = [...text];
  const found: string[] = [];
  for (let at = 0; at < letters.length; at += pieceLength) found.push(letters.slice(at, at + pieceLength).join(""));
  return found;
}

function isObject(input: Json | undefined): input is { readonly [key: string]: Json } {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}
