/** `karyi evolve`: what models proposed as new tools, and the person's word about it. */
import type { openProposals } from "../../compose/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, warn } from "../front.ts";
import { say } from "../messages.ts";
import { colourDiff, styled } from "../terminal-style.ts";
import { padded } from "../text-width.ts";
import { oneLine, visible } from "../visible.ts";

type Book = ReturnType<typeof openProposals>;
type Proposal = Awaited<ReturnType<Book["find"]>>;

async function bookOf(flags: GlobalFlags): Promise<Book> {
  const { openProposals, placesOf } = await import("../../compose/index.ts");
  return openProposals((await placesOf(flags.workspace, flags.home, process.env)).home);
}

const brief = ({ id, name, version, status }: Proposal) => ({ id, name, version, status });

export async function listProposals(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const proposals = await (await bookOf(flags)).list();
  if (flags.json) printJson({ proposals: proposals.map(brief) });
  else if (proposals.length === 0) print(say("noProposals"));
  else {
    const width = Math.max(...proposals.map(({ id }) => id.length)) + 2;
    print(
      proposals
        .map(
          ({ id, status, description }) =>
            `${padded(styled("bold", oneLine(id), process.stdout), width)}${padded(status, 10)}${oneLine(description)}`,
        )
        .join("\n"),
    );
  }
  return exitCodes.done;
}

export async function showProposal([id = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  const book = await bookOf(flags);
  const proposal = await book.find(id);
  const { makeDiff } = await import("../../compose/index.ts");
  const before = await book.before(proposal);
  const difference = makeDiff(proposal.name, before?.script ?? "", proposal.script);
  const { description, inputSchema, script, reason, sessionId, createdAt } = proposal;
  if (flags.json) {
    printJson({
      ...brief(proposal),
      description,
      input_schema: inputSchema,
      script,
      reason,
      diff: difference,
      previous_version: before?.version ?? null,
      session_id: sessionId,
      created_at: new Date(createdAt).toISOString(),
    });
    return exitCodes.done;
  }
  const head = `${styled("bold", oneLine(proposal.name), process.stdout)}  v${proposal.version}  ${proposal.status}`;
  const lines = [
    head,
    oneLine(description),
    "",
    `${say("proposalReason")} ${visible(reason)}`,
    "",
    visible(JSON.stringify(inputSchema, undefined, 2)),
    "",
    visible(script),
  ];
  if (before !== undefined)
    lines.push("", say("proposalDifference", before.version), colourDiff(visible(difference.trimEnd()), process.stdout));
  print(lines.join("\n"));
  return exitCodes.done;
}

export const approveProposal = decision("approved");
export const rejectProposal = decision("rejected");

function decision(status: "approved" | "rejected") {
  return async ([id = ""]: readonly string[], flags: GlobalFlags): Promise<number> => {
    const decided = await (await bookOf(flags)).decide(id, status, Date.now());
    if (flags.json) printJson(brief(decided));
    else print(say(status === "approved" ? "proposalApproved" : "proposalRejected", decided.name, decided.version));
    return exitCodes.done;
  };
}

export async function revokeTool([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  const revoked = await (await bookOf(flags)).revoke(name, Date.now());
  if (flags.json) printJson({ name, revoked: revoked.map(brief) });
  else warn(say("proposalRevoked", name));
  return exitCodes.done;
}
