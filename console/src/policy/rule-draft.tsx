/** A rule that is not saved yet, replayed on past calls before anybody saves it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api } from "../api/client.ts";
import { may } from "../me.ts";
import { showToast } from "../parts/toast.tsx";
import { VerdictChip, type VerdictWord } from "../tools/explained.tsx";
import { t } from "../words/words.ts";

interface Replay {
  readonly total: number;
  readonly fewer_questions: number;
  readonly more_questions: number;
  readonly denied_would_run: number;
  readonly calls: readonly {
    readonly call_id: string;
    readonly tool: string;
    readonly summary: string;
    readonly before: VerdictWord;
    readonly after: VerdictWord;
    readonly answer?: string;
  }[];
}

const pauseMs = 350;
type List = "allow" | "ask" | "deny";

/** How many past calls a draft is tried on. */
const replayedCalls = 200;

export function RuleDraft({ rule: given, onSaved }: { readonly rule: string; readonly onSaved?: () => void }) {
  const rule = useSignal(given);
  const list = useSignal<List>("allow");
  const replay = useSignal<Replay | { readonly failed: string } | undefined>(undefined);
  const seen = useSignal(false);
  useEffect(() => {
    rule.value = given;
  }, [given, rule]);
  const [text, which] = [rule.value, list.value];
  useEffect(() => {
    if (text.trim() === "") return;
    const timer = setTimeout(() => {
      api<Replay>("POST", "/rules/replay", { rule: text, list: which }).then(
        (found) => (replay.value = found),
        (error: unknown) => (replay.value = { failed: error instanceof ApiError ? error.message : String(error) }),
      );
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, which, replay]);
  const save = async (): Promise<void> => {
    try {
      await api("POST", "/rules", { rule: rule.value, list: list.value });
      showToast(t("ruleSaved"));
      onSaved?.();
    } catch (error) {
      showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
    }
  };
  const found = replay.value !== undefined && "total" in replay.value ? replay.value : undefined;
  return (
    <div class="box">
      <div class="head">
        <h2 class="medium grow">{t("draft")}</h2>
        <span class="chip run">{t("notSaved")}</span>
      </div>
      <div class="padded stack gap">
        <div class="line">
          <select
            class="input list-choice"
            aria-label={t("verdictOf")}
            value={list.value}
            onChange={({ currentTarget }) => (list.value = currentTarget.value as List)}
          >
            <option value="allow">{t("ruleAllow")}</option>
            <option value="ask">{t("ruleAsk")}</option>
            <option value="deny">{t("ruleDeny")}</option>
          </select>
          <input
            class="input mono"
            aria-label={t("rule")}
            value={rule.value}
            onInput={({ currentTarget }) => (rule.value = currentTarget.value)}
          />
        </div>
        {replay.value !== undefined && "failed" in replay.value ? <p class="note deny">{replay.value.failed}</p> : null}
        {replay.value !== undefined && "failed" in replay.value ? null : (
          <>
            {/* The figures have their place before they are there: nothing moves when they come. */}
            <p class="t2 s13">{t("replayed", { n: found?.total ?? replayedCalls })}</p>
            <div class="two-columns figures">
              <p>
                <strong class="figure">{found?.fewer_questions ?? "–"}</strong>
                <span class="t3 s12">{t("fewerQuestions")}</span>
              </p>
              <p>
                <strong class={(found?.denied_would_run ?? 0) > 0 ? "figure minus" : "figure"}>{found?.denied_would_run ?? "–"}</strong>
                <span class="t3 s12">{t("deniedWouldRun")}</span>
              </p>
            </div>
            {seen.value ? (
              <ul>
                {(found?.calls ?? []).map((call) => (
                  <li class="line s13" key={call.call_id}>
                    <span class="grow clip">{call.summary}</span>
                    <VerdictChip verdict={call.after} />
                  </li>
                ))}
              </ul>
            ) : null}
          </>
        )}
        <div class="line wrap">
          <button type="button" class="btn ghost" disabled={found === undefined || !may("admin")} onClick={() => void save()}>
            {t("saveRule")}
          </button>
          {found === undefined || found.calls.length === 0 ? null : (
            <button type="button" class="btn" aria-expanded={seen.value} onClick={() => (seen.value = !seen.value)}>
              {t("seeThem", { n: found.calls.length })}
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
