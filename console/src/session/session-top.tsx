/** The bar above a session: its name, its state, mode, stop, and what else can be done with it. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { ApiError, api, pathOf, ticketFor } from "../api/client.ts";
import type { Mode, Session } from "../api/types.ts";
import { refreshSessions } from "../live/sessions.ts";
import { may } from "../me.ts";
import { Dialog, Menu } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { showToast } from "../parts/toast.tsx";
import { change, settings } from "../settings.ts";
import type { SessionState } from "../state/session-state.ts";
import { t } from "../words/words.ts";
import { modesInOrder, modeWords } from "./modes.ts";
import { type SessionTab, sessionHref } from "./session-href.ts";
import { titleOf } from "./session-title.ts";
import { undoLast } from "./steps.ts";

interface TopProps {
  readonly id: string;
  readonly info: Session | undefined;
  readonly state: SessionState;
  readonly waiting: boolean;
  readonly tab: SessionTab;
}

export function SessionTop({ id, info, state, waiting }: TopProps) {
  const { route } = useLocation();
  const menu = useSignal(false);
  const asksStop = useSignal(false);
  const isRunning = state.run?.status === "running";
  const title = info?.title === undefined || info.title === "" ? firstWords(state) : info.title;
  const stop = (): void => {
    asksStop.value = false;
    if (state.run) void tell(api("POST", pathOf("sessions", id, "runs", state.run.runId, "cancel")));
  };
  return (
    <header class="top">
      <a class="btn ghost only-icon phone-only" aria-label={t("back")} href="/s">
        <Icon name="chevron-left" />
      </a>
      <h1 class="clip" title={title}>
        {titleOf(title)}
      </h1>
      <StateChip state={state} waiting={waiting} />
      <span class="grow" />
      {info === undefined ? null : <ModeMenu id={id} mode={info.mode} />}
      {isRunning && may("call") ? (
        <button type="button" class="btn not-phone" aria-keyshortcuts="." data-stop onClick={() => (asksStop.value = true)}>
          <Icon name="square" small />
          {t("stop")}
        </button>
      ) : null}
      <span class="menu-at">
        <button
          type="button"
          class="btn ghost only-icon"
          aria-label={t("more")}
          aria-haspopup="menu"
          aria-expanded={menu.value}
          onClick={() => (menu.value = !menu.value)}
        >
          <Icon name="more" />
        </button>
        {menu.value ? (
          <Menu label={t("more")} onClose={() => (menu.value = false)}>
            <MenuItem icon="undo" text={t("undoLast")} run={() => void undoLast(state)} close={menu} />
            <MenuItem icon="steps" text={t("undoSeveral")} run={() => route(sessionHref(id, "changes"))} close={menu} />
            <MenuItem icon="layers" text={t("togglePanel")} run={() => change({ panel: !settings.value.panel })} close={menu} />
            {isRunning ? <MenuItem icon="square" text={t("stop")} run={() => (asksStop.value = true)} close={menu} /> : null}
            <MenuItem icon="download" text={t("export")} run={() => void tell(exportSession(id))} close={menu} />
          </Menu>
        ) : null}
      </span>
      {asksStop.value ? (
        <Dialog title={t("stop")} onClose={() => (asksStop.value = false)}>
          <div class="inside">
            <p>{t("stopAsk")}</p>
            <div class="line">
              <button type="button" class="btn danger" data-first onClick={stop}>
                {t("stop")}
              </button>
              <button type="button" class="btn" onClick={() => (asksStop.value = false)}>
                {t("cancel")}
              </button>
            </div>
          </div>
        </Dialog>
      ) : null}
    </header>
  );
}

interface MenuItemProps {
  readonly icon: "undo" | "steps" | "layers" | "square" | "download";
  readonly text: string;
  readonly run: () => void;
  readonly close: { value: boolean };
}

function MenuItem({ icon, text, run, close }: MenuItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      onClick={() => {
        close.value = false;
        run();
      }}
    >
      <Icon name={icon} small />
      {text}
    </button>
  );
}

function StateChip({ state, waiting }: { readonly state: SessionState; readonly waiting: boolean }) {
  const status = state.run?.status;
  if (waiting)
    return (
      <span class="chip ask">
        <Icon name="hand" small />
        {t("waitingForYou")}
      </span>
    );
  if (status === "running")
    return (
      <span class="chip run">
        <span class="spin" />
        {t("running")}
      </span>
    );
  if (status === "done")
    return (
      <span class="chip allow">
        <Icon name="check" small />
        {t("done")}
      </span>
    );
  if (status === "cancelled")
    return (
      <span class="chip">
        <Icon name="square" small />
        {t("stopped")}
      </span>
    );
  if (status === undefined) return null;
  return (
    <span class="chip deny">
      <Icon name="circle-x" small />
      {t("failed")}
    </span>
  );
}

function ModeMenu({ id, mode }: { readonly id: string; readonly mode: Mode }) {
  const open = useSignal(false);
  const wider = useSignal<Mode | undefined>(undefined);
  const set = (next: Mode): void => {
    open.value = false;
    wider.value = undefined;
    void tell(api("PATCH", pathOf("sessions", id), { mode: next }).then(refreshSessions));
  };
  const choose = (next: Mode): void => {
    if (modesInOrder.indexOf(next) > modesInOrder.indexOf(mode)) {
      open.value = false;
      wider.value = next;
    } else set(next);
  };
  return (
    <span class="menu-at not-phone">
      <button
        type="button"
        class="btn ghost"
        aria-haspopup="menu"
        aria-expanded={open.value}
        disabled={!may("approve")}
        onClick={() => (open.value = !open.value)}
      >
        <Icon name="shield" small />
        <span class="hidden">{t("mode")}</span>
        {t(modeWords[mode].name)}
        <Icon name="chevron-down" small />
      </button>
      {open.value ? (
        <Menu label={t("mode")} onClose={() => (open.value = false)}>
          {modesInOrder.map((one) => (
            <button type="button" role="menuitemradio" aria-checked={one === mode} key={one} onClick={() => choose(one)}>
              <span class="stack grow">
                <span class="medium">
                  {t(modeWords[one].name)} {one === mode ? <span class="t3 s12">{t("current")}</span> : null}
                </span>
                <span class="t3 s12">{t(modeWords[one].meaning)}</span>
              </span>
            </button>
          ))}
        </Menu>
      ) : null}
      {wider.value === undefined ? null : (
        <Dialog title={t("mode")} onClose={() => (wider.value = undefined)}>
          <div class="inside">
            <p>{t("modeWider", { mode: t(modeWords[wider.value].name), meaning: t(modeWords[wider.value].meaning) })}</p>
            <div class="line">
              <button type="button" class="btn" onClick={() => wider.value !== undefined && set(wider.value)}>
                {t("modeSet", { mode: t(modeWords[wider.value].name) })}
              </button>
              <button type="button" class="btn ghost" data-first onClick={() => (wider.value = undefined)}>
                {t("cancel")}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </span>
  );
}

function firstWords(state: SessionState): string {
  const said = state.root.entries.find(({ kind }) => kind === "said");
  return said?.kind === "said" ? (said.text.split("\n", 1)[0] ?? "") : "";
}

async function exportSession(id: string): Promise<void> {
  const link = document.createElement("a");
  link.href = await ticketFor(pathOf("sessions", id, "export"));
  link.download = `${id}.json`;
  link.click();
}

async function tell(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
  }
}
