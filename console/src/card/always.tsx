/** "Always" opened in place: the rule, editable, where it is stored, what else it lets through and what still asks. */
import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api } from "../api/client.ts";
import type { Approval } from "../api/types.ts";
import { may } from "../me.ts";
import { Icon } from "../parts/icon.tsx";
import { t } from "../words/words.ts";

/** A rule that a person wrote in the place of the proposed one, and what replaying it on past calls said. */
interface EditedRule {
  readonly text: string;
  readonly told: "asking" | { readonly failed: string } | { readonly fewer: number; readonly denied: number; readonly covers: boolean };
}

export type EditedRules = ReadonlyMap<string, EditedRule>;

/** Whether what was written may be saved: replayed, well formed, and this call is among what it lets through. */
export function canSave(edited: EditedRules): boolean {
  return [...edited.values()].every(({ told }) => typeof told === "object" && "covers" in told && told.covers);
}

/** Saves the rules as they were edited; the others of the proposal as they are. */
export async function saveRules(proposal: NonNullable<Approval["proposal"]>, edited: EditedRules): Promise<void> {
  for (const rule of proposal.rules) await api("POST", "/rules", { rule: edited.get(rule)?.text ?? rule, list: "allow" });
}

interface AlwaysProps {
  readonly approval: Approval;
  readonly proposal: NonNullable<Approval["proposal"]>;
  readonly edited: Signal<EditedRules>;
}

export function AlwaysBox({ approval, proposal, edited }: AlwaysProps) {
  const { also_allows, still_asks } = proposal;
  const rules = proposal.rules.map((rule) => proposal.examples?.find((one) => one.rule === rule) ?? { rule, also_allows, still_asks });
  return (
    <section class="always" aria-label={t("alwaysHere")}>
      <div class="line wrap">
        <span class="medium s13 grow">{t("alwaysHere")}</span>
        <span class="t3 s12">{edited.value.size === 0 ? t("narrowest") : t("ruleEdited")}</span>
      </div>
      {rules.map(({ rule, also_allows: also, still_asks: asks }) => (
        <div class="stack always-rule" key={rule}>
          <RuleField rule={rule} callId={approval.call_id} edited={edited} />
          {edited.value.has(rule) ? (
            <Told told={edited.value.get(rule)?.told} />
          ) : (
            <div class="two-columns">
              <Examples title={t("alsoAllows")} icon="check" kind="allow" lines={also} />
              <Examples title={t("stillAsks")} icon="hand" kind="ask" lines={asks} />
            </div>
          )}
        </div>
      ))}
    </section>
  );
}

interface Replayed {
  readonly fewer_questions: number;
  readonly denied_would_run: number;
  readonly calls: readonly { readonly call_id: string; readonly after: string }[];
}

const pauseMs = 350;

interface RuleFieldProps {
  readonly rule: string;
  readonly callId: string;
  readonly edited: Signal<EditedRules>;
}

function RuleField({ rule, callId, edited }: RuleFieldProps) {
  const text = edited.value.get(rule)?.text;
  useEffect(() => {
    if (text === undefined) return;
    const tell = (told: EditedRule["told"]): void => {
      if (edited.peek().get(rule)?.text === text) edited.value = new Map(edited.peek()).set(rule, { text, told });
    };
    const timer = setTimeout(() => {
      api<Replayed>("POST", "/rules/replay", { rule: text }).then(
        ({ fewer_questions: fewer, denied_would_run: denied, calls }) =>
          tell({ fewer, denied, covers: calls.some(({ call_id: id, after }) => id === callId && after === "allow") }),
        (error: unknown) => tell({ failed: error instanceof ApiError ? error.message : String(error) }),
      );
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [rule, text, callId, edited]);
  const change = (value: string): void => {
    const next = new Map(edited.peek());
    if (value.trim() === rule) next.delete(rule);
    else next.set(rule, { text: value, told: "asking" });
    edited.value = next;
  };
  return (
    <div class="field-at">
      <input
        class="input mono"
        aria-label={t("rule")}
        value={text ?? rule}
        spellcheck={false}
        readOnly={!may("admin")}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <Icon name="pencil" small class="quiet" />
    </div>
  );
}

function Told({ told }: { readonly told: EditedRule["told"] | undefined }) {
  if (told === undefined || told === "asking") {
    return (
      <p class="t3 s12 line">
        <span class="spin" />
        {t("ruleChecking")}
      </p>
    );
  }
  if ("failed" in told) return <p class="note deny">{told.failed}</p>;
  if (!told.covers) {
    return (
      <p class="note ask">
        <Icon name="hand" />
        {t("ruleMisses")}
      </p>
    );
  }
  return (
    <p class={told.denied > 0 ? "note deny" : "note"}>
      <Icon name={told.denied > 0 ? "warning" : "check"} />
      {t("ruleReplayed", { fewer: told.fewer })} {told.denied > 0 ? t("ruleDenied", { denied: told.denied }) : ""}
    </p>
  );
}

interface ExamplesProps {
  readonly title: string;
  readonly icon: "check" | "hand";
  readonly kind: string;
  readonly lines: readonly string[];
}

function Examples({ title, icon, kind, lines }: ExamplesProps) {
  return (
    <div>
      <p class="eyebrow">{title}</p>
      {lines.length === 0 ? <p class="t3 s12">{t("nothingElse")}</p> : null}
      <ul>
        {lines.map((line) => (
          <li class={`effect ${kind}`} key={line}>
            <Icon name={icon} small />
            <code>{line}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
