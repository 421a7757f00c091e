/** One row of the conversation: a message, text, thinking, a call, a sub-agent, a divider, an error. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import type { Row } from "../state/rows.ts";
import type { AgentState, Entry, SessionState } from "../state/session-state.ts";
import { t, took } from "../words/words.ts";
import { CallRow, ExploredRow } from "./call-row.tsx";
import { sessionHref } from "./session-href.ts";

/** A growing text is rendered at most so often. */
const renderPauseMs = 100;

export function TalkRow({ row, state }: { readonly row: Row; readonly state: SessionState }) {
  if (row.kind === "call") return <CallRow call={row.call} state={state} />;
  if (row.kind === "explored") return <ExploredRow calls={row.calls} state={state} />;
  return <EntryRow entry={row.entry} state={state} />;
}

function EntryRow({ entry, state }: { readonly entry: Entry; readonly state: SessionState }) {
  switch (entry.kind) {
    case "said":
      return (
        <div class="said-row">
          <h2 class="said">{entry.text}</h2>
        </div>
      );
    case "text":
      return <div class="prose-row">{entry.open ? <GrowingText text={entry.text} /> : <Markdown text={entry.text} />}</div>;
    case "thinking":
      return <Thinking entry={entry} />;
    case "agent": {
      const agent = state.agents.get(entry.agentId);
      return agent === undefined ? null : <AgentRow agent={agent} state={state} />;
    }
    case "value": {
      const value = state.values.get(entry.requestId);
      if (value === undefined) return null;
      const key =
        value.status === "given"
          ? "valueGiven"
          : value.status === "refused"
            ? "valueRefused"
            : value.status === "asked"
              ? "needsValueShort"
              : "valueGone";
      return (
        <div class={`call ${value.status === "asked" ? "ask" : ""}`}>
          <span class="mark">
            <Icon name="key" />
          </span>
          <span class="what clip">{t(key, { key: value.key })}</span>
        </div>
      );
    }
    case "model":
      return <p class="divider">{t("modelNow", { model: entry.model })}</p>;
    case "end":
      return entry.status === "failed" || entry.status === "refused" ? (
        <div class="note deny end-note">
          <Icon name="circle-x" />
          <span>{t("runFailed", { message: entry.message ?? entry.status })}</span>
        </div>
      ) : (
        <p class="divider">{endWords(entry)}</p>
      );
    case "error":
      return (
        <div class="note deny end-note">
          <Icon name="circle-x" />
          <div>
            <p>{entry.message}</p>
            {entry.retryInMs === undefined ? null : <p class="t2">{t("retryIn", { time: took(entry.retryInMs) })}</p>}
          </div>
        </div>
      );
    case "call":
      return null;
  }
}

function endWords({ status, tookMs }: Extract<Entry, { readonly kind: "end" }>): string {
  if (status === "done") return t("runDone", { time: took(tookMs) });
  return status === "cancelled" ? t("runStopped", { time: took(tookMs) }) : t("runLimit", { limit: status });
}

/** Shows the text as it was at the last of its renderings; the last piece always comes. */
function GrowingText({ text }: { readonly text: string }) {
  const shown = useSignal(text);
  const latest = useSignal(text);
  latest.value = text;
  useEffect(() => {
    const timer = setInterval(() => {
      shown.value = latest.value;
    }, renderPauseMs);
    return () => clearInterval(timer);
  }, [shown, latest]);
  return <Markdown text={shown.value} />;
}

function Thinking({ entry }: { readonly entry: Extract<Entry, { readonly kind: "thinking" }> }) {
  const open = useSignal(false);
  return (
    <div class="call-row">
      <button type="button" class="call" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <span class="mark">{entry.open ? <span class="spin" /> : <Icon name={open.value ? "chevron-down" : "chevron-right"} small />}</span>
        <span class="what clip t3">{entry.open ? t("thinking") : t("thoughtFor", { time: took(entry.until - entry.time) })}</span>
      </button>
      {open.value ? <p class="thought">{entry.text}</p> : null}
    </div>
  );
}

function AgentRow({ agent, state }: { readonly agent: AgentState; readonly state: SessionState }) {
  const isRunning = agent.status === "running";
  const time = took((agent.endedAt ?? now.value) - agent.startedAt);
  return (
    <a
      class={`call plain ${isRunning ? "run" : agent.status === "failed" ? "bad" : ""}`}
      href={sessionHref(state.sessionId, "chat", `agent=${encodeURIComponent(agent.id)}`)}
    >
      <span class="mark">{isRunning ? <span class="spin" /> : <Icon name="bot" />}</span>
      <span class="what clip">
        <b>{agent.name}</b> {agent.description}
      </span>
      <span class="meta">
        {t("agentTotals", { calls: agent.calls, time })}
        <Icon name="chevron-right" small />
      </span>
    </a>
  );
}
