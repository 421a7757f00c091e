/** Search in a conversation: a field above it, how many rows hold the words, and from one to the next. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isPlainKey } from "../card/arming.ts";
import { Icon } from "../parts/icon.tsx";
import { findRows, type Row } from "../state/rows.ts";
import type { SessionState } from "../state/session-state.ts";
import { t } from "../words/words.ts";

interface FindBarProps {
  readonly rows: readonly Row[];
  readonly state: SessionState;
  readonly onShow: (index: number) => void;
  readonly found: Signal<number | undefined>;
}

export function FindBar({ rows, state, onShow, found }: FindBarProps) {
  const open = useSignal(false);
  const text = useSignal("");
  const place = useSignal(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || !isPlainKey(event)) return;
      event.preventDefault();
      open.value = true;
      setTimeout(() => field.current?.select());
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [open]);
  useEffect(() => {
    if (open.value) field.current?.focus();
  }, [open.value]);
  if (!open.value) return null;
  const hits = findRows(rows, state, text.value);
  const show = (next: number): void => {
    if (hits.length === 0) return;
    place.value = (next + hits.length) % hits.length;
    const index = hits[place.value];
    found.value = index;
    if (index !== undefined) onShow(index);
  };
  const close = (): void => {
    open.value = false;
    found.value = undefined;
    document.querySelector<HTMLElement>(".talk-scroll")?.focus();
  };
  return (
    <search class="find-bar">
      <Icon name="search" small />
      <input
        ref={field}
        class="grow"
        aria-label={t("findHere")}
        placeholder={t("findHere")}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          // From the end: what is looked for is more often new than old.
          const last = findRows(rows, state, currentTarget.value);
          place.value = Math.max(0, last.length - 1);
          const index = last.at(-1);
          found.value = index;
          if (index !== undefined) onShow(index);
        }}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === "Enter") show(place.value + (event.shiftKey ? 1 : -1));
          else if (event.key === "Escape") {
            event.stopPropagation();
            close();
          }
        }}
      />
      <span class="t3 s12 num" role="status">
        {text.value === "" ? "" : hits.length === 0 ? t("noHits") : t("ofMany", { i: place.value + 1, n: hits.length })}
      </span>
      <button type="button" class="btn ghost tight only-icon" aria-label={t("previous")} onClick={() => show(place.value - 1)}>
        <Icon name="arrow-up" small />
      </button>
      <button type="button" class="btn ghost tight only-icon" aria-label={t("next")} onClick={() => show(place.value + 1)}>
        <Icon name="arrow-down" small />
      </button>
      <button type="button" class="btn ghost tight only-icon" aria-label={t("close")} onClick={close}>
        <Icon name="close" small />
      </button>
    </search>
  );
}
