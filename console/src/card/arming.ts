/**
 * When an answer may be given: the window has had the focus for 300 ms and the card has stood still for 600 ms. A key
 * also needs that nobody types. So no click that brings the window forward and no stray key decides anything.
 */
import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { hasLayer } from "../parts/dialog.tsx";
import { settings } from "../settings.ts";

const windowMs = 300;
const stillMs = 600;
const lookMs = 100;

const focusedAt = signal(document.hasFocus() ? performance.now() : Number.POSITIVE_INFINITY);
addEventListener("focus", () => (focusedAt.value = performance.now()));
addEventListener("blur", () => (focusedAt.value = Number.POSITIVE_INFINITY));

export interface Arming {
  readonly armed: Signal<boolean>;
  /** Asked at the moment of the press. */
  isArmed(): boolean;
}

export function useArming(card: { readonly current: HTMLElement | null }, identity: string): Arming {
  const armed = useSignal(false);
  useEffect(() => {
    let stillSince = performance.now();
    let place = "";
    armed.value = false;
    const look = (): void => {
      const box = card.current?.getBoundingClientRect();
      const now = box === undefined ? "" : `${Math.round(box.top)} ${Math.round(box.left)} ${Math.round(box.height)}`;
      if (now !== place) {
        place = now;
        stillSince = performance.now();
      }
      const at = performance.now();
      armed.value = at - stillSince >= stillMs && at - focusedAt.value >= windowMs;
    };
    look();
    const timer = setInterval(look, lookMs);
    return () => clearInterval(timer);
  }, [identity, card]);
  return {
    armed,
    isArmed: () => armed.value && performance.now() - focusedAt.value >= windowMs,
  };
}

/** A key that may act: nobody types, no dialog is open, not held down, no modifier but Shift, no input method at work. */
export function isPlainKey(event: KeyboardEvent, insideLayer = false, insideTerminal = false): boolean {
  if (!settings.value.singleKeys) return false;
  if (event.repeat || event.isComposing || event.keyCode === 229) return false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  if (hasLayer() && !insideLayer) return false;
  const at = event.target;
  if (insideTerminal && at instanceof HTMLElement && at.closest(".xterm") !== null) return true;
  return !(at instanceof HTMLElement && at.closest("input, textarea, select, [contenteditable], .xterm") !== null);
}
