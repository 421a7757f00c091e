/** Search or run: places, sessions, actions of this screen, tools, settings; the latest used first. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api } from "../api/client.ts";
import type { ToolInfo } from "../api/types.ts";
import { openSession, sessions } from "../live/sessions.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { newSession } from "../screens/sessions-screen.tsx";
import { sessionHref } from "../session/session-href.ts";
import { undoLast } from "../session/steps.ts";
import { change } from "../settings.ts";
import { en, type Key } from "../words/en.ts";
import { t } from "../words/words.ts";
import { sessionIdAt } from "./keys.ts";
import { openOverlay } from "./overlays.tsx";

interface Hit {
  readonly id: string;
  readonly text: string;
  /** Also found by these words: English, and initials of pinyin. */
  readonly also: string;
  readonly icon: IconName;
  readonly keys?: string;
  readonly run: () => void;
}

const recentPlace = "karyi.recent";
const shownHits = 12;

/** Initials of pinyin of what the palette offers. */
const pinyin: Partial<Record<Key, string>> = {
  inbox: "db",
  sessions: "hh",
  tools: "gj",
  policy: "cl",
  settings: "sz",
  newSession: "xjhh",
  undoLast: "cxsyb",
  undoSeveral: "cxdgbz",
  toggleTheme: "qshss",
  keys: "aj",
  audit: "sj",
  explain: "js",
  rules: "gz",
  tryReply: "jxhf",
};

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const text = useSignal("");
  const chosen = useSignal(0);
  const tools = useSignal<readonly ToolInfo[]>([]);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    api<{ readonly tools: readonly ToolInfo[] }>("GET", "/tools").then(
      (found) => (tools.value = found.tools),
      () => {},
    );
  }, [tools]);
  const all = useComputed(() => hits(route, tools.value));
  const found = useComputed(() => find(all.value, text.value));
  const run = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    remember(hit.id);
    onClose();
    hit.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      chosen.value = (chosen.value + by + found.value.length) % Math.max(1, found.value.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found.value[chosen.value]);
    }
  };
  return (
    <Dialog title={t("search")} onClose={onClose} hideTitle>
      <div class="palette-field">
        <Icon name="search" />
        <input
          ref={field}
          data-first
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.value.length > 0 ? `hit-${chosen.value}` : undefined}
          aria-label={t("search")}
          placeholder={t("search")}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={onKey}
        />
      </div>
      <div class="palette-list" role="listbox" id="palette-list" aria-label={t("search")}>
        {found.value.map((hit, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field does the same
          <div class="hit" role="option" id={`hit-${index}`} aria-selected={index === chosen.value} key={hit.id} onClick={() => run(hit)}>
            <Icon name={hit.icon} />
            <span class="grow clip">{hit.text}</span>
            {hit.keys === undefined ? null : <kbd>{hit.keys}</kbd>}
          </div>
        ))}
      </div>
      {found.value.length === 0 ? <p class="t3 s13 palette-none">{t("noHits")}</p> : null}
    </Dialog>
  );
}

function hits(route: (url: string) => void, tools: readonly ToolInfo[]): readonly Hit[] {
  const id = sessionIdAt(location.pathname);
  const word = (key: Key, icon: IconName, run: () => void, keys?: string): Hit => ({
    id: key,
    text: t(key),
    also: `${en[key]} ${pinyin[key] ?? ""}`,
    icon,
    run,
    ...(keys === undefined ? {} : { keys }),
  });
  const here =
    id === undefined
      ? []
      : [
          word("undoLast", "undo", () => void undoLast(openSession(id).state.value), "U"),
          word("undoSeveral", "steps", () => route(sessionHref(id, "changes")), "⇧U"),
          word("terminal", "terminal", () => route(sessionHref(id, "terminal")), "T"),
          word("agents", "bot", () => route(sessionHref(id, "agents"))),
          word("artifacts", "file-text", () => route(sessionHref(id, "artifacts"))),
        ];
  return [
    ...here,
    word("inbox", "inbox", () => route("/inbox"), "g i"),
    word("sessions", "sessions", () => route("/s"), "g s"),
    word("tools", "tools", () => route("/tools"), "g t"),
    word("policy", "policy", () => route("/policy"), "g p"),
    word("newSession", "plus", () => void newSession(route), "N"),
    word("tryReply", "words", () => route("/tools/reply")),
    word("explain", "shield", () => route("/policy/explain")),
    word("rules", "layers", () => route("/policy/rules")),
    word("audit", "audit", () => route("/policy/audit")),
    word("settings", "settings", () => openOverlay("settings")),
    word("keys", "keyboard", () => openOverlay("keys"), "?"),
    word("toggleTheme", "eye", () => change({ theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark" })),
    ...(sessions.value ?? []).map(
      (one): Hit => ({
        id: `s ${one.id}`,
        text: one.title === "" ? one.id : one.title,
        also: one.id,
        icon: "sessions",
        run: () => route(sessionHref(one.id)),
      }),
    ),
    ...tools.map(
      (one): Hit => ({
        id: `t ${one.name}`,
        text: one.name,
        also: one.traits.search_hint,
        icon: "tools",
        run: () => route(`/tools/${encodeURIComponent(one.name)}`),
      }),
    ),
  ];
}

function find(all: readonly Hit[], text: string): readonly Hit[] {
  const wanted = text.trim().toLowerCase();
  const recent = readRecent();
  const rank = (hit: Hit): number => {
    const at = recent.indexOf(hit.id);
    return at < 0 ? recent.length : at;
  };
  if (wanted === "") return [...all].sort((a, b) => rank(a) - rank(b)).slice(0, shownHits);
  return all
    .filter(({ text: own, also }) => own.toLowerCase().includes(wanted) || also.toLowerCase().includes(wanted))
    .sort((a, b) => Number(b.text.toLowerCase().startsWith(wanted)) - Number(a.text.toLowerCase().startsWith(wanted)) || rank(a) - rank(b))
    .slice(0, shownHits);
}

function readRecent(): readonly string[] {
  try {
    return JSON.parse(localStorage.getItem(recentPlace) ?? "[]") as readonly string[];
  } catch {
    return [];
  }
}

function remember(id: string): void {
  try {
    localStorage.setItem(recentPlace, JSON.stringify([id, ...readRecent().filter((one) => one !== id)].slice(0, 8)));
  } catch {
    // Storage may be closed.
  }
}
