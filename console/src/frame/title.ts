/** Tab title, favicon, badge and desktop notifications: how a person who looks elsewhere learns that something waits. */
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inbox } from "../live/sessions.ts";
import { settings } from "../settings.ts";
import { t } from "../words/words.ts";

const plain = "/favicon.svg";
const dotted = "/favicon-waiting.svg";

export function useTitle(): void {
  useEffect(() => {
    let known: ReadonlySet<string> | undefined;
    return effect(() => {
      const { items, counts } = inbox.value;
      const n = counts.waiting;
      document.title = n > 0 ? `(${n}) ${t("waitingTitle")} · Karyi` : "Karyi";
      const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
      if (icon) icon.href = n > 0 ? dotted : plain;
      const badge = navigator as { setAppBadge?: (count: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
      void (n > 0 ? badge.setAppBadge?.(n) : badge.clearAppBadge?.())?.catch(() => {});
      const fresh = known === undefined ? [] : items.filter(({ id }) => !known?.has(id));
      known = new Set(items.map(({ id }) => id));
      for (const item of fresh) tell(item.id, item.summary);
    });
  }, []);
}

/** Opens the question; never answers it. */
function tell(id: string, summary: string): void {
  const { notifications, sound } = settings.peek();
  if (!document.hidden) return;
  if (sound) beep();
  if (!notifications || !("Notification" in window) || Notification.permission !== "granted") return;
  const note = new Notification(t("waitingForYou"), { body: summary, tag: id });
  note.onclick = () => {
    window.focus();
    location.assign(`/inbox/${encodeURIComponent(id)}`);
  };
}

function beep(): void {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  volume.gain.value = 0.05;
  tone.frequency.value = 660;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.12);
}
