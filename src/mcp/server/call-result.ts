/**
 * A Result as MCP has it. Owns the limits of real clients: 100,000 characters an answer, 1 MB an image, and structured content
 * only where it holds all of the answer, because one client shows its model nothing else.
 */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { type Content, cutForModel, estimateTokens, type JsonObject, noOutputText, type Result, stderrMark } from "../../contract/index.ts";
import { fittingImage } from "./fit-image.ts";

const maxCharacters = 100_000;
/** Room for the note about what was cut, and for the line about undo. */
const noteCharacters = 600;
const headShare = 0.8;
/** So many tokens of four characters fit in an answer, with the note. */
const maxTokens = (maxCharacters - 2 * noteCharacters) / 4;

export interface ResultSurroundings {
  /** Keeps a text to be read in pages with ReadOutput. */
  keep(text: string): Promise<string>;
  /** How much of the answer a model reads, in estimated tokens. */
  readonly modelOutputTokens: number;
  /** The tool `Undo` is offered. */
  readonly offersUndo: boolean;
}

export async function callResult(result: Result, around: ResultSurroundings): Promise<CallToolResult> {
  const { callId, status, undoable, approvalId } = result;
  const isError = status !== "ok" && status !== "planned";
  const text = await bounded(result, around);
  const structured = text === result.output ? structuredOf(result, text) : undefined;
  const undo = undoable && around.offersUndo ? [{ type: "text" as const, text: `To take this back: Undo {"call_id": "${callId}"}` }] : [];
  const content: ContentBlock[] = [{ type: "text", text }, ...(await Promise.all(result.content.map(block))), ...undo];
  return {
    content,
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(isError ? { isError: true } : {}),
    _meta: { "karyi/call": { call_id: callId, status, undoable, ...(approvalId === undefined ? {} : { approval_id: approvalId }) } },
  };
}

async function block(part: Content): Promise<ContentBlock> {
  if (part.type === "text") return { type: "text", text: part.text.slice(0, maxCharacters / 4) };
  const image = await fittingImage(part);
  return image === undefined
    ? { type: "text", text: `[image of ${part.data.length} characters left out: it could not be made small enough]` }
    : { type: "image", data: image.data, mimeType: image.mediaType };
}

async function bounded(result: Result, { keep, modelOutputTokens }: ResultSurroundings): Promise<string> {
  const { output, truncated } = result;
  const isShort = output.length <= maxCharacters - noteCharacters;
  if (isShort && estimateTokens(output) <= modelOutputTokens) return output;
  const ref = truncated?.ref ?? (await keep(output));
  const cut = isShort ? output : cutByLength(output, ref);
  // Other scripts than Latin have more tokens a character, so what is short enough for a client may be too much for its model.
  return estimateTokens(cut) <= modelOutputTokens ? cut : cutForModel(output, Math.min(modelOutputTokens, maxTokens), ref);
}

function cutByLength(output: string, ref: string): string {
  const room = maxCharacters - 2 * noteCharacters;
  const head = whole(output.slice(0, Math.floor(room * headShare)));
  const tail = wholeStart(output.slice(output.length - Math.floor(room * (1 - headShare))));
  const left = output.length - head.length - tail.length;
  const note = `[... ${left} characters left out here; read them with ReadOutput {"ref": "${ref}", "offset": ${Buffer.byteLength(head)}} ...]`;
  return `${head}\n\n${note}\n\n${tail}`;
}

/** No half of a character pair at the cut. */
function whole(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function wholeStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}

/** A command's answer is its exit code and both streams; of other tools the text says more than the data. */
function structuredOf({ data, truncated, content, callId, undoable, error }: Result, text: string): JsonObject | undefined {
  if (truncated !== undefined || content.length > 0 || !isCommandAnswer(data)) return undefined;
  const structured: JsonObject = {
    ...data,
    ...(undoable ? { call_id: callId } : {}),
    ...(error === undefined
      ? {}
      : { error: { code: error.code, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) } }),
    ...notesOf(text, data),
  };
  return JSON.stringify(structured).length + text.length <= maxCharacters ? structured : undefined;
}

function isCommandAnswer(data: unknown): data is JsonObject & { readonly stdout: string; readonly stderr: string } {
  const fields = data as { readonly exit_code?: unknown; readonly stdout?: unknown; readonly stderr?: unknown } | null | undefined;
  return (
    typeof fields === "object" &&
    fields !== null &&
    "exit_code" in fields &&
    typeof fields.stdout === "string" &&
    typeof fields.stderr === "string"
  );
}

/** Lines of the text that neither stream printed: what the engine or a hook has to say. */
function notesOf(text: string, { stdout, stderr }: { readonly stdout: string; readonly stderr: string }): JsonObject {
  const printed = new Set([...stdout.split("\n"), ...stderr.split("\n").flatMap((line) => [line, `${stderrMark}${line}`])]);
  const notes = text.split("\n").filter((line) => line.trim() !== "" && line !== noOutputText && !printed.has(line));
  return notes.length === 0 ? {} : { notes };
}
