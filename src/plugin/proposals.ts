/**
 * The proposals of a home: made by models, decided by people. Owns versions, the limit of a session, and which version of a
 * name is in force. Refuses a second decision about the same proposal.
 */
import { type Json, ToolFailure } from "../contract/index.ts";
import type { Proposal, ProposalStatus, ProposalText } from "./proposal.ts";

export const maxProposalsOfSession = 10;

/** One file each, written whole. */
export interface ProposalFiles {
  readAll(): Promise<readonly Json[]>;
  /** False if the name is taken. */
  create(name: string, value: Json): Promise<boolean>;
  replace(name: string, value: Json): Promise<void>;
}

export class Proposals {
  readonly #files: ProposalFiles;

  constructor(files: ProposalFiles) {
    this.#files = files;
  }

  /** Oldest first. */
  async list(): Promise<readonly Proposal[]> {
    const all = (await this.#files.readAll()) as unknown as readonly Proposal[];
    return [...all].sort((a, b) => a.createdAt - b.createdAt || a.version - b.version);
  }

  async find(id: string): Promise<Proposal> {
    const found = (await this.list()).find((proposal) => proposal.id === id);
    if (found !== undefined) return found;
    throw new ToolFailure("tool_not_found", `There is no proposal '${id}'.`, {
      hint: "`karyi evolve list` shows them.",
      details: { reason: "proposal_not_found" },
    });
  }

  async countOfSession(sessionId: string): Promise<number> {
    return (await this.list()).filter((proposal) => proposal.sessionId === sessionId).length;
  }

  /** The newest version of a name that came before: what a new one is compared with. */
  async before({ name, version }: Pick<Proposal, "name" | "version">): Promise<Proposal | undefined> {
    return (await this.list()).filter((other) => other.name === name && other.version < version).at(-1);
  }

  async add(text: ProposalText, sessionId: string, now: number): Promise<Proposal> {
    const versions = (await this.list()).filter(({ name }) => name === text.name).map(({ version }) => version);
    for (let version = Math.max(0, ...versions) + 1; ; version += 1) {
      // The id is the name and the version, so two processes never make the same one.
      const id = `${text.name}@${version}`;
      const proposal: Proposal = { ...text, id, version, status: "pending", sessionId, createdAt: now };
      if (await this.#files.create(id, proposal as unknown as Json)) return proposal;
    }
  }

  async decide(id: string, status: "approved" | "rejected", now: number): Promise<Proposal> {
    const proposal = await this.find(id);
    if (proposal.status !== "pending") {
      throw new ToolFailure("tool_conflict", `The proposal '${id}' is ${proposal.status} already.`, {
        details: { reason: "already_decided" },
      });
    }
    return this.#set(proposal, status, now);
  }

  /** Takes back every approved version of a name; answers them. */
  async revoke(name: string, now: number): Promise<readonly Proposal[]> {
    const approved = (await this.list()).filter((proposal) => proposal.name === name && proposal.status === "approved");
    if (approved.length === 0) {
      throw new ToolFailure("tool_not_found", `No approved tool is named '${name}'.`, {
        hint: "`karyi evolve list` shows them.",
        details: { reason: "proposal_not_found" },
      });
    }
    return Promise.all(approved.map((proposal) => this.#set(proposal, "revoked", now)));
  }

  /** Of each name the newest approved version. */
  async inForce(): Promise<readonly Proposal[]> {
    const approved = (await this.list()).filter(({ status }) => status === "approved");
    return [...new Map(approved.map((proposal) => [proposal.name, proposal])).values()];
  }

  async #set(proposal: Proposal, status: ProposalStatus, decidedAt: number): Promise<Proposal> {
    const decided: Proposal = { ...proposal, status, decidedAt };
    await this.#files.replace(proposal.id, decided as unknown as Json);
    return decided;
  }
}
