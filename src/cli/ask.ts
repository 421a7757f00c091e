/** The permission card on a terminal: what would happen, why it is asked, what "always" would mean. */
import type { ValueReply } from "../compose/index.ts";
import type { ApprovalCard, ApprovalReply, ValueRequest } from "../contract/index.ts";
import { say } from "./messages.ts";
import { colourDiff } from "./terminal-style.ts";
import { visible } from "./visible.ts";
import { reasonWords, summaryWords } from "./words.ts";

/** `preview` shows a command as its dry run: what it would change, before the person says yes. */
export async function askOnTerminal(card: ApprovalCard, signal: AbortSignal, preview?: () => Promise<string>): Promise<ApprovalReply> {
  process.stderr.write(`\n${describe(card)}\n`);
  return askAbout(card, signal, preview);
}

async function askAbout(card: ApprovalCard, signal: AbortSignal, preview?: () => Promise<string>): Promise<ApprovalReply> {
  const { isCancel, select, text } = await import("@clack/prompts");
  const { proposal } = card;
  const canPreview = preview !== undefined && card.canRehearse === true;
  const answer = await select({
    message: say("askQuestion"),
    output: process.stderr,
    signal,
    showInstructions: false,
    options: [
      { value: "once" as const, label: say("askOnce") },
      ...(proposal ? [{ value: "always" as const, label: say("askAlways", proposal.rules.join(", ")), hint: hintOf(card) }] : []),
      ...(canPreview ? [{ value: "preview" as const, label: say("askPreview") }] : []),
      { value: "deny" as const, label: say("askDeny") },
    ],
  });
  if (isCancel(answer)) return { answer: "deny" };
  if (answer === "preview") {
    process.stderr.write(`${(await preview?.()) ?? ""}\n`);
    return askAbout(card, signal);
  }
  if (answer !== "deny") return { answer };
  const words = await text({ message: say("askWords"), output: process.stderr, signal });
  return isCancel(words) || !words ? { answer: "deny" } : { answer: "deny", words };
}

/** Hidden input; `undefined` when the person leaves it. */
export async function askHidden(message: string, signal?: AbortSignal): Promise<string | undefined> {
  const { isCancel, password } = await import("@clack/prompts");
  const value = await password({ message, output: process.stderr, ...(signal === undefined ? {} : { signal }) });
  return isCancel(value) ? undefined : value;
}

/** A model asks for a value: why, the value with hidden input, and whether to keep it. What a program asks for is not kept. */
export async function askValueOnTerminal(request: ValueRequest, signal: AbortSignal): Promise<ValueReply> {
  if (request.once) {
    const typed = await askHidden(say("askPassword", visible(request.reason)), signal);
    return typed === undefined ? { kind: "refused" } : { kind: "given", value: typed, scope: "session" };
  }
  const { isCancel, select } = await import("@clack/prompts");
  process.stderr.write(`\n${visible(say("askValueWhy", request.key, request.reason))}\n`);
  const value = await askHidden(say("askValue", request.key), signal);
  if (value === undefined || value === "") return { kind: "refused" };
  const scope = await select({
    message: say("askKeep"),
    output: process.stderr,
    signal,
    showInstructions: false,
    options: [
      { value: "session" as const, label: say("keepSession") },
      { value: "project" as const, label: say("keepProject") },
      { value: "global" as const, label: say("keepGlobal") },
    ],
  });
  return isCancel(scope) ? { kind: "refused" } : { kind: "given", value, scope };
}

function describe(card: ApprovalCard): string {
  const { preview } = card;
  const summary = summaryWords(card);
  const lines = [say("askTitle", visible(summary)), say("askWhy", visible(reasonWords(card.rule, card.reason)))];
  // A command that stands in the title whole is not shown twice.
  if (preview?.type === "command") lines.push(...(summary.includes(preview.command) ? [] : [say("askCommand"), visible(preview.command)]));
  else if (preview) lines.push(colourDiff(visible(preview.text), process.stderr));
  return lines.join("\n");
}

function hintOf({ proposal }: ApprovalCard): string {
  if (!proposal) return "";
  const parts: string[] = [];
  if (proposal.alsoAllows.length > 0) parts.push(say("alsoAllows", proposal.alsoAllows.join(" · ")));
  if (proposal.stillAsks.length > 0) parts.push(say("stillAsks", proposal.stillAsks.join(" · ")));
  return parts.join("; ");
}
