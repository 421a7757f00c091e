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
  type FileChange,
  type PolicyInForce,
  type RehearsedBody,
  type Tool,
  ToolFailure,
} from "../contract/index.ts";
import { policyVersion, proposeRules } from "../policy/index.ts";
import { asJson, hashOf } from "./canonical.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Planned, Prepared } from "./prepare.ts";
import { callStart, requestOf } from "./records.ts";
import type { Session } from "./session.ts";

export type GateOutcome =
  | { readonly kind: "open"; readonly approvalId?: string }
  | { readonly kind: "suspended"; readonly approvalId: string; readonly summary: string };

export interface GateRequest {
  readonly session: Session;
  readonly call: Call;
  readonly prepared: Prepared | Planned;
  readonly decision: Decision;
  /** Wait for the answer, or return `suspended`. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
  /** What the call came to where nothing counts. */
  readonly rehearsal?: CardRehearsal;
  /** The call was begun as a rehearsal: it is in the records and in the stream already. */
  readonly begun?: boolean;
}

/** A rehearsal as a card shows it. */
export interface CardRehearsal {
  readonly report: RehearsedBody;
  readonly output: string;
  readonly changes?: readonly FileChange[];
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
    const planHash = planHashOf(request, request.rehearsal?.report ?? earlier?.card.rehearsal);
    if (earlier) return this.#reuse(request, earlier, planHash);
    const { approve, asking } = this.#dependencies.asker(request.session.record);
    if (!approve && asking === "nobody") throw nobodyToAsk(decision);
    const record = await this.#ask(request, planHash);
    if (approve) return this.#consult(request, record, (signal) => approve(record.card, signal));
    if (request.wait) return this.#consult(request, record);
    return { kind: "suspended", approvalId: record.id, summary: record.card.summary };
  }

  /** The question about exactly this call that is open or answered and unused, by whatever id it was made; else a new one. */
  async askAgain(request: GateRequest): Promise<ApprovalRecord> {
    const planHash = planHashOf(request, undefined);
    const version = this.#policyVersion(request.session);
    const known = await this.#dependencies.store.listApprovals({ sessionId: request.session.record.id });
    const same = known.filter((record) => record.planHash === planHash && record.policyVersion === version);
    const live = (["granted", "pending", "refused"] as const).map((status) => same.find((record) => record.status === status));
    return live.find((record) => record !== undefined) ?? this.#ask(request, planHash);
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
      ...(reply.nonce === undefined ? {} : { nonce: reply.nonce }),
    });
    if (!record) return undefined;
    if (reply.answer === "always" && record.card.proposal) await this.#remember(record);
    await this.#feed.append(record.sessionId, [permissionResult(record, this.#dependencies.masker)]);
    return record;
  }

  /** The question as it is now: a plan or a policy that changed has another card and another nonce. */
  async renew(request: GateRequest, record: ApprovalRecord): Promise<ApprovalRecord> {
    const planHash = planHashOf(request, request.rehearsal?.report ?? record.card.rehearsal);
    const policyVersionNow = this.#policyVersion(request.session);
    if (planHash === record.planHash && policyVersionNow === record.policyVersion) return record;
    const { store, newId } = this.#dependencies;
    const card = this.#card(request, record.id);
    const renewed = { id: record.id, card, planHash, nonce: newId(), policyVersion: policyVersionNow };
    return (await store.renewApproval(renewed)) ?? record;
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
    const { begun = false } = request;
    const asks = permissionRequest(card);
    const events = await store.requestApproval({ record, call, events: begun ? [asks] : [...start.events, asks], rehearsed: begun });
    this.#feed.publish(events);
    return { ...record, status: "pending" };
  }

  #card(request: GateRequest, approvalId: string): ApprovalCard {
    const { session, call, prepared, decision, rehearsal } = request;
    const { masker, policy } = this.#dependencies;
    const { mode, rules, world } = policy(session.record);
    const { plan, tool, traits } = prepared;
    const proposal = proposeRules(
      { tool: tool.name, traits, effects: plan.effects, mode, rules, rehearsable: plan.rehearsable === true },
      decision,
      world,
    );
    const canRehearse = !call.foreign && !rehearsal && (tool as Partial<Tool>).rehearse !== undefined;
    return masker.maskJson<ApprovalCard>({
      approvalId,
      sessionId: session.record.id,
      callId: call.id,
      tool: tool.name,
      input: asJson(prepared.input),
      cwd: session.cwd,
      summary: plan.summary,
      effects: plan.effects,
      verdicts: decision.effects,
      ...(plan.class === undefined ? {} : { class: plan.class }),
      ...(plan.preview === undefined ? {} : { preview: plan.preview }),
      rule: decision.rule,
      reason: decision.reason,
      ...(decision.because === undefined ? {} : { because: decision.because }),
      ...(proposal.rules.length === 0 ? {} : { proposal }),
      ...(canRehearse ? { canRehearse } : {}),
      ...(rehearsal ? cardOf(rehearsal) : {}),
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
      const { approve } = this.#dependencies.asker(request.session.record);
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
    // Rules added by "always" only widen, so they are left out: one answer must not void the others.
    const versionOf = ({ mode, rules, world, parent }: PolicyInForce): string =>
      [policyVersion({ ...rules, allow: [] }, mode, world), ...(parent ? [versionOf(parent)] : [])].join(" ");
    return versionOf(this.#dependencies.policy(session.record));
  }

  async #remember(record: ApprovalRecord): Promise<void> {
    const session = await this.#dependencies.store.session(record.sessionId);
    const { proposal, rehearsal } = record.card;
    // A rehearsal shows whether the network is wanted; what was asked about beforehand keeps what the config gives.
    const offline = rehearsal !== undefined && rehearsal.network_attempts === 0;
    if (session) await this.#dependencies.rememberRules(session.workspace, proposal?.rules ?? [], offline);
  }
}

