/** Keys that work on every screen. A key acts only if nobody types; inner meanings win because they come first. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isPlainKey } from "../card/arming.ts";
import { openSession } from "../live/sessions.ts";
import { newSession } from "../screens/sessions-screen.tsx";
import { sessionHref, sessionTabs } from "../session/session-href.ts";
import { undoLast } from "../session/steps.ts";
import { change, settings } from "../settings.ts";
import { openOverlay } from "./overlays.tsx";

const goes: Readonly<Record<string, string>> = { i: "/inbox", s: "/s", t: "/tools", p: "/policy" };
const goPauseMs = 1200;
/** True after `g`, until the next key. */
const going = signal(false);

export function useKeys(route: (url: string) => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k" && !event.isComposing) {
        event.preventDefault();
        openOverlay("palette");
        return;
      }
      const id = sessionIdAt(location.pathname);
      if (event.altKey && id !== undefined && /^Digit[1-5]$/.test(event.code)) {
        const tab = sessionTabs[Number(event.code.slice(5)) - 1];
        if (tab === undefined) return;
        event.preventDefault();
        route(sessionHref(id, tab));
        return;
      }
      if (!isPlainKey(event)) return;
      if (going.value) {
        going.value = false;
        const to = goes[event.key];
        if (to !== undefined) {
          event.preventDefault();
          route(to);
        }
        return;
      }
      if (event.key === "g") {
        going.value = true;
        clearTimeout(timer);
        timer = setTimeout(() => (going.value = false), goPauseMs);
        return;
      }
      const act = actionOf(event.key, id, route);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKey);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", onKey);
    };
  }, [route]);
}

function actionOf(key: string, id: string | undefined, route: (url: string) => void): (() => void) | undefined {
  if (key === "?") return () => openOverlay("keys");
  if (key === "n" && document.activeElement?.closest(".diff") === null) return () => void newSession(route);
  if (id === undefined) return undefined;
  switch (key) {
    case "c":
      return () => document.querySelector<HTMLElement>("#composer")?.focus();
    case "u":
      return () => void undoLast(openSession(id).state.value);
    case "U":
      return () => route(sessionHref(id, "changes"));
    case "t":
      return () => route(sessionHref(id, "terminal"));
    case "]":
      return () => change({ panel: !settings.value.panel });
    case "}":
      // The panel at full width: whatever is shown there has an address of its own.
      return () => route(sessionHref(id, document.querySelector(".panel [data-panel=agents]") === null ? "changes" : "agents"));
    case ".":
      return () => document.querySelector<HTMLElement>("[data-stop]")?.click();
    default:
      return undefined;
  }
}

export function sessionIdAt(path: string): string | undefined {
  const match = /^\/s\/([^/]+)/.exec(path);
  return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
}
