/** One line in the place of a card that is no longer yours to answer: who, what, when. */
import type { Approval } from "../api/types.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { at, t } from "../words/words.ts";
import { answeredHere } from "./approvals.ts";
import { lineOf } from "./question.ts";

export function Receipt({ approval }: { readonly approval: Approval }) {
  const { icon, kind, text } = told(approval, answeredHere.value.has(approval.id));
  return (
    <div class={`receipt ${kind}`} data-receipt={approval.id}>
      <Icon name={icon} />
      <span class="grow stack">
        <span>{text}</span>
        <code class="clip t3">{lineOf(approval)}</code>
      </span>
      {approval.answered_at === undefined ? null : <span class="t3 s12 num">{at(approval.answered_at)}</span>}
    </div>
  );
}

interface Told {
  readonly icon: IconName;
  readonly kind: "allow" | "deny" | "";
  readonly text: string;
}

const voidKeys = {
  plan_changed: "voidedPlan",
  policy_changed: "voidedPolicy",
  call_ended: "voidedEnded",
  asked_again: "voidedAgain",
  not_needed: "voidedNotNeeded",
  unknown: "voided",
} as const;

export function told(approval: Approval, here: boolean): Told {
  if (approval.status === "expired") return { icon: "clock", kind: "", text: t("expired") };
  if (approval.status === "void") return { icon: "refresh", kind: "", text: t(voidKeys[approval.void_cause ?? "unknown"]) };
  const denied = approval.answer === "deny" || approval.status === "refused";
  if (here) {
    if (denied)
      return {
        icon: "close",
        kind: "deny",
        text: approval.words === undefined ? t("youDenied") : t("youDeniedWords", { words: approval.words }),
      };
    return { icon: "check", kind: "allow", text: approval.answer === "always" ? t("youAllowedAlways") : t("youAllowed") };
  }
  const who = personOf(approval.answered_by);
  if (denied) return { icon: "close", kind: "deny", text: who === undefined ? t("otherDeviceDenied") : t("otherDenied", { who }) };
  return { icon: "check", kind: "allow", text: who === undefined ? t("otherDevice") : t("otherAllowed", { who }) };
}

/** `http:mei phone 10.0.0.2` is mei; the owner of this machine needs no name. */
function personOf(by: string | undefined): string | undefined {
  const user = /^http:(\S+)/.exec(by ?? "")?.[1];
  return user === undefined || user === "local" ? undefined : user;
}
