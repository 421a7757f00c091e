/** Where one is in a conversation: arrow keys between rows, and the same place again after a reload. */
import { useEffect, useRef } from "preact/hooks";
import type { Row } from "../state/rows.ts";

const placeOf = (sessionId: string): string => `karyi.place.${sessionId}`;

/** From a row that can be opened to the next one: the rows are a list for the keyboard. */
export function moveBetweenRows(event: KeyboardEvent): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const from = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(rowSelector) : null;
  if (by === 0 || event.altKey || event.ctrlKey || event.metaKey || from === null) return;
  const all = [...document.querySelectorAll<HTMLElement>(`.talk-scroll ${rowSelector}`)].sort((a, b) => topOf(a) - topOf(b));
  const next = all[all.indexOf(from) + by];
  if (next === undefined) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

const rowSelector = ":is(button.call, a.call)";

function topOf(element: HTMLElement): number {
  return element.getBoundingClientRect().top;
}

interface Scrolling {
  scrollToIndex(index: number, options?: { align?: "start" }): void;
}

/** A reload shows the row that stood at the top; at the end it follows the end. */
export function usePlaceKept(sessionId: string, rows: readonly Row[], virtualizer: Scrolling, following: { value: boolean }): void {
  const latest = useRef(rows);
  latest.current = rows;
  const isRestored = useRef(false);
  useEffect(() => {
    if (isRestored.current || rows.length === 0) return;
    isRestored.current = true;
    if (location.hash.startsWith("#seq-")) return;
    const key = read(sessionId);
    const index = key === undefined ? -1 : rows.findIndex((row) => row.key === key);
    if (index < 0) return;
    following.value = false;
    virtualizer.scrollToIndex(index, { align: "start" });
  }, [sessionId, rows, virtualizer, following]);
  useEffect(() => {
    const keep = (): void => {
      const key = following.value ? undefined : latest.current[firstVisible()]?.key;
      try {
        if (key === undefined) sessionStorage.removeItem(placeOf(sessionId));
        else sessionStorage.setItem(placeOf(sessionId), key);
      } catch {
        // Storage may be closed: the reload begins at the end.
      }
    };
    addEventListener("pagehide", keep);
    return () => removeEventListener("pagehide", keep);
  }, [sessionId, following]);
}

/** Index of the first row that can be seen. */
export function firstVisible(): number {
  const top = document.querySelector(".talk-scroll")?.getBoundingClientRect().top ?? 0;
  for (const row of [...document.querySelectorAll<HTMLElement>(".talk-row")].sort((a, b) => topOf(a) - topOf(b))) {
    if (row.getBoundingClientRect().bottom > top + 1) return Number(row.dataset.index);
  }
  return 0;
}

function read(sessionId: string): string | undefined {
  try {
    return sessionStorage.getItem(placeOf(sessionId)) ?? undefined;
  } catch {
    return undefined;
  }
}
