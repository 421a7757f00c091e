/** Second stage: the policy judges the plan's effects, then hooks may tighten it or answer an ask. */
import type { Call, Decision, HookCall, JsonObject } from "../contract/index.ts";
import { decide } from "../policy/index.ts";
import { asJson } from "./canonical.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { runHooks } from "./hooks.ts";
import type { Prepared } from "./prepare.ts";
import type { Session } from "./session.ts";

export interface Judgement {
  readonly decision: Decision;
  /** Text hooks want the model to read. */
  readonly additions: readonly string[];
}

export function judge(session: Session, call: Call, prepared: Prepared, dependencies: EngineDependencies): Decision {
  const { mode, rules, world } = dependencies.policy(session.record);
  const escapes = world.sandboxed && prepared.plan.confined !== true;
  const hidden = placeholdersInEffects(prepared, session);
  return decide(
    {
      tool: prepared.tool.name,
      traits: prepared.traits,
      effects:
        hidden.length === 0
          ? prepared.plan.effects
          : [...prepared.plan.effects, { kind: "unknown", reason: `decided by the secure variable ${hidden.join(", ")}` }],
      mode,
      rules,
      doubtful: call.cutOff === true || (call.repaired?.length ?? 0) > 0,
    },
    escapes ? { ...world, sandboxed: false } : world,
  );
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
  if (strictest) decision = tighten(decision, strictest.decision, strictest.reason);
  for (const reply of replies) if (reply.add !== undefined) additions.push(reply.add);
  return { decision, additions };
}

/** A hook's `allow` answers an ask; it never lifts a denial, and a denial by a hook stays one. */
function tighten(decision: Decision, word: "allow" | "deny" | "ask" | undefined, reason = "decided by a hook"): Decision {
  if (decision.verdict === "deny" || word === undefined) return decision;
  if (word === "deny") return { ...decision, verdict: "deny", rule: "hook", reason, code: "permission_denied" };
  if (word === "ask") return { ...decision, verdict: "ask", rule: "hook", reason };
  return decision.verdict === "ask" ? { ...decision, verdict: "allow", rule: "hook", reason } : decision;
}

/** Placeholders that stand in what decides an effect: a path, a host, a program. Their real effect is not known yet. */
function placeholdersInEffects(prepared: Prepared, { values }: Session): readonly string[] {
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
