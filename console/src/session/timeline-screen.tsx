/** The timeline: lanes of bars, and below it the same as a table, which is the form for everybody. */
import "../theme/work.css";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isPlainKey } from "../card/arming.ts";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import type { SessionState } from "../state/session-state.ts";
import { type Bar, type BarKind, placeOf, type Timeline, timelineOf } from "../state/timeline.ts";
import type { Key } from "../words/en.ts";
import { atSecond, t, took } from "../words/words.ts";
import { sessionHref } from "./session-href.ts";
import { objectOf, verbOf } from "./verbs.ts";

const kinds: readonly (readonly [BarKind, Key])[] = [
  ["reads", "reads_bar"],
  ["changes", "changes_bar"],
  ["running", "running_bar"],
  ["person", "person_bar"],
  ["failed", "failed_bar"],
  ["thinking", "thinking_bar"],
];
const zooms = [1, 1.5, 2, 3, 5, 8, 12] as const;
const tableRows = 200;

export function TimelineScreen({ state }: { readonly state: SessionState }) {
  const zoom = useSignal(0);
  const line = timelineOf(state, now.value);
  const calls = [...state.calls.values()];
  const starts = new Map([...state.agents.values()].map((agent) => [agent.callId, agent]));
  const by = (step: number): void => {
    zoom.value = Math.max(0, Math.min(zooms.length - 1, zoom.value + step));
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPlainKey(event)) return;
      if (event.key === "+" || event.key === "=") zoom.value = Math.min(zooms.length - 1, zoom.value + 1);
      else if (event.key === "-") zoom.value = Math.max(0, zoom.value - 1);
      else if (event.key === "0") zoom.value = 0;
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [zoom]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page timeline" tabIndex={0} aria-label={t("timeline")}>
      <div class="line wrap">
        <div class="seg">
          <a href={sessionHref(state.sessionId, "agents")}>{t("tree")}</a>
          <a aria-current="page" href={sessionHref(state.sessionId, "agents", "view=timeline")}>
            {t("timeline")}
          </a>
        </div>
        <span class="t2 s13">
          {t("timelineTotals", { calls: calls.length, time: took(line.end - line.start), waited: took(line.waitedMs) })}
        </span>
        <span class="grow" />
        <span class="line not-phone">
          <button type="button" class="btn ghost only-icon" aria-label={t("zoomOut")} onClick={() => by(-1)}>
            <Icon name="zoom-out" />
          </button>
          <button type="button" class="btn ghost only-icon" aria-label={t("zoomIn")} onClick={() => by(1)}>
            <Icon name="zoom-in" />
          </button>
          <button type="button" class="btn ghost" onClick={() => (zoom.value = 0)}>
            {t("fit")}
            <kbd>0</kbd>
          </button>
        </span>
      </div>
      <Lanes line={line} zoom={zooms[zoom.value] ?? 1} />
      <ul class="line wrap legend not-phone s12 t2">
        {kinds.map(([kind, word]) => (
          <li class="line" key={kind}>
            <span class={`bar-sample ${kind}`} />
            {t(word)}
          </li>
        ))}
      </ul>
      <table class="grid-table events">
        <thead>
          <tr>
            <th>{t("time")}</th>
            <th>{t("agent")}</th>
            <th>{t("event")}</th>
            <th class="right">{t("took")}</th>
          </tr>
        </thead>
        <tbody>
          {calls
            .sort((a, b) => b.seq - a.seq)
            .slice(0, tableRows)
            .map((call) => (
              <tr key={call.callId}>
                <td class="t3 num">{atSecond(call.startedAt)}</td>
                <td>{call.agentId === undefined ? (line.lanes[0]?.name ?? "") : (state.agents.get(call.agentId)?.name ?? "")}</td>
                <td>
                  <span class="t3 s12 phone-agent">
                    {call.agentId === undefined ? (line.lanes[0]?.name ?? "") : (state.agents.get(call.agentId)?.name ?? "")}
                  </span>
                  {starts.get(call.callId) === undefined ? (
                    <>
                      {call.status === "waiting" ? t("asksFor", { what: "" }) : verbOf(call)} <code class="breaks">{objectOf(call)}</code>
                    </>
                  ) : (
                    t("startedAgent", { agent: starts.get(call.callId)?.name ?? "", what: starts.get(call.callId)?.description ?? "" })
                  )}
                </td>
                <td class="right num">
                  {call.status === "waiting" ? (
                    <span class="chip ask num">{t("waitingFor", { time: took(now.value - call.startedAt) })}</span>
                  ) : call.status === "error" || call.status === "denied" ? (
                    <span class="chip deny">{t("failed")}</span>
                  ) : (
                    <span class="t3">{took((call.endedAt ?? now.value) - call.startedAt)}</span>
                  )}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

function Lanes({ line, zoom }: { readonly line: Timeline; readonly zoom: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const drag = useRef<number | undefined>(undefined);
  const length = Math.max(1, placeOf(line.end, line));
  const part = (time: number): number => (placeOf(time, line) / length) * 100;
  return (
    <div class="lanes not-phone" aria-hidden="true">
      <div class="lane-names">
        <div class="lane-head" />
        {line.lanes.map(({ id, name, calls }) => (
          <div class="lane-name" key={id}>
            <span class="medium s13 clip">{name}</span>
            <span class="t3 s12 clip">{t("subAgent", { n: calls })}</span>
          </div>
        ))}
      </div>
      <div
        class="lane-scroll"
        ref={scroller}
        onPointerDown={(event) => {
          drag.current = event.clientX;
        }}
        onPointerMove={(event) => {
          if (drag.current === undefined || !scroller.current) return;
          scroller.current.scrollLeft -= event.clientX - drag.current;
          drag.current = event.clientX;
        }}
        onPointerUp={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => {
          drag.current = undefined;
        }}
      >
        <Wide zoom={zoom} live={line.isLive}>
          <div class="lane-head">
            {ticks(line, zoom).map((time) => (
              <Placed key={time} left={part(time)} class="tick t3 s12 num">
                {atSecond(time)}
              </Placed>
            ))}
          </div>
          {line.lanes.map(({ id, bars }) => (
            <div class="lane" key={id}>
              {bars.map((bar) => (
                <Placed
                  key={`${bar.callId} ${bar.kind}`}
                  left={part(bar.from)}
                  width={part(bar.to) - part(bar.from)}
                  class={`bar ${bar.kind}`}
                >
                  <span>{wordOf(bar)}</span>
                </Placed>
              ))}
            </div>
          ))}
          {line.folds.map(({ from, to }) => (
            <Placed key={from} left={part(from)} width={part(to) - part(from)} class="fold t3 s12">
              {t("idleHidden", { time: took(to - from) })}
            </Placed>
          ))}
        </Wide>
      </div>
    </div>
  );
}

function wordOf({ kind, label }: Bar): string {
  return kind === "person" ? t("waitingRow") : label;
}

const stepsMs = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400].map((seconds) => seconds * 1000);

/** So much of a screen's width is kept free for the words of the last moment. */
const endPart = 0.07;

/** Round moments, about six on a screen; none inside a fold. */
function ticks(line: Timeline, zoom: number): readonly number[] {
  const wanted = placeOf(line.end, line) / (6 * zoom);
  const step = stepsMs.find((one) => one >= wanted) ?? 86_400_000;
  const first = Math.ceil(line.start / step) * step;
  const count = Math.min(200, Math.max(0, Math.floor((line.end - first) / step) + 1));
  const all = Array.from({ length: count }, (_, index) => first + index * step);
  // A moment right at the end has no room for its words.
  const last = placeOf(line.end, line) * (1 - endPart / zoom);
  const open = all.filter((time) => placeOf(time, line) <= last && !line.folds.some(({ from, to }) => time > from && time < to));
  return open.length > 0 ? open : [line.start];
}

function Wide({ zoom, live, children }: { readonly zoom: number; readonly live: boolean; readonly children: preact.ComponentChildren }) {
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (at.current) at.current.style.width = `${zoom * 100}%`;
  }, [zoom]);
  return (
    <div class={live ? "lane-wide now" : "lane-wide"} ref={at}>
      {children}
    </div>
  );
}

interface PlacedProps {
  readonly left: number;
  readonly width?: number;
  readonly class: string;
  readonly children: preact.ComponentChildren;
}

function Placed({ left, width, class: name, children }: PlacedProps) {
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!at.current) return;
    at.current.style.left = `${left}%`;
    if (width !== undefined) at.current.style.width = `max(4px, ${width}%)`;
  }, [left, width]);
  return (
    <div class={name} ref={at}>
      {children}
    </div>
  );
}
