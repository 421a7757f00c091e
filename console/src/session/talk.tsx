/** The conversation: a virtual list that follows its end until the reader scrolls up, and never moves while one reads. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { useVirtual } from "../parts/use-virtual.ts";
import { type Row, rowsOf } from "../state/rows.ts";
import type { SessionState, Thread } from "../state/session-state.ts";
import { t } from "../words/words.ts";
import { FindBar } from "./find-bar.tsx";
import { firstVisible, moveBetweenRows, usePlaceKept } from "./talk-place.ts";
import { TalkRow } from "./talk-row.tsx";

interface TalkProps {
  readonly state: SessionState;
  readonly thread: Thread;
  readonly waiting: boolean;
  readonly label: string;
}

/** Within so many pixels of the end the list follows. */
const endMargin = 24;
const edge = 16;

export function Talk({ state, thread, waiting, label }: TalkProps) {
  const scroller = useRef<HTMLElement>(null);
  const following = useSignal(true);
  const seen = useRef(0);
  // Text that grows changes its own entry only: rows are made anew when an entry or a call changed.
  const rows = useMemo(() => rowsOf(state, thread), [state, thread]);
  const { items, height, virtualizer } = useVirtual({
    count: rows.length,
    scroller,
    keyOf: (index) => rows[index]?.key ?? String(index),
    estimate: (index) => estimate(rows[index]),
    paddingStart: edge,
    paddingEnd: edge,
  });
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item) => !following.value && item.start < (virtualizer.scrollOffset ?? 0);

  useLayoutEffect(() => {
    const at = scroller.current;
    if (following.value && at) {
      at.scrollTop = at.scrollHeight;
      seen.current = rows.length;
    }
  }, [height, rows, following]);

  useEffect(() => {
    const at = scroller.current;
    if (!at) return;
    let last = at.scrollTop;
    const onScroll = (): void => {
      const isAtEnd = at.scrollHeight - at.scrollTop - at.clientHeight <= endMargin;
      if (isAtEnd) following.value = true;
      else if (at.scrollTop < last - 0.5) following.value = false;
      last = at.scrollTop;
    };
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY < 0 && at.scrollHeight > at.clientHeight) following.value = false;
    };
    const resized = new ResizeObserver(() => {
      if (following.value) at.scrollTop = at.scrollHeight;
    });
    resized.observe(at);
    at.addEventListener("scroll", onScroll, { passive: true });
    at.addEventListener("wheel", onWheel, { passive: true });
    return () => {
      resized.disconnect();
      at.removeEventListener("scroll", onScroll);
      at.removeEventListener("wheel", onWheel);
    };
  }, [following]);

  useJump(rows, virtualizer, following);
  usePlaceKept(state.sessionId, rows, virtualizer, following);
  const found = useSignal<number | undefined>(undefined);
  const showRow = (index: number): void => {
    following.value = false;
    virtualizer.scrollToIndex(index, { align: "center" });
  };

  const fresh = Math.max(0, rows.length - seen.current);
  const toEnd = (): void => {
    following.value = true;
    const at = scroller.current;
    if (at) at.scrollTop = at.scrollHeight;
  };
  return (
    <>
      <FindBar rows={rows} state={state} onShow={showRow} found={found} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="talk-scroll" onKeyDown={moveBetweenRows} ref={scroller} role="log" aria-live="off" aria-label={label} tabIndex={0}>
        <Spaced height={height}>
          {items.map((item) => {
            const row = rows[item.index];
            return row === undefined ? null : (
              <Placed
                key={item.key}
                start={item.start}
                index={item.index}
                found={found.value === item.index}
                measure={virtualizer.measureElement}
              >
                <TalkRow row={row} state={state} />
              </Placed>
            );
          })}
        </Spaced>
      </section>
      {following.value ? null : (
        <div class="pill-at">
          <button type="button" class="btn pill" onClick={toEnd}>
            <Icon name="arrow-down" small />
            {fresh === 0 ? t("toEnd") : waiting ? t("newWaiting", { n: fresh }) : t("newBelow", { n: fresh })}
          </button>
        </div>
      )}
    </>
  );
}

/** Sizes are set from script: the page's policy lets no style attribute through. */
function Spaced({ height, children }: { readonly height: number; readonly children: preact.ComponentChildren }) {
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (at.current) at.current.style.height = `${height}px`;
  }, [height]);
  return (
    <div class="talk-space" ref={at}>
      {children}
    </div>
  );
}

interface PlacedProps {
  readonly start: number;
  readonly index: number;
  readonly found: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly children: preact.ComponentChildren;
}

function Placed({ start, index, found, measure, children }: PlacedProps) {
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (at.current) at.current.style.transform = `translateY(${start}px)`;
  }, [start]);
  useLayoutEffect(() => {
    if (at.current) {
      at.current.dataset.index = String(index);
      measure(at.current);
    }
  }, [index, measure]);
  return (
    <div class={found ? "talk-row found" : "talk-row"} ref={at} data-index={index}>
      {children}
    </div>
  );
}

/** `#seq-812` shows that event; ⌥↑ and ⌥↓ go from message to message. */
function useJump(
  rows: readonly Row[],
  virtualizer: { scrollToIndex(index: number, options?: { align?: "start" | "center" }): void; scrollOffset: number | null },
  following: { value: boolean },
): void {
  const latest = useRef(rows);
  latest.current = rows;
  const done = useRef("");
  useEffect(() => {
    const match = /^#seq-(\d+)$/.exec(location.hash);
    if (match === null || done.current === location.hash || rows.length === 0) return;
    done.current = location.hash;
    const wanted = Number(match[1]);
    const index = rows.findLastIndex((row) => seqOf(row) <= wanted);
    if (index < 0) return;
    following.value = false;
    virtualizer.scrollToIndex(index, { align: "start" });
  }, [rows, virtualizer, following]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
      event.preventDefault();
      const all = latest.current.flatMap((row, index) => (row.kind === "entry" && row.entry.kind === "said" ? [index] : []));
      const first = firstVisible();
      const next = event.key === "ArrowUp" ? all.findLast((index) => index < first) : all.find((index) => index > first);
      if (next === undefined) return;
      following.value = false;
      virtualizer.scrollToIndex(next, { align: "start" });
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [virtualizer, following]);
}

function seqOf(row: Row): number {
  return row.kind === "entry" ? row.entry.seq : row.seq;
}

function estimate(row: Row | undefined): number {
  if (row === undefined || row.kind !== "entry") return 32;
  const { entry } = row;
  if (entry.kind === "text" || entry.kind === "said") return 40 + Math.floor(entry.text.length / 90) * 22;
  return 36;
}
