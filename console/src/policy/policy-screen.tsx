/** Policy: what would happen to a call and why, the rules that decide, and what was decided. */
import "../theme/work.css";
import { useRoute } from "preact-iso";
import { t } from "../words/words.ts";
import { AuditView } from "./audit-view.tsx";
import { ExplainView } from "./explain-view.tsx";
import { RulesView } from "./rules-view.tsx";

const tabs = ["explain", "rules", "audit"] as const;

export function PolicyScreen() {
  const { params, query } = useRoute();
  const tab = tabs.find((one) => one === params.tab) ?? "explain";
  return (
    <>
      <header class="top">
        <h1>{t("policy")}</h1>
        <nav class="seg" aria-label={t("policy")}>
          {tabs.map((one) => (
            <a key={one} href={`/policy/${one}`} aria-current={one === tab ? "page" : undefined}>
              {t(one)}
            </a>
          ))}
        </nav>
      </header>
      {tab === "explain" ? <ExplainView tool={query.tool} input={query.input} /> : null}
      {tab === "rules" ? <RulesView draft={query.draft} /> : null}
      {tab === "audit" ? <AuditView query={query} /> : null}
    </>
  );
}
