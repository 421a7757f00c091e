/** All that waits for a person, across sessions; the card at the right is the same as in a session. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { api } from "../api/client.ts";
import type { Approval, InboxItem } from "../api/types.ts";
import { ApprovalCard } from "../card/approval-card.tsx";
import { approvals, approvalsRead, pendingApprovals, refreshOne } from "../card/approvals.ts";
import { agentsOf, lineOf, questionOf } from "../card/question.ts";
import { Receipt, told } from "../card/receipt.tsx";
import { ValueForm } from "../card/value-card.tsx";
import { agentOfSession, inbox, openSession, sessions } from "../live/sessions.ts";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import { shortPath } from "../parts/short-path.ts";
import { sessionHref } from "../session/session-href.ts";
import { titleOf } from "../session/session-title.ts";
import { undoCalls } from "../session/undoing.ts";
import { pathOf } from "../state/rows.ts";
import { saidBefore } from "../state/says.ts";
import { ago, t } from "../words/words.ts";

/** The next card comes so long after an answer. */
const beforeNextMs = 600;

export function InboxScreen() {
  const { params } = useRoute();
  const { route } = useLocation();
  const pending = pendingApprovals();
  const values = inbox.value.items.filter(({ kind }) => kind === "value");
  const wanted = params.id;
  const ids = [...pending.map(({ id }) => id), ...values.map(({ id }) => id)];
  const current = useSignal<string | undefined>(undefined);
  // Until somebody chose, the first one is shown, also if others come in above it.
  const shownId = wanted ?? current.value ?? ids[0];
  const approval = shownId === undefined ? undefined : approvals.value.get(shownId);
  const value = values.find(({ id }) => id === shownId);
  useEffect(() => {
    if (wanted !== undefined && !approvals.peek().has(wanted)) void refreshOne(wanted);
  }, [wanted]);
  const isRead = approvalsRead.value;
  useEffect(() => {
    if (wanted === undefined && isRead) current.value = shownId;
  }, [shownId, wanted, current, isRead]);
  const isOver = approval !== undefined && approval.status !== "pending";
  const [next] = ids;
  useEffect(() => {
    if (!isOver || next === undefined) return;
    const timer = setTimeout(() => {
      current.value = next;
      if (wanted !== undefined) route("/inbox", true);
    }, beforeNextMs);
    return () => clearTimeout(timer);
  }, [isOver, next, current, wanted, route]);
  const index = shownId === undefined ? -1 : ids.indexOf(shownId);
  const move = (by: 1 | -1): void => {
    const to = ids[(Math.max(0, index) + by + ids.length) % ids.length];
    if (to === undefined) return;
    current.value = to;
    if (wanted !== undefined) route(`/inbox/${encodeURIComponent(to)}`, true);
  };
  return (
    <>
      <header class="top">
        {wanted === undefined ? null : (
          <a class="btn ghost only-icon phone-only" aria-label={t("back")} href="/inbox">
            <Icon name="chevron-left" />
          </a>
        )}
        <h1>{t("inbox")}</h1>
        {ids.length > 0 ? <span class="t3 s13 clip">{t("waitingCount", { n: ids.length })}</span> : null}
        <span class="grow" />
        <span class="t3 s12 line not-phone">
          <kbd>J</kbd>
          <kbd>K</kbd>
          {t("move")}
        </span>
      </header>
      {ids.length === 0 && approval === undefined ? (
        <Empty />
      ) : (
        <div class={`body list-detail${wanted === undefined ? "" : " has-detail"}`}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
          <section class="list-side scroll" tabIndex={0} aria-label={t("inbox")}>
            <ul>
              {pending.map((one) => (
                <li key={one.id}>
                  <Item approval={one} chosen={one.id === shownId} />
                </li>
              ))}
              {values.map((one) => (
                <li key={one.id}>
                  <ValueItem item={one} chosen={one.id === shownId} />
                </li>
              ))}
            </ul>
            <Answered />
          </section>
          <div class="detail">
            {approval === undefined ? null : approval.status === "pending" ? (
              <ApprovalCard
                key={approval.id}
                approval={approval}
                index={Math.max(0, index)}
                total={ids.length}
                onMove={move}
                session={{ title: sessionTitle(approval.root_session_id), href: sessionHref(approval.root_session_id) }}
                onUndo={(callId) => void undoCalls(approval.session_id, [callId])}
                says={saidBefore(openSession(approval.root_session_id).state.value, approval.call_id)}
                sameAgent={pending.filter((one) => one.session_id === approval.session_id && one.agent === approval.agent)}
              />
            ) : (
              <Receipt approval={approval} />
            )}
            {value === undefined ? null : (
              <ValueForm id={value.id} keyName={value.key ?? ""} reason={value.summary} agent={agentOfSession(value.root_session_id)} />
            )}
          </div>
        </div>
      )}
    </>
  );
}

