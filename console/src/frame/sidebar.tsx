/** Places and sessions: those that wait first, then running ones, then by time. */
import type { Session } from "../api/types.ts";
import { inbox, link, sessions } from "../live/sessions.ts";
import { now } from "../parts/clock.ts";
import { Icon, Mark } from "../parts/icon.tsx";
import { sessionHref } from "../session/session-href.ts";
import { titleOf } from "../session/session-title.ts";
import { ago, t } from "../words/words.ts";
import { isAt, places } from "./app.tsx";
import { openOverlay } from "./overlays.tsx";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export function Sidebar({ path }: { readonly path: string }) {
  const { waiting } = inbox.value.counts;
  return (
    <nav class="side" aria-label={t("places")}>
      <div class="brand">
        <Mark />
        <span class="wide">Karyi</span>
      </div>
      <button type="button" class="find" onClick={() => openOverlay("palette")}>
        <Icon name="search" small />
        <span class="grow find-text">{t("search")}</span>
        <kbd class="wide">{isMac ? "⌘" : "Ctrl"}</kbd>
        <kbd class="wide">K</kbd>
      </button>
      <ul class="places">
        {places.map(({ href, key, icon }) => (
          <li key={key}>
            <a href={href} aria-current={isAt(path, href) ? "page" : undefined}>
              <Icon name={icon} />
              <span>{t(key)}</span>
              {key === "inbox" && waiting > 0 ? <span class="badge at-right">{waiting}</span> : null}
            </a>
          </li>
        ))}
      </ul>
      <SessionList path={path} />
      <div class="foot">
        <span class={`dot ${link.value.kind === "open" ? "ok" : link.value.kind === "lost" ? "bad" : "off"} wide`} />
        <span class="wide clip grow">
          {link.value.kind === "open"
            ? t("connected", { host: location.host })
            : link.value.kind === "lost"
              ? t("notConnected")
              : t("connecting")}
        </span>
        <button type="button" class="btn ghost only-icon tight" aria-label={t("settings")} onClick={() => openOverlay("settings")}>
          <Icon name="settings" small />
        </button>
      </div>
    </nav>
  );
}

function SessionList({ path }: { readonly path: string }) {
  const list = sessions.value;
  if (list === undefined) return null;
  // Of one workspace they bear its name; the demo has a folder of its own.
  const workspaces = new Set(list.map(({ workspace: path }) => path));
  const workspace = workspaces.size === 1 ? ([...workspaces][0]?.split("/").at(-1) ?? "") : "";
  return (
    <>
      <h2 class="eyebrow">{workspace === "" ? t("sessions") : workspace}</h2>
      {list.length === 0 ? <p class="t3 s12 no-sessions wide">{t("noSessions")}</p> : null}
      <ul class="sess scroll">
        {inOrder(list).map((one) => (
          <li key={one.id}>
            <a href={sessionHref(one.id)} aria-current={path.startsWith(sessionHref(one.id)) ? "page" : undefined}>
              <span class={`dot ${dotOf(one)}`} />
              <span class="clip">{titleOf(one.title)}</span>
              <span class="at-right word">{wordOf(one)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function wordOf({ status, updated_at: time }: Session): string {
  if (status === "waiting") return t("waiting");
  if (status === "failed") return t("failedWord");
  // Seconds that tick at the edge of the eye say nothing.
  return now.value - time < 60_000 ? t("justNow") : ago(time, now.value);
}

const rank = { waiting: 0, running: 1, failed: 2, idle: 2 } as const;

export function inOrder(list: readonly Session[]): readonly Session[] {
  return [...list].sort((a, b) => rank[a.status] - rank[b.status] || b.updated_at - a.updated_at);
}

export function dotOf({ status, last_seq: last }: Session): string {
  if (status === "waiting") return "ask";
  if (status === "running") return "run";
  if (status === "failed") return "bad";
  return last === 0 ? "off" : "ok";
}
