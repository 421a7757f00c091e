/** The agents of a session as a tree, with what each does now, and the tasks below. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, pathOf } from "../api/client.ts";
import { may } from "../me.ts";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import { showToast } from "../parts/toast.tsx";
import type { AgentState, SessionState } from "../state/session-state.ts";
import { short, t, took } from "../words/words.ts";
import { sessionHref } from "./session-href.ts";
import { objectOf, verbOf } from "./verbs.ts";

export function AgentsPanel({ state, full = false }: { readonly state: SessionState; readonly full?: boolean }) {
  const root = state.run?.agent === undefined || state.run.agent === "" ? "general" : state.run.agent;
  const agents = [...state.agents.values()];
  const calls = state.calls.size;
  const tokens = state.usage.input_tokens + state.usage.output_tokens;
  const time = state.run === undefined ? 0 : (state.run.endedAt ?? now.value) - state.run.startedAt;
  const inside = (
    <div class="panel-in">
      <div class="line wrap">
        <div class="grow">
          <h2 class="strong">
            {agents.length === 0 ? t("agentAlone", { agent: root }) : t("agentsCount", { agent: root, n: agents.length })}
          </h2>
          <p class="t3 s12">
            {tokens === 0 ? t("agentTotals", { calls, time: took(time) }) : t("totals", { calls, tokens: short(tokens), time: took(time) })}
          </p>
        </div>
        <div class="seg">
          <a aria-current="page" href={sessionHref(state.sessionId, "agents")}>
            {t("tree")}
          </a>
          <a href={sessionHref(state.sessionId, "agents", "view=timeline")}>{t("timeline")}</a>
        </div>
      </div>
      <div>
        <RootAgent name={root} state={state} tokens={tokens} time={time} />
        <Kids parent={undefined} agents={agents} state={state} />
      </div>
      <h2 class="eyebrow">{t("tasks")}</h2>
      <Tasks state={state} />
    </div>
  );
  return full ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page narrow" tabIndex={0} aria-label={t("agents")}>
      {inside}
    </section>
  ) : (
    inside
  );
}

interface RootProps {
  readonly name: string;
  readonly state: SessionState;
  readonly tokens: number;
  readonly time: number;
}

function RootAgent({ name, state, tokens, time }: RootProps) {
  const calls = [...state.calls.values()].filter(({ agentId, undoOf }) => agentId === undefined && undoOf.length === 0);
  const latest = calls.find(({ status }) => status === "waiting") ?? calls.at(-1);
  const isWaiting = latest?.status === "waiting";
  const dot = isWaiting ? "ask" : state.run?.status === "running" ? "run" : state.run?.status === "done" ? "ok" : "off";
  return (
    <a class="agent" href={sessionHref(state.sessionId)}>
      <span class={`dot ${dot}`} />
      <span class="stack grow">
        <span class="line">
          <span class="medium grow clip">{name}</span>
          <Tokens self={tokens - below(state, undefined)} all={tokens} />
        </span>
        {latest === undefined ? null : (
          <span class="t2 s13 clip">
            {isWaiting ? `${t("waitingForYou")}: ` : ""}
            {verbOf(latest)} {objectOf(latest)}
          </span>
        )}
        <span class="t3 s12">{t("agentTotals", { calls: calls.length, time: took(time) })}</span>
      </span>
    </a>
  );
}

/** Tokens of the agents that one started. */
function below(state: SessionState, id: string | undefined): number {
  return [...state.agents.values()].filter(({ parentId }) => parentId === id).reduce((sum, { tokens }) => sum + tokens, 0);
}

function Tokens({ self, all }: { readonly self: number; readonly all: number }) {
  if (all <= 0) return null;
  const both = t("tokensOf", { self: short(Math.max(0, self)), all: short(all) });
  return (
    <span class="t3 s12 num" title={self === all ? undefined : both}>
      {short(all)}
    </span>
  );
}

interface KidsProps {
  readonly parent: string | undefined;
  readonly agents: readonly AgentState[];
  readonly state: SessionState;
}

function Kids({ parent, agents, state }: KidsProps) {
  const kids = agents.filter(({ parentId }) => parentId === parent);
  if (kids.length === 0) return null;
  return (
    <ul class="agent-kids">
      {kids.map((agent) => (
        <li key={agent.id}>
          <AgentLine agent={agent} state={state} />
          <Kids parent={agent.id} agents={agents} state={state} />
        </li>
      ))}
    </ul>
  );
}

function AgentLine({ agent, state }: { readonly agent: AgentState; readonly state: SessionState }) {
  const asks = [...state.questions.values()].some(({ agentId, answer }) => agentId === agent.id && answer === undefined);
  const dot = asks
    ? "ask"
    : agent.status === "running"
      ? "run"
      : agent.status === "done"
        ? "ok"
        : agent.status === "cancelled"
          ? "off"
          : "bad";
  const time = took((agent.endedAt ?? now.value) - agent.startedAt);
  const cancel = (): void => {
    api("POST", pathOf("sessions", state.sessionId, "agents", agent.id, "cancel"), { subtree: true }).catch((error: Error) =>
      showToast(error.message),
    );
  };
  return (
    <div class="line">
      <a class="agent grow" href={sessionHref(state.sessionId, "chat", `agent=${encodeURIComponent(agent.id)}`)}>
        <span class={`dot ${dot}`} />
        <span class="stack grow">
          <span class="line">
            <span class="medium grow clip">{agent.name}</span>
            <Tokens self={agent.tokens - (agent.endedAt === undefined ? 0 : below(state, agent.id))} all={agent.tokens} />
          </span>
          <span class="t2 s13">{agent.description}</span>
          <span class="t3 s12 clip">
            {t("agentTotals", { calls: agent.calls, time })}
            {agent.doing === "" ? "" : ` · ${t("doingNow", { what: agent.doing })}`}
          </span>
        </span>
      </a>
      {agent.status === "running" && may("call") ? (
        <button type="button" class="btn ghost tight only-icon" aria-label={t("cancelAgent", { agent: agent.name })} onClick={cancel}>
          <Icon name="square" small />
        </button>
      ) : null}
    </div>
  );
}

interface Task {
  readonly id: string;
  readonly kind?: string;
  readonly content?: string;
  readonly title?: string;
  readonly subject?: string;
  readonly status?: string;
}

function Tasks({ state }: { readonly state: SessionState }) {
  const tasks = useSignal<readonly Task[]>([]);
  const { sessionId, calls } = state;
  useEffect(() => {
    const timer = setTimeout(() => {
      api<{ readonly tasks: readonly Task[] }>("GET", pathOf("sessions", sessionId, "tasks")).then(
        // A sub-agent in the background is a task too; the tree shows it already.
        (answer) => (tasks.value = answer.tasks.filter(({ kind }) => kind !== "agent")),
        () => {},
      );
    }, 200);
    return () => clearTimeout(timer);
  }, [sessionId, calls.size]);
  if (tasks.value.length === 0) return <p class="t3 s13">{t("noTasks")}</p>;
  return (
    <ul>
      {tasks.value.map((task) => {
        const isDone = task.status === "done" || task.status === "completed";
        const isNow = task.status === "in_progress" || task.status === "running";
        return (
          <li class={`task ${isDone ? "done" : isNow ? "now" : ""}`} key={task.id}>
            <Icon name={isDone ? "circle-check" : isNow ? "circle-dot" : "circle"} />
            <span class="grow">{task.content ?? task.title ?? task.subject ?? task.id}</span>
            {isNow ? <span class="t3 s12">{t("inProgress")}</span> : null}
          </li>
        );
      })}
    </ul>
  );
}
