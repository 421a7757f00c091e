/** Says truthfully how the connection is: after 2 s that it is gone, after 30 s what to start, and what was caught up. */
import { useEffect } from "preact/hooks";
import { caughtUp, lastSign, link } from "../live/sessions.ts";
import type { LinkState } from "../live/stream.ts";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import { atSecond, t } from "../words/words.ts";

const quietMs = 2000;
const longMs = 30_000;
const backMs = 5000;

export function Banner() {
  const state = link.value;
  const back = caughtUp.value;
  useEffect(() => {
    if (back === undefined) return;
    const timer = setTimeout(() => (caughtUp.value = undefined), backMs);
    return () => clearTimeout(timer);
  }, [back]);
  return <BannerNote state={state} back={back} />;
}

/** The same for a state that is handed over. */
export function BannerNote({ state, back }: { readonly state: LinkState; readonly back: number | undefined }) {
  if (state.kind === "lost") {
    const lostMs = now.value - state.since;
    if (state.reason === "unauthorized") {
      return (
        <div class="note deny banner" role="status">
          <Icon name="lock" />
          <span>
            {t("loggedOut")} <a href="/">{t("logIn")}</a>
          </span>
        </div>
      );
    }
    if (lostMs < quietMs) return null;
    if (state.reason === "busy") {
      return (
        <div class="note run banner" role="status">
          <span class="spin" />
          <span>{t("busy")}</span>
        </div>
      );
    }
    return lostMs < longMs ? (
      <div class="note run banner" role="status">
        <span class="spin" />
        <span>{t("reconnecting", { time: atSecond(lastSign.value === 0 ? state.since : lastSign.value) })}</span>
      </div>
    ) : (
      <div class="note deny banner" role="status">
        <Icon name="offline" />
        <span>
          {t("serverGone", { host: location.host })} <code>karyi serve</code>
        </span>
      </div>
    );
  }
  if (back === undefined) return null;
  return (
    <div class="note banner" role="status">
      <Icon name="check" />
      <span>{t("caughtUp", { n: back })}</span>
    </div>
  );
}
