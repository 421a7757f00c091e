/** What would happen to a call: verdict, effect by effect; the same marks as on a card. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Because } from "../../../src/contract/reasons.ts";
import { ApiError, api } from "../api/client.ts";
import type { EffectLine, Mode } from "../api/types.ts";
import { effectKey, inOrder, objectOf } from "../card/question.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { shortPath, shortPaths } from "../parts/short-path.ts";
import type { Key } from "../words/en.ts";
import { reasonWords } from "../words/reasons.ts";
import { language, t } from "../words/words.ts";

export type VerdictWord = "allow" | "rehearse" | "ask" | "deny";

export interface Explained {
  readonly tool: string;
  readonly mode: Mode;
  readonly verdict: VerdictWord;
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
  readonly effects: readonly EffectLine[];
  readonly preview: { readonly type: string; readonly text?: string } | null;
  readonly modes?: Readonly<Record<Mode, { readonly verdict: VerdictWord; readonly rule: string; readonly reason: string }>>;
}

export const verdictIcons: Readonly<Record<VerdictWord, IconName>> = { allow: "check", rehearse: "flask", ask: "hand", deny: "ban" };
const verdictKeys: Readonly<Record<VerdictWord, Key>> = {
  allow: "verdictAllow",
  rehearse: "verdictRehearse",
  ask: "verdictAsk",
  deny: "verdictDeny",
};
const wouldKeys: Readonly<Record<VerdictWord, Key>> = {
  allow: "wouldAllow",
  rehearse: "wouldRehearse",
  ask: "wouldAsk",
  deny: "wouldDeny",
};

/** While one types it is asked again after a pause. */
const pauseMs = 250;

export type Asked =
  | { readonly kind: "none" }
  | { readonly kind: "ready"; readonly explained: Explained }
  | { readonly kind: "failed"; readonly message: string };

export function useExplained(tool: string, input: unknown, isReady: boolean): Asked {
  const asked = useSignal<Asked>({ kind: "none" });
  const key = isReady ? `${tool} ${JSON.stringify(input)}` : "";
  useEffect(() => {
    if (key === "") {
      asked.value = { kind: "none" };
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api<Explained>("POST", "/policy/explain", { tool, input }, stop.signal).then(
        (explained) => (asked.value = { kind: "ready", explained }),
        (error: unknown) => {
          if (!stop.signal.aborted) asked.value = { kind: "failed", message: error instanceof ApiError ? error.message : String(error) };
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, asked]);
  return asked.value;
}

export function VerdictChip({ verdict }: { readonly verdict: VerdictWord }) {
  return (
    <span class={`chip ${verdict}`}>
      <Icon name={verdictIcons[verdict]} small />
      {t(verdictKeys[verdict])}
    </span>
  );
}

/** The plan of a call that was not made. */
export function PlanView({ explained }: { readonly explained: Explained }) {
  const { verdict, effects, preview } = explained;
  return (
    <div class="stack gap-16">
      <div class={`note ${verdict}`}>
        <Icon name={verdictIcons[verdict]} />
        <div>
          <p class="medium">{t(wouldKeys[verdict])}</p>
          <p class="t2">{shortPaths(reasonWords(explained, language.value))}</p>
        </div>
      </div>
      <dl class="facts">
        {inOrder(effects).map(({ effect, verdict: own }) => [
          <dt key={`${effect.kind} ${objectOf(effect)}`}>{t(effectKey(effect))}</dt>,
          <dd key={`${effect.kind} ${objectOf(effect)} ${own}`} class={`effect ${own}`}>
            <Icon name={verdictIcons[own]} small />
            <code>{shortPath(objectOf(effect))}</code>
          </dd>,
        ])}
        <dt>{t("rule")}</dt>
        <dd>
          <code>{explained.rule}</code>
        </dd>
      </dl>
      {preview?.type === "diff" && preview.text !== undefined ? (
        <div class="box">
          <DiffView text={preview.text} label={t("plan")} />
        </div>
      ) : null}
    </div>
  );
}