function sessionTitle(sessionId: string): string {
  return titleOf(sessions.value?.find(({ id }) => id === sessionId)?.title ?? "");
}

function Item({ approval, chosen }: { readonly approval: Approval; readonly chosen: boolean }) {
  const question = questionOf(approval);
  const agents = agentsOf(approval, agentOfSession(approval.root_session_id));
  return (
    <a class="item" href={`/inbox/${encodeURIComponent(approval.id)}`} aria-current={chosen ? "true" : undefined}>
      <Icon name="question" />
      <span class="stack grow">
        <span class="line">
          <span class="medium grow clip">{t(question.short, question.words)}</span>
          <span class="t3 s12 num">{ago(approval.created_at, now.value)}</span>
        </span>
        <code class="clip t2">{lineOf(approval)}</code>
        <span class="t3 s12 clip">{[agents, sessionTitle(approval.root_session_id)].filter(Boolean).join(" · ")}</span>
      </span>
    </a>
  );
}

function ValueItem({ item, chosen }: { readonly item: InboxItem; readonly chosen: boolean }) {
  return (
    <a class="item" href={`/inbox/${encodeURIComponent(item.id)}`} aria-current={chosen ? "true" : undefined}>
      <Icon name="key" class="accent" />
      <span class="stack grow">
        <span class="line">
          <span class="medium grow clip">{t("needsValueShort", { key: item.key ?? "" })}</span>
          <span class="t3 s12 num">{ago(item.created_at, now.value)}</span>
        </span>
        <span class="clip t2">{t("quoted", { text: item.summary })}</span>
        <span class="t3 s12 clip">{sessionTitle(item.root_session_id)}</span>
      </span>
    </a>
  );
}

const answeredShown = 8;

function Answered() {
  const past = useSignal<readonly Approval[]>([]);
  const settled = [...approvals.value.values()].filter(({ status }) => status !== "pending").length;
  useEffect(() => {
    Promise.all(
      (["used", "refused", "expired"] as const).map((status) =>
        api<{ readonly approvals: readonly Approval[] }>("GET", `/approvals?status=${status}&limit=500`).then((page) => page.approvals),
      ),
    ).then(
      (lists) => {
        past.value = lists
          .flat()
          .sort((a, b) => (b.answered_at ?? b.created_at) - (a.answered_at ?? a.created_at))
          .slice(0, answeredShown);
      },
      () => {},
    );
  }, [settled]);
  if (past.value.length === 0) return null;
  return (
    <div class="answered">
      <h2 class="eyebrow">{t("answeredToday")}</h2>
      <ul>
        {past.value.map((one) => {
          const { icon, kind } = told(one, true);
          const by =
            one.status === "expired"
              ? t("expiredShort")
              : one.answer === "deny"
                ? t("youDeny")
                : one.answer === "always"
                  ? t("youAlways")
                  : t("youOnce");
          return (
            <li class={`effect past ${kind}`} key={one.id}>
              <Icon name={icon} />
              <span class="clip grow">{pastLine(one)}</span>
              <span class="t3 s12">{by}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** What was asked, as in its question: `Change a file · src/retry.ts`. */
function pastLine(approval: Approval): string {
  const question = questionOf(approval);
  if (question.kind === "Run") return lineOf(approval);
  const path = pathOf(approval.input);
  const short = t(question.short, question.words);
  return path === undefined ? short : `${short} · ${shortPath(path)}`;
}

function Empty() {
  return (
    <div class="empty">
      <Icon name="inbox" />
      <h2>{t("nothingWaits")}</h2>
      <p>
        {t("nothingWaitsIs")} <a href="/policy/audit?asked=1">{t("seeAudit")}</a>
      </p>
    </div>
  );
}
