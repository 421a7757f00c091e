/**
 * Third stage: an ask becomes a record bound to the exact call; a person's answer, from wherever it
 * comes, opens the gate once. Nobody to ask is a denial. The decision is committed before it is acted on.
 */
import {
  type Answer,
  type ApprovalCard,
  type ApprovalRecord,
  type ApprovalReply,
  type Call,
  type Decision,
  type EventDraft,
  ToolFailure,
} from "../contract/index.ts";
import { policyVersion, proposeRules } from "../policy/index.ts";
import { asJson, hashOf } from "./canonical.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Prepared } from "./prepare.ts";
import { callStart, requestOf } from "./records.ts";
import type { Session } from "./session.ts";

export type GateOutcome =
  | { readonly kind: "open"; readonly approvalId?: string }
  | { readonly kind: "suspended"; readonly approvalId: string; readonly summary: string };

export interface GateRequest {
  readonly session: Session;
  readonly call: Call;
  readonly prepared: Prepared;
  readonly decision: Decision;
  /** Wait for the answer, or return `suspended`. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
}

export class Gate {
  readonly #dependencies: EngineDependencies;
  readonly #feed: EventFeed;

  constructor(dependencies: EngineDependencies, feed: EventFeed) {
    this.#dependencies = dependencies;
    this.#feed = feed;
  }

  /** Throws a ToolFailure when the call is denied. */
  async pass(request: GateRequest, earlier?: ApprovalRecord): Promise<GateOutcome> {
    const { decision } = request;
    if (decision.verdict === "deny") throw denial(decision);
    if (decision.verdict === "allow") return { kind: "open" };
    const planHash = planHashOf(request);
    if (earlier) return this.#reuse(request, earlier, planHash);
    const { approve, asking } = this.#dependencies;
    if (!approve && asking === "nobody") throw nobodyToAsk(decision);
    const record = await this.#ask(request, planHash);
    if (approve) return this.#consult(request, record, (signal) => approve(record.card, signal));
    if (request.wait) return this.#consult(request, record);
    return { kind: "suspended", approvalId: record.id, summary: record.card.summary };
  }

  /** Records a person's answer and says so in the session's stream. `undefined` when it was answered before. */
  async answer(id: string, reply: ApprovalReply, answeredBy: string): Promise<ApprovalRecord | undefined> {
    const { store, now } = this.#dependencies;
    const record = await store.answerApproval({
      id,
      answer: reply.answer,
      answeredBy,
      now: now(),
      ...(reply.words === undefined ? {} : { words: reply.words }),
    });
    if (!record) return undefined;
    if (reply.answer === "always" && record.card.proposal) await this.#remember(record);
    await this.#feed.append(record.sessionId, [permissionResult(record)]);
    return record;
  }

  async #ask(request: GateRequest, planHash: string): Promise<ApprovalRecord> {
    const { store, now, newId, limits } = this.#dependencies;
    const id = newId();
    const card = this.#card(request, id);
    const createdAt = now();
    const record: Omit<ApprovalRecord, "status"> = {
      id,
      sessionId: request.session.record.id,
      callId: request.call.id,
      card,
      createdAt,
      planHash,
      nonce: newId(),
      policyVersion: this.#policyVersion(request.session),
      expiresAt: createdAt + limits.approvalTtlMs,
    };
    const start = callStart(request.session, request.call, request.prepared, this.#dependencies);
    const call = { ...start.call, request: requestOf(request.call, this.#dependencies) };
    const events = await store.requestApproval({ record, call, events: [...start.events, permissionRequest(card)] });
    this.#feed.publish(events);
    return { ...record, status: "pending" };
  }

  #card(request: GateRequest, approvalId: string): ApprovalCard {
    const { session, call, prepared, decision } = request;
    const { masker, policy } = this.#dependencies;
    const { mode, rules, world } = policy(session.record);
    const { plan, tool, traits } = prepared;
    const proposal = proposeRules({ tool: tool.name, traits, effects: plan.effects, mode, rules }, decision, world);
    return masker.maskJson<ApprovalCard>({
      approvalId,
      sessionId: session.record.id,
      callId: call.id,
      tool: tool.name,
      input: asJson(prepared.input),
      cwd: session.cwd,
      summary: plan.summary,
      effects: plan.effects,
      ...(plan.preview === undefined ? {} : { preview: plan.preview }),
      rule: decision.rule,
      reason: decision.reason,
      ...(proposal.rules.length === 0 ? {} : { proposal }),
      ...(tool.rehearse ? { canRehearse: true } : {}),
    });
  }

  /** Waits for whoever answers first: the person asked here, or somebody elsewhere. */
  async #consult(
    request: GateRequest,
    record: ApprovalRecord,
    ask?: (signal: AbortSignal) => Promise<Answer | ApprovalReply>,
  ): Promise<GateOutcome> {
    const stop = new AbortController();
    const signal = AbortSignal.any([request.signal, stop.signal]);
    try {
      const elsewhere = this.#waitForAnswer(record.id, signal);
      if (!ask) return this.#open(request, await elsewhere);
      const here = ask(signal).then(async (reply) => {
        const words = typeof reply === "string" ? { answer: reply } : reply;
        return (await this.answer(record.id, words, "callback")) ?? (await this.#waitForAnswer(record.id, signal));
      });
      return this.#open(request, await Promise.race([here, elsewhere]));
    } finally {
      stop.abort();
    }
  }

  async #waitForAnswer(id: string, signal: AbortSignal): Promise<ApprovalRecord> {
    for (;;) {
      const changed = this.#dependencies.store.changed(signal);
      const record = await this.#dependencies.store.approval(id);
      if (record?.status !== "pending") {
        changed.catch(() => {});
        if (record) return record;
        throw new ToolFailure("permission_denied", "The approval is gone.", { details: { reason: "approval_missing" } });
      }
      await changed;
      if (signal.aborted) throw new ToolFailure("cancelled", "The call was ended while it waited for an answer.");
    }
  }

