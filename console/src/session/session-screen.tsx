/** A session: conversation, dock and composer; beside them, or as tabs, changes, agents, terminal and artifacts. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lazy, useLocation, useRoute } from "preact-iso";
import { approvals } from "../card/approvals.ts";
import { openSession, sessions } from "../live/sessions.ts";
import { announce } from "../parts/announce.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useMedia } from "../parts/use-media.ts";
import { settings } from "../settings.ts";
import type { SessionState } from "../state/session-state.ts";
import { t, took } from "../words/words.ts";
import { AgentsPanel } from "./agents-panel.tsx";
import { ChangesPanel } from "./changes-panel.tsx";
import { Composer } from "./composer.tsx";
import { Dock, questionsOf } from "./dock.tsx";
import { EmptySession } from "./empty-session.tsx";
import { type SessionTab, sessionHref, sessionTabs } from "./session-href.ts";
import { SessionTop } from "./session-top.tsx";
import { changedCalls } from "./steps.ts";
import { Talk } from "./talk.tsx";

const ChangesScreen = lazy(() => import("./changes-screen.tsx").then(({ ChangesScreen: one }) => one));
const TerminalScreen = lazy(() => import("./terminal-screen.tsx").then(({ TerminalScreen: one }) => one));
const ArtifactsScreen = lazy(() => import("./artifacts-screen.tsx").then(({ ArtifactsScreen: one }) => one));
const TimelineScreen = lazy(() => import("./timeline-screen.tsx").then(({ TimelineScreen: one }) => one));

export function SessionScreen() {
  const { params, query } = useRoute();
  const id = params.id ?? "";
  const tab: SessionTab = sessionTabs.find((one) => one === params.tab) ?? "chat";
  const open = openSession(id);
  const state = open.state.value;
  const isPhone = useMedia("(max-width: 560px)");
  const isNarrow = useMedia("(max-width: 1099px)");
  const info = sessions.value?.find((one) => one.id === id);
  const isWaiting = info?.status === "waiting" || questionsOf(state, approvals.value).length > 0;
  useEndAnnouncement(state);
  if (open.loading.value === "missing") {
    return (
      <div class="empty">
        <h1 class="strong">{t("notFoundTitle")}</h1>
        <p>{t("notFoundIs")}</p>
      </div>
    );
  }
  const hasPanel = tab === "chat" && settings.value.panel && !isNarrow;
  return (
    <>
      <SessionTop id={id} info={info} state={state} waiting={isWaiting} tab={tab} />
      {isPhone || tab !== "chat" || isNarrow ? <Tabs id={id} tab={tab} state={state} /> : null}
      {open.loading.value === "loading" ? (
        <Skeleton />
      ) : tab === "chat" ? (
        <div class={hasPanel ? "body two" : "body"}>
          <Conversation state={state} agentId={query.agent} waiting={isWaiting} workspace={info?.workspace ?? ""} agent={info?.agent} />
          {hasPanel ? <Panel id={id} state={state} /> : null}
        </div>
      ) : (
        <div class="body" role="tabpanel" aria-label={t(tab)}>
          {tab === "changes" ? <ChangesScreen state={state} /> : null}
          {tab === "agents" ? query.view === "timeline" ? <TimelineScreen state={state} /> : <AgentsPanel state={state} full /> : null}
          {tab === "terminal" ? <TerminalScreen state={state} /> : null}
          {tab === "artifacts" ? <ArtifactsScreen state={state} artifactId={params.item} version={query.v} other={query.with} /> : null}
        </div>
      )}
    </>
  );
}

interface ConversationProps {
  readonly state: SessionState;
  readonly agentId: string | undefined;
  readonly waiting: boolean;
  readonly workspace: string;
  readonly agent: string | undefined;
}

function Conversation({ state, agentId, waiting, workspace, agent }: ConversationProps) {
  const sub = agentId === undefined ? undefined : state.agents.get(agentId);
  const thread = sub === undefined ? state.root : (state.threads.get(sub.id) ?? { entries: [] });
  const root = state.run?.agent === undefined || state.run.agent === "" ? (agent ?? "general") : state.run.agent;
  const isEmpty = thread.entries.length === 0;
  return (
    <div class="talk">
      {sub === undefined ? null : (
        <div class="path-bar s13">
          <a href={sessionHref(state.sessionId)}>{root}</a>
          <span class="t3">›</span>
          <span class="medium">{sub.name}</span>
          <span class="t3 clip">{sub.description}</span>
        </div>
      )}
      {isEmpty && sub === undefined ? (
        <EmptySession sessionId={state.sessionId} workspace={workspace} />
      ) : (
        <Talk key={agentId ?? "root"} state={state} thread={thread} waiting={waiting} label={t("conversation")} />
      )}
      <div class="dock">
        <Dock key={agentId ?? "root"} state={state} agentId={sub?.id} />
        <Composer state={state} agent={root} />
      </div>
    </div>
  );
}

type PanelTab = "changes" | "agents";

function Panel({ id, state }: { readonly id: string; readonly state: SessionState }) {
  const shown = useSignal<PanelTab>("changes");
  return (
    <aside class="panel" aria-label={t("details")}>
      <div class="tabs" role="tablist" aria-label={t("details")}>
        <PanelTabButton tab="changes" shown={shown} count={changedCalls(state).filter(({ undoneBy }) => undoneBy === undefined).length} />
        <PanelTabButton tab="agents" shown={shown} count={state.agents.size} />
        <LinkTab id={id} tab="terminal" />
        <LinkTab id={id} tab="artifacts" count={state.artifacts.size} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <div class="scroll grow" role="tabpanel" tabIndex={0} aria-label={t(shown.value)} data-panel={shown.value}>
        {shown.value === "changes" ? <ChangesPanel state={state} /> : <AgentsPanel state={state} />}
      </div>
    </aside>
  );
}

function PanelTabButton({ tab, shown, count }: { readonly tab: PanelTab; readonly shown: { value: PanelTab }; readonly count: number }) {
  return (
    <button type="button" role="tab" aria-selected={shown.value === tab} onClick={() => (shown.value = tab)}>
      {t(tab)} {count > 0 ? <span class="count">{count}</span> : null}
    </button>
  );
}

function LinkTab({
  id,
  tab,
  count = 0,
  selected = false,
}: {
  readonly id: string;
  readonly tab: SessionTab;
  readonly count?: number;
  readonly selected?: boolean;
}) {
  return (
    <a role="tab" aria-selected={selected} href={sessionHref(id, tab)}>
      {t(tab)} {count > 0 ? <span class="count">{count}</span> : null}
    </a>
  );
}

function Tabs({ id, tab, state }: { readonly id: string; readonly tab: SessionTab; readonly state: SessionState }) {
  const { route } = useLocation();
  const onKey = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const next = sessionTabs[(sessionTabs.indexOf(tab) + by + sessionTabs.length) % sessionTabs.length];
    if (next) route(sessionHref(id, next));
  };
  return (
    <div class="tabs" role="tablist" aria-label={t("details")} onKeyDown={onKey} tabIndex={-1}>
      {sessionTabs.map((one) => (
        <LinkTab key={one} id={id} tab={one} selected={one === tab} count={countOf(one, state)} />
      ))}
    </div>
  );
}

function countOf(tab: SessionTab, state: SessionState): number {
  if (tab === "changes") return changedCalls(state).filter(({ undoneBy }) => undoneBy === undefined).length;
  if (tab === "agents") return state.agents.size;
  return tab === "artifacts" ? state.artifacts.size : 0;
}

/** Says when a run ended, while somebody looks at it. */
function useEndAnnouncement({ run }: SessionState): void {
  const status = run?.status;
  const runId = run?.runId;
  useEffect(() => {
    if (status === "done" && run?.endedAt !== undefined) announce(t("runDone", { time: took(run.endedAt - run.startedAt) }));
    else if (status === "failed") announce(t("failed"));
  }, [status, runId]);
}
