/** The permission card on a terminal: what would happen, why it is asked, what "always" would mean. */

import type { ApprovalCard, ApprovalReply, ValueReply, ValueRequest } from "../contract/index.ts";
import { alwaysLines, effectLines } from "./card-lines.ts";
import { showedNow, unseenNow } from "./live-output.ts";
import { say } from "./messages.ts";
import { rehearsalLines } from "./rehearsal-card.ts";
import { shortId } from "./short-id.ts";
import { colourDiff } from "./terminal-style.ts";
import { visible } from "./visible.ts";
import { reasonWords, summaryWords } from "./words.ts";

/** `preview` shows a command as its dry run: what it would change, before the person says yes. */
export async function askOnTerminal(
  card: ApprovalCard,
  signal: AbortSignal,
  workspace: string,
  preview?: () => Promise<string>,
): Promise<ApprovalReply> {
  process.stderr.write(`\n${describe(card, workspace)}\n`);
  return askAbout(card, signal, preview);
}

async function askAbout(card: ApprovalCard, signal: AbortSignal, preview?: () => Promise<string>): Promise<ApprovalReply> {
  const { isCancel, select, text } = await import("@clack/prompts");
  const { proposal, rehearsal } = card;
  const canPreview = preview !== undefined && card.canRehearse === true;
  const choose = (own: AbortSignal) =>
    select({
      message: say("askQuestion"),
      output: process.stderr,
      signal: own,
      showInstructions: false,
      options: [
        {
          value: "once" as const,
          label: say(rehearsal === undefined ? "askOnce" : rehearsal.change_set === null ? "askForReal" : "askCommit"),
        },
        ...(proposal ? [{ value: "always" as const, label: say("askAlways", proposal.rules.join(", ")), hint: hintOf(card) }] : []),
        ...(canPreview ? [{ value: "preview" as const, label: say("askPreview") }] : []),
        { value: "deny" as const, label: say(rehearsal?.change_set ? "askDrop" : "askDeny") },
      ],
    });
  const answer = await untilAnswered(choose, signal);
  if (isCancel(answer)) return { answer: "deny" };
  if (answer === "preview") {
    process.stderr.write(`${(await preview?.()) ?? ""}\n`);
    if (signal.aborted) return { answer: "deny" };
    return askAbout(card, signal);
  }
  if (answer !== "deny") return { answer };
  const words = await untilAnswered((own) => text({ message: say("askWords"), output: process.stderr, signal: own }), signal);
  return isCancel(words) || !words ? { answer: "deny" } : { answer: "deny", words };
}

/** A prompt that was answered no longer hears `signal`: it would end a second time, and break a line of what came after it. */
async function untilAnswered<T>(prompt: (own: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const own = new AbortController();
  const stop = () => own.abort();
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await prompt(own.signal);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Hidden input; `undefined` when the person leaves it. */
export async function askHidden(message: string, signal?: AbortSignal): Promise<string | undefined> {
  const { isCancel, password } = await import("@clack/prompts");
  const value = await untilAnswered((own) => password({ message, output: process.stderr, signal: own }), signal);
  return isCancel(value) ? undefined : value;
}

/** A model asks for a value: why, the value with hidden input, and whether to keep it. What a program asks for is not kept. */
export async function askValueOnTerminal(request: ValueRequest, signal: AbortSignal): Promise<ValueReply> {
  if (request.once) {
    const question = request.server === undefined ? say("askPassword", visible(request.reason)) : serverQuestion(request.server, request);
    const typed = await askHidden(question, signal);
    return typed === undefined ? { kind: "refused" } : { kind: "given", value: typed, scope: "session" };
  }
  const { isCancel, select } = await import("@clack/prompts");
  process.stderr.write(`\n${visible(say("askValueWhy", request.key, request.reason))}\n`);
  const value = await askHidden(say("askValue", request.key), signal);
  if (value === undefined || value === "") return { kind: "refused" };
  const choose = (own: AbortSignal) =>
    select({
      message: say("askKeep"),
      output: process.stderr,
      signal: own,
      showInstructions: false,
      options: [
        { value: "session" as const, label: say("keepSession") },
        { value: "project" as const, label: say("keepProject") },
        { value: "global" as const, label: say("keepGlobal") },
      ],
    });
  const scope = await untilAnswered(choose, signal);
  return isCancel(scope) ? { kind: "refused" } : { kind: "given", value, scope };
}

function serverQuestion(server: string, { key, reason }: ValueRequest): string {
  process.stderr.write(`\n${visible(say("askServer", server, reason))}\n`);
  return say("askValue", visible(key));
}

function describe(card: ApprovalCard, workspace: string): string {
  const { preview } = card;
  const summary = summaryWords(card);
  const lines = [say("askTitle", visible(summary)), say("askWhy", visible(reasonWords(card)))];
  // A command that stands in the title whole is not shown twice.
  if (preview?.type === "command") lines.push(...(summary.includes(preview.command) ? [] : [say("askCommand"), visible(preview.command)]));
  else if (preview) lines.push(...cutPreview(colourDiff(visible(preview.text), process.stderr), card.approvalId));
  const beside = [...effectLines(card, workspace, mostEffects), ...alwaysLines(card)];
  const output = unseenNow(card.output ?? "");
  const { isTTY, rows } = process.stderr;
  const screen = { isTTY, ...(rows === undefined ? {} : { rows: rows - beside.length }) };
  const rehearsed = rehearsalLines({ ...card, output }, workspace, screen);
  // An output that was cut here is told whole with the result.
  if (output.split("\n").every((line) => line === "" || rehearsed.includes(line))) showedNow(output);
  lines.push(...rehearsed, ...beside);
  return lines.join("\n");
}

const mostEffects = 12;
/** Title, reason, effects, answers and a little air. */
const rowsAround = 18;
const leastRows = 10;

/** A long diff must not push the question off the screen. */
function cutPreview(text: string, approvalId: string): string[] {
  const lines = text.trimEnd().split("\n");
  const { rows } = process.stderr;
  const room = rows === undefined ? Number.POSITIVE_INFINITY : Math.max(leastRows, rows - rowsAround);
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), say("moreLines", lines.length - room + 1, shortId(approvalId))];
}

function hintOf({ proposal }: ApprovalCard): string {
  if (!proposal) return "";
  const parts: string[] = [];
  if (proposal.alsoAllows.length > 0) parts.push(say("alsoAllows", proposal.alsoAllows.join(" · ")));
  if (proposal.stillAsks.length > 0) parts.push(say("stillAsks", proposal.stillAsks.join(" · ")));
  return parts.join("; ");
}