/** What a rehearsal showed is committed without a second run: then nothing depends on what would be run by now. */
function planHashOf({ session, prepared }: GateRequest, rehearsed: RehearsedBody | undefined): string {
  const { tool, input, plan } = prepared;
  const { effects, preview, changes, runs } = plan;
  return hashOf({ tool: tool.name, input, cwd: session.cwd, effects, preview, changes, ...(rehearsed?.change_set ? {} : { runs }) });
}

export function denial(decision: Decision): ToolFailure {
  return new ToolFailure(decision.code ?? "permission_denied", `Not allowed: ${decision.reason}.`, {
    hint: decision.byMode
      ? "Only look and plan now; a person leaves plan mode, with --mode or in the session."
      : "Do it another way, or ask the person to change the policy; `karyi policy explain` shows why.",
    details: { reason: "denied_by_policy", rule: decision.rule, ...(decision.byMode && { by_mode: true }) },
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

function cardOf({ report, output, changes }: CardRehearsal): Pick<ApprovalCard, "rehearsal" | "output" | "changes"> {
  return { rehearsal: report, output, ...(changes === undefined ? {} : { changes }) };
}

function permissionRequest({ approvalId, callId, tool, summary, reason, rule, rehearsal, class: kind }: ApprovalCard): EventDraft {
  return {
    type: "permission_request",
    callId,
    body: {
      approval_id: approvalId,
      tool,
      summary,
      reason,
      rule,
      ...(kind === undefined ? {} : { class: kind }),
      ...(rehearsal === undefined ? {} : { rehearsal }),
    },
  };
}

function permissionResult({ id, callId, answer, answeredBy, words }: ApprovalRecord, masker: EngineDependencies["masker"]): EventDraft {
  return {
    type: "permission_result",
    callId,
    body: {
      approval_id: id,
      answer: answer ?? null,
      answered_by: answeredBy ?? null,
      // A person may quote a value that is secret.
      ...(words === undefined ? {} : { words: masker.mask(words) }),
    },
  };
}
