/** Second stage: the policy judges the plan's effects, then hooks may tighten it or answer an ask. */
import {
  type AgentKit,
  because,
  type Call,
  type Decision,
  type Effect,
  type HookCall,
  type JsonObject,
  type PolicyInForce,
  type PolicyWorld,
  reasonText,
} from "../contract/index.ts";
import { decide, isCovered, strictest } from "../policy/index.ts";
import { asJson } from "./canonical.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { answeredByCaller, answeredElsewhere, systemPathsDenied } from "./direct-call.ts";
import { runHooks } from "./hooks.ts";
import type { Planned, Prepared } from "./prepare.ts";
import type { Session } from "./session.ts";

export interface Judgement {
  readonly decision: Decision;
  /** Text hooks want the model to read. */
  readonly additions: readonly string[];
}

export function judge(session: Session, call: Call, prepared: Planned, dependencies: EngineDependencies): Decision {
  const hidden = placeholdersInEffects(prepared, session);
  const { tool, traits, plan } = prepared;
  const effects: readonly Effect[] =
    hidden.length === 0
      ? plan.effects
      : [...plan.effects, { kind: "unknown", reason: `decided by the secure variable ${hidden.join(", ")}` }];
  const doubtful = call.cutOff === true || (call.repaired?.length ?? 0) > 0;
  const judgedBy = ({ mode, rules, world: surroundings }: PolicyInForce): Decision => {
    const world = call.direct ? systemPathsDenied(surroundings) : surroundings;
    // What does not run confined has the machine's own temporary directories.
    const escapes = (world.sandboxed || world.temporary.length > 0) && plan.confined !== true;
    const rehearsable = world.rehearses === true && plan.rehearsable === true;
    return decide(
      {
        tool: tool.name,
        traits,
        effects,
        mode,
        rules: mode === "plan" ? { ...rules, allow: rules.allow.filter(isAboutLooking) } : rules,
        rehearsable,
        doubtful,
      },
      escapes ? unconfined(world) : world,
    );
  };
  const policy = dependencies.policy(session.record);
  const decision = strictest(chainOf(policy).map(judgedBy));
  const kit = dependencies
    .toolkits(session.record)
    .find(({ only }) => only !== undefined && !isCovered(only, { tool: tool.name, effects }, policy.world));
  if (kit !== undefined && decision.verdict !== "deny") return outsideKit(decision, kit);
  if (call.judged) return answeredElsewhere(decision);
  return call.direct ? answeredByCaller(decision, session.roots) : decision;
}

function unconfined({ withholds: _, ...world }: PolicyWorld): PolicyWorld {
  return { ...world, sandboxed: false, temporary: [] };
}

/** What the rules of an agent's toolkit do not cover is not available to it, whoever would allow it. */
function outsideKit(decision: Decision, { agent, only = [] }: AgentKit): Decision {
  const why = because("not_in_toolkit", { agent, tools: only.join(", ") });
  return { ...decision, verdict: "deny", rule: `toolkit:${agent}`, reason: reasonText(why), because: why, code: "permission_denied" };
}

/** The session's own policy, then its parents'. */
function chainOf(policy: PolicyInForce): readonly PolicyInForce[] {
  return policy.parent === undefined ? [policy] : [policy, ...chainOf(policy.parent)];
}

/** In `plan` a rule that allows a command must not make what it changes count. */
function isAboutLooking(rule: string): boolean {
  return /^(?:Read|WebFetch|WebSearch|Glob|Grep|List)\b/.test(rule);
}

export async function judgeWithHooks(
  session: Session,
  call: Call,
  prepared: Prepared,
  dependencies: EngineDependencies,
  signal: AbortSignal,
): Promise<Judgement> {
  let decision = judge(session, call, prepared, dependencies);
  if (dependencies.hooks.length === 0 || decision.verdict === "deny") return { decision, additions: [] };
  const hookCall: HookCall = {
    event: "before",
    sessionId: session.record.id,
    callId: call.id,
    tool: prepared.tool.name,
    input: dependencies.masker.maskJson(asJson(prepared.input)),
    cwd: session.cwd,
    summary: dependencies.masker.mask(prepared.plan.summary),
    effects: dependencies.masker.maskJson(prepared.plan.effects),
  };
  const replies = await runHooks(dependencies.hooks, hookCall, signal, dependencies.log);
  const additions: string[] = [];
  // The strictest word counts, whatever the order: one hook's `allow` must not answer the ask of another that failed.
  const strictest = (["deny", "ask", "allow"] as const).flatMap((word) => replies.find((reply) => reply.decision === word) ?? [])[0];
  if (strictest) decision = tighten(decision, strictest.decision, dependencies.policy(session.record).mode === "plan", strictest.reason);
  for (const reply of replies) if (reply.add !== undefined) additions.push(reply.add);
  return { decision, additions };
}

/** A hook's `allow` answers an ask; it never lifts a denial, and a denial by a hook stays one. */
function tighten(decision: Decision, word: "allow" | "deny" | "ask" | undefined, isPlanning: boolean, words?: string): Decision {
  if (decision.verdict === "deny" || word === undefined) return decision;
  const why = words === undefined ? because("hook") : because("hook_words", { why: words });
  const told = { rule: "hook", reason: reasonText(why), because: why };
  if (word === "deny") return { ...decision, verdict: "deny", ...told, code: "permission_denied" };
  if (word === "ask") return { ...decision, verdict: "ask", ...told };
  if (decision.verdict === "rehearse" && isPlanning) return decision;
  return decision.verdict === "ask" || decision.verdict === "rehearse" ? { ...decision, verdict: "allow", ...told } : decision;
}

/** Placeholders that stand in what decides an effect: a path, a host, a program. Their real effect is not known yet. */
function placeholdersInEffects(prepared: Planned, { values }: Session): readonly string[] {
  if (values.placeholders(prepared.input).length === 0) return [];
  const deciding = prepared.plan.effects.map((effect): JsonObject => {
    switch (effect.kind) {
      case "read":
      case "write":
        return { text: effect.path.spelled };
      case "connect":
        return { text: effect.url };
      case "run":
        return { text: effect.program };
      default:
        return {};
    }
  });
  return values.placeholders(deciding);
}