  #open(request: GateRequest, record: ApprovalRecord): GateOutcome {
    switch (record.status) {
      case "granted":
        return { kind: "open", approvalId: record.id };
      case "refused":
        throw refusal(request.decision, record);
      default:
        throw new ToolFailure("permission_denied", `The approval is ${record.status}.`, {
          details: { reason: `approval_${record.status}` },
        });
    }
  }

  /** A call that was asked about before: the old answer counts only for exactly what it was given for. */
  async #reuse(request: GateRequest, record: ApprovalRecord, planHash: string): Promise<GateOutcome> {
    if (record.status === "pending") {
      const { approve } = this.#dependencies;
      if (approve) return this.#consult(request, record, (signal) => approve(record.card, signal));
      if (request.wait) return this.#consult(request, record);
      return { kind: "suspended", approvalId: record.id, summary: record.card.summary };
    }
    if (record.status === "granted" && record.planHash !== planHash) {
      throw new ToolFailure("tool_conflict", "What was approved is no longer what this call would do.", {
        hint: "Make the call again, so that it is shown and asked about as it is now.",
        details: { reason: "plan_changed", approval_id: record.id },
      });
    }
    if (record.status === "granted" && record.policyVersion !== this.#policyVersion(request.session)) {
      throw new ToolFailure("permission_denied", "The policy changed after this call was approved.", {
        hint: "Make the call again, so that it is judged by the policy of now.",
        details: { reason: "policy_changed", approval_id: record.id },
      });
    }
    return this.#open(request, record);
  }

  #policyVersion(session: Session): string {
    const { mode, rules, world } = this.#dependencies.policy(session.record);
    // Rules added by "always" only widen, so they are left out: one answer must not void the others.
    return policyVersion({ ...rules, allow: [] }, mode, world);
  }

  async #remember(record: ApprovalRecord): Promise<void> {
    const session = await this.#dependencies.store.session(record.sessionId);
    if (session) await this.#dependencies.rememberRules(session.workspace, record.card.proposal?.rules ?? []);
  }
}

function planHashOf({ session, prepared }: GateRequest): string {
  const { tool, input, plan } = prepared;
  const { effects, preview, changes } = plan;
  return hashOf({ tool: tool.name, input, cwd: session.cwd, effects, preview, changes });
}

export function denial(decision: Decision): ToolFailure {
  return new ToolFailure(decision.code ?? "permission_denied", `Not allowed: ${decision.reason}.`, {
    hint: "Do it another way, or ask the person to change the policy; `karyi policy explain` shows why.",
    details: { reason: "denied_by_policy", rule: decision.rule },
  });
}

function nobodyToAsk(decision: Decision): ToolFailure {
  return new ToolFailure("permission_denied", `This needs a person's approval (${decision.reason}) and nobody can be asked here.`, {
    hint: "Run it on a terminal, or with --approve, or add an allow rule to the config.",
    details: { reason: "nobody_to_ask", rule: decision.rule },
  });
}

function refusal(decision: Decision, record: ApprovalRecord): ToolFailure {
  const words = record.words ? ` They said: ${record.words}` : "";
  return new ToolFailure("permission_denied", `The person said no.${words}`, {
    hint: "Do not try the same again; ask what they want instead.",
    details: {
      reason: "refused",
      rule: decision.rule,
      approval_id: record.id,
      ...(record.words === undefined ? {} : { words: record.words }),
    },
  });
}

function permissionRequest(card: ApprovalCard): EventDraft {
  return {
    type: "permission_request",
    callId: card.callId,
    body: { approval_id: card.approvalId, tool: card.tool, summary: card.summary, reason: card.reason, rule: card.rule },
  };
}

function permissionResult(record: ApprovalRecord): EventDraft {
  return {
    type: "permission_result",
    callId: record.callId,
    body: { approval_id: record.id, answer: record.answer ?? null, answered_by: record.answeredBy ?? null },
  };
}
