/** An approval as a form of the client: the card as text, the three answers, and how what comes back is understood. */
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import type { Answer, ApprovalCard, ApprovalReply } from "../../contract/index.ts";

const maxMessage = 12_000;
const answers: readonly Answer[] = ["once", "always", "deny"];

export function approvalForm(card: ApprovalCard): ElicitRequestFormParams {
  return {
    message: messageOf(card),
    requestedSchema: {
      type: "object",
      properties: {
        answer: {
          type: "string",
          title: "Answer",
          description: "once: this call only. always: also calls like it. deny: do not do it.",
          enum: [...answers],
        },
      },
      required: ["answer"],
    },
  };
}

/** Everything but a clear yes is a no. */
export function replyOf(result: Pick<ElicitResult, "action" | "content">): ApprovalReply {
  const given = result.action === "accept" ? result.content?.answer : undefined;
  const answer = answers.find((candidate) => candidate === given) ?? "deny";
  return { answer };
}

function messageOf({ tool, summary, reason, preview, rehearsal, output, changes, input, proposal }: ApprovalCard): string {
  const command = (input as { readonly command?: unknown } | null)?.command;
  const diffs = (changes ?? []).flatMap(({ path, change, diff }) => [`${change} ${path}`, ...(diff === undefined ? [] : [diff])]);
  const parts = [
    `${tool}: ${summary}`,
    ...(typeof command === "string" && !summary.includes(command) ? [`Command:\n${command}`] : []),
    `Asked because: ${reason}`,
    ...(preview?.type === "diff" || preview?.type === "text" ? [preview.text] : []),
    ...(rehearsal === undefined
      ? []
      : [
          `It was rehearsed where nothing counts: exit code ${rehearsal.exit_code ?? "none"}, ${rehearsal.changes_total} change(s).`,
          ...rehearsal.withheld.map(({ kind, name }) => `Withheld: ${kind}${name === undefined ? "" : ` ${name}`}`),
        ]),
    ...diffs,
    ...(output === undefined || output === "" ? [] : [`Output:\n${output}`]),
    ...(proposal === undefined ? [] : [`"always" would add: ${proposal.rules.join(", ")}`]),
  ];
  const message = parts.join("\n\n");
  return message.length <= maxMessage
    ? message
    : `${message.slice(0, maxMessage - 60)}\n[... ${message.length - maxMessage + 60} characters more]`;
}
