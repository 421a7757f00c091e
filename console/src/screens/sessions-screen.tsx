/** Sessions as a list; where there is none yet, three ways to start. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError, api } from "../api/client.ts";
import type { Session } from "../api/types.ts";
import { isPlainKey } from "../card/arming.ts";
import { openOverlay } from "../frame/overlays.tsx";
import { dotOf, inOrder } from "../frame/sidebar.tsx";
import { refreshSessions, sessions } from "../live/sessions.ts";
import { may } from "../me.ts";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { showToast } from "../parts/toast.tsx";
import { copy } from "../session/call-row.tsx";
import { modesInOrder, modeWords } from "../session/modes.ts";
import { sessionHref } from "../session/session-href.ts";
import { titleOf } from "../session/session-title.ts";
import { ago, t } from "../words/words.ts";

export async function newSession(route: (url: string) => void): Promise<void> {
  try {
    const made = await api<Session>("POST", "/sessions", {});
    await refreshSessions();
    route(sessionHref(made.id));
  } catch (error) {
    showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
  }
}

export function SessionsScreen() {
  const { route } = useLocation();
  const list = sessions.value;
  return (
    <>
      <header class="top">
        <h1>{t("sessions")}</h1>
        <span class="grow" />
        {may("call") ? (
          <button type="button" class="btn" aria-keyshortcuts="n" onClick={() => void newSession(route)}>
            <Icon name="plus" small />
            {t("newSession")}
            <kbd>N</kbd>
          </button>
        ) : null}
      </header>
      {list === undefined ? (
        <Skeleton />
      ) : list.length === 0 ? (
        <Welcome />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
        <section class="page narrow" tabIndex={0} aria-label={t("sessions")}>
          <ul class="box">
            {inOrder(list).map((one) => (
              <li key={one.id}>
                <a class="item center" href={sessionHref(one.id)}>
                  <span class={`dot ${dotOf(one)}`} />
                  <span class="grow clip">{titleOf(one.title)}</span>
                  {one.status === "waiting" ? <span class="chip ask">{t("waitingForYou")}</span> : null}
                  {one.status === "failed" ? <span class="chip deny">{t("failed")}</span> : null}
                  {one.status === "running" ? <span class="chip run">{t("running")}</span> : null}
                  <span class="t3 s12 num">{ago(one.updated_at, now.value)}</span>
                </a>
              </li>
            ))}
          </ul>
          <Ways />
        </section>
      )}
    </>
  );
}

interface Doctor {
  readonly checks: readonly {
    readonly name: string;
    readonly detail: string;
    readonly values?: readonly (string | number)[];
    readonly tier?: { readonly name: string; readonly standing: string };
  }[];
}

/** Tiers in which commands run in a layer that can be taken back. */
const layered = new Set(["E0", "E1", "E2", "E2u"]);

function Welcome() {
  const doctor = useSignal<Doctor | undefined>(undefined);
  useEffect(() => {
    api<Doctor>("GET", "/doctor").then(
      (found) => (doctor.value = found),
      () => {},
    );
  }, [doctor]);
  const checks = doctor.value?.checks ?? [];
  const workspace = checks.find(({ name }) => name === "workspace")?.detail ?? "";
  const mode = modesInOrder.find((one) => one === checks.find(({ name }) => name === "config")?.values?.[0]);
  const tier = checks.find((one) => one.tier?.standing === "in_use")?.tier?.name;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page narrow welcome" tabIndex={0} aria-label={t("sessions")}>
      <h2 class="big">{t("welcomeTitle")}</h2>
      <p class="t2">
        {t("welcomeIn")} <code>{workspace === "" ? location.host : workspace}</code>
        {t("welcomePick")}
      </p>
      <Ways byEnter />
      <div class="line wrap holds t2 s13">
        {mode === undefined ? null : (
          <span class="line">
            <Icon name="shield" small />
            {t("modeLine", { mode: t(modeWords[mode].name), meaning: lower(t(modeWords[mode].meaning)) })}
          </span>
        )}
        {checks.length === 0 ? null : (
          <span class="line">
            <Icon name="box" small />
            {t(layered.has(tier ?? "") ? "sandboxOn" : tier === "E4" ? "sandboxSnapshot" : "sandboxOff")}
          </span>
        )}
        <button type="button" class="link" onClick={() => openOverlay("settings")}>
          {t("holdsHere")}
        </button>
      </div>
    </section>
  );
}

/** A sentence that goes on after a comma. */
function lower(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

const connectCommand = "karyi mcp config claude-code";

function Ways({ byEnter = false }: { readonly byEnter?: boolean }) {
  const { route } = useLocation();
  const busy = useSignal(false);
  const demo = async (): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    try {
      const made = await api<Session>("POST", "/demo");
      await refreshSessions();
      route(sessionHref(made.id));
    } catch (error) {
      showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
    }
    busy.value = false;
  };
  const begin = useRef(demo);
  begin.current = demo;
  useEffect(() => {
    if (!byEnter || !may("call")) return;
    const onKey = (event: KeyboardEvent): void => {
      // Enter on a link or a button is theirs.
      if (event.key !== "Enter" || !isPlainKey(event) || document.activeElement?.closest("a, button") != null) return;
      event.preventDefault();
      void begin.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [byEnter]);
  return (
    <div class="welcome">
      <div class="cards">
        <div class="way">
          <Icon name="play" />
          <h2>{t("demoTitle")}</h2>
          <p>{t("demoIs")}</p>
          <button type="button" class="btn primary" disabled={busy.value || !may("call")} onClick={() => void demo()}>
            {busy.value ? <span class="spin" /> : null}
            {t("demoStart")}
            {byEnter ? <kbd>⏎</kbd> : null}
          </button>
        </div>
        <div class="way">
          <Icon name="connect" />
          <h2>{t("connectTitle")}</h2>
          <p>{t("connectIs")}</p>
          <div class="cmd">
            <pre>{connectCommand}</pre>
          </div>
          <button type="button" class="btn" onClick={() => copy(connectCommand)}>
            <Icon name="copy" small />
            {t("copyCommand")}
          </button>
        </div>
        <div class="way">
          <Icon name="tools" />
          <h2>{t("tryTitle")}</h2>
          <p>{t("tryIs")}</p>
          <a class="btn" href="/tools">
            {t("openTools")}
          </a>
        </div>
      </div>
    </div>
  );
}
