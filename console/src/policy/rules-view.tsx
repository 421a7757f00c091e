/** The rules that decide, by where they come from; removed with a way back. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api, pathOf } from "../api/client.ts";
import { may } from "../me.ts";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import { showToast } from "../parts/toast.tsx";
import { builtinRules } from "../words/builtin-rules.ts";
import type { Key } from "../words/en.ts";
import { agoWords, language, t } from "../words/words.ts";
import type { AuditEntry } from "./audit-lines.ts";
import { RuleDraft } from "./rule-draft.tsx";

interface Rule {
  readonly id: string;
  readonly rule: string;
  readonly list: "allow" | "ask" | "deny";
  readonly origin: string;
}

const origins: readonly (readonly [string, Key])[] = [
  ["always", "rulesAlways"],
  ["project", "rulesProject"],
  ["home", "rulesHome"],
  ["environment", "rulesStarted"],
  ["flags", "rulesStarted"],
];
/** Records that are looked at for the last use of a rule. */
const recordsRead = 500;

/** When each rule decided last, as far as the latest records tell; empty for readers who may not see them. */
async function readUses(): Promise<ReadonlyMap<string, number>> {
  const { entries } = await api<{ readonly entries: readonly AuditEntry[] }>("GET", `/audit?limit=${recordsRead}&order=desc`);
  const uses = new Map<string, number>();
  for (const { time, body } of entries) {
    if (typeof body.rule === "string" && !uses.has(body.rule)) uses.set(body.rule, time);
  }
  return uses;
}

export function RulesView({ draft }: { readonly draft: string | undefined }) {
  const rules = useSignal<readonly Rule[] | undefined>(undefined);
  const problem = useSignal("");
  const uses = useSignal<ReadonlyMap<string, number> | undefined>(undefined);
  useEffect(() => {
    readUses().then(
      (found) => (uses.value = found),
      () => {},
    );
  }, [uses]);
  const used = (rule: string): string => {
    const time = uses.value?.get(rule);
    return time === undefined ? t("neverUsed") : t("lastUsed", { time: agoWords(time, now.value) });
  };
  const read = (): void => {
    api<{ readonly rules: readonly Rule[] }>("GET", "/rules").then(
      (found) => (rules.value = found.rules),
      (error: Error) => (problem.value = error.message),
    );
  };
  useEffect(read, []);
  const remove = async (rule: Rule): Promise<void> => {
    try {
      await api("DELETE", pathOf("rules", rule.id));
      showToast(t("ruleRemoved"), {
        label: t("undo"),
        run: () => {
          void api("POST", "/rules", { rule: rule.rule, list: rule.list, origin: rule.origin === "home" ? "home" : "always" }).then(read);
        },
      });
      read();
    } catch (error) {
      showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
    }
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page explain" tabIndex={0} aria-label={t("rules")}>
      <div class="stack gap-16">
        {problem.value === "" ? null : <p class="note deny">{t("failedToLoad", { message: problem.value })}</p>}
        {origins.map(([origin, title]) => {
          const own = (rules.value ?? []).filter((one) => one.origin === origin);
          if (own.length === 0 && origin !== "always") return null;
          return (
            <div class="box" key={origin}>
              <div class="head">
                <h2 class="medium">{t(title)}</h2>
              </div>
              {own.length === 0 ? <p class="padded t3 s13">{t("noRules")}</p> : null}
              <ul>
                {own.map((one) => (
                  <li class="item center" key={one.id}>
                    <span class={`chip ${one.list}`}>
                      {t(one.list === "allow" ? "ruleAllow" : one.list === "ask" ? "ruleAsk" : "ruleDeny")}
                    </span>
                    <code class="grow breaks">{one.rule}</code>
                    {uses.value === undefined ? null : <span class="t3 s12">{used(one.rule)}</span>}
                    {may("admin") && (origin === "always" || origin === "home") ? (
                      <button
                        type="button"
                        class="btn ghost tight only-icon"
                        aria-label={`${t("remove")} ${one.rule}`}
                        onClick={() => void remove(one)}
                      >
                        <Icon name="trash" small />
                      </button>
                    ) : null}
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
        <div class="box">
          <div class="head">
            <h2 class="medium">{t("rulesBuiltin")}</h2>
          </div>
          <ul>
            {builtinRules.map((one) => (
              <li class="item center" key={one.name}>
                <span class="stack grow">
                  <span>{one[language.value]}</span>
                  <code class="t3 s12">{`builtin:${one.name}`}</code>
                </span>
                {uses.value?.has(`builtin:${one.name}`) === true ? (
                  <span class="t3 s12 not-phone">{used(`builtin:${one.name}`)}</span>
                ) : null}
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div class="stack gap-16">
        <RuleDraft rule={draft ?? "Bash(npm test *)"} onSaved={read} />
      </div>
    </section>
  );
}
