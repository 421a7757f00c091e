/** The session's terminal: watched by all, driven by one. xterm is loaded here and nowhere else. */
import "../theme/work.css";
import { useSignal } from "@preact/signals";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef } from "preact/hooks";
import { api, csrfToken, pathOf } from "../api/client.ts";
import { isPlainKey } from "../card/arming.ts";
import { ValueCards } from "../card/value-card.tsx";
import { may } from "../me.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { showToast } from "../parts/toast.tsx";
import { useMedia } from "../parts/use-media.ts";
import type { SessionState } from "../state/session-state.ts";
import { t } from "../words/words.ts";
import { adoptStyles } from "./adopt-styles.ts";

interface TerminalState {
  readonly live: boolean;
  readonly rows: number;
  readonly columns: number;
  readonly driver: { readonly kind: "agent" | "person"; readonly name?: string };
  readonly you: boolean;
}

const nothing: TerminalState = { live: false, rows: 24, columns: 80, driver: { kind: "agent" }, you: false };
const retryMs = 1500;
const longestRetryMs = 30_000;
const largestFont = 13;
const smallestFont = 9;
/** Width of a cell for each pixel of font size. */
const cellRatio = 0.602;
const giveBackKey = "]";

export function TerminalScreen({ state }: { readonly state: SessionState }) {
  const at = useRef<HTMLDivElement>(null);
  const told = useSignal<TerminalState>(nothing);
  const paste = useSignal<string | undefined>(undefined);
  const screen = useSignal<string | undefined>(undefined);
  const starting = useSignal(false);
  /** The next key of the phone is pressed together with Ctrl. */
  const withCtrl = useSignal(false);
  const socket = useRef<WebSocket | undefined>(undefined);
  const terminal = useRef<Terminal | undefined>(undefined);
  const isPhone = useMedia("(max-width: 560px)");
  const tell = (message: object): void => {
    if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(JSON.stringify(message));
  };
  const { sessionId } = state;

  useEffect(() => {
    const shown = new Terminal({
      cols: nothing.columns,
      rows: nothing.rows,
      fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
      fontSize: largestFont,
      scrollback: 5000,
      allowProposedApi: false,
      disableStdin: true,
      theme: themeOf(),
      screenReaderMode: false,
    });
    terminal.current = shown;
    if (at.current) shown.open(at.current);
    const release = adoptStyles(at.current);
    shown.attachCustomKeyEventHandler((event) => {
      if (event.ctrlKey && event.key === giveBackKey) {
        if (event.type === "keydown") tell({ type: "give" });
        return false;
      }
      return told.value.you;
    });
    const typed = shown.onData((data) => {
      if (!told.value.you) return;
      tell({ type: "input", data: withCtrl.value && /^[a-z@-_]$/i.test(data) ? controlOf(data) : data });
      withCtrl.value = false;
    });
    let isOver = false;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let pauseMs = retryMs;
    const connect = (): void => {
      const address = `${location.origin.replace(/^http/, "ws")}/api/v1${pathOf("sessions", sessionId, "terminal")}`;
      const line = new WebSocket(address, ["karyi.terminal", `karyi.csrf.${csrfToken()}`]);
      line.binaryType = "arraybuffer";
      socket.current = line;
      line.onopen = () => {
        pauseMs = retryMs;
        shown.reset();
      };
      line.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
        if (typeof data !== "string") {
          shown.write(new Uint8Array(data));
          return;
        }
        const message = JSON.parse(data) as { readonly type: string; readonly message?: string } & TerminalState;
        if (message.type === "state") {
          told.value = message;
          shown.options.disableStdin = !message.you;
          if (!message.you && (shown.cols !== message.columns || shown.rows !== message.rows)) shown.resize(message.columns, message.rows);
        } else showToast(message.message ?? t("errorTitle"));
      };
      line.onclose = () => {
        told.value = { ...told.value, live: false, you: false };
        if (isOver) return;
        retry = setTimeout(connect, pauseMs);
        pauseMs = Math.min(pauseMs * 2, longestRetryMs);
      };
    };
    connect();
    return () => {
      isOver = true;
      clearTimeout(retry);
      typed.dispose();
      socket.current?.close();
      shown.dispose();
      release();
    };
  }, [sessionId, told, withCtrl]);

  const { you, live, driver, columns, rows } = told.value;
  useEffect(() => {
    const shown = terminal.current;
    const box = at.current;
    if (!shown || !box) return;
    // A watcher's letters shrink until the whole width fits; a driver's window decides the size.
    const settle = (): void => {
      if (you) {
        shown.options.fontSize = largestFont;
        const wanted = {
          columns: Math.max(20, Math.floor((box.clientWidth - 24) / (largestFont * cellRatio))),
          rows: Math.max(5, Math.floor((box.clientHeight - 16) / (largestFont * 1.25))),
        };
        if (wanted.columns !== shown.cols || wanted.rows !== shown.rows) {
          shown.resize(wanted.columns, wanted.rows);
          tell({ type: "size", ...wanted });
        }
      } else shown.options.fontSize = Math.max(smallestFont, Math.min(largestFont, (box.clientWidth - 24) / (columns * cellRatio)));
    };
    settle();
    if (you) shown.focus();
    // Keys are the page's again.
    else shown.blur();
    const observer = new ResizeObserver(settle);
    observer.observe(box);
    return () => observer.disconnect();
  }, [you, columns, rows]);

  const keys = useRef<(event: KeyboardEvent) => void>(() => {});
  keys.current = (event) => {
    if (event.key !== "t" || you || !live || !may("approve") || !isPlainKey(event, false, true)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    tell({ type: "take" });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => keys.current(event);
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, []);

  const start = async (): Promise<void> => {
    starting.value = true;
    try {
      // The shell comes with its first command; this one does nothing.
      await api("POST", pathOf("sessions", sessionId, "calls"), { tool: "Terminal", input: { command: "true" } });
    } catch (error) {
      showToast(`${t("errorTitle")}: ${error instanceof Error ? error.message : String(error)}`);
    }
    starting.value = false;
  };
  const onPaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!you || !/[\r\n]/.test(text.trimEnd())) return;
    event.preventDefault();
    event.stopPropagation();
    paste.value = text;
  };
  const agent = state.run?.agent === undefined || state.run.agent === "" ? "agent" : state.run.agent;
  return (
    <div class="terminal-page">
      {live ? (
        <div class="terminal-strip">
          <span class="line driver">
            <Icon name={you ? "keyboard" : "bot"} />
            <span class="medium">
              {you ? t("youDrive") : driver.kind === "person" ? t("otherDrives", { who: driver.name ?? "" }) : t("driving", { agent })}
            </span>
          </span>
          <span class="t2 s13 grow">{you ? `${t("youDriveIs")} ${t("terminalOut")}` : t("youWatch")}</span>
          <span class="line wrap">
            <button type="button" class="btn ghost" onClick={() => (screen.value = textOf(terminal.current))}>
              {t("readScreen")}
            </button>
            <button type="button" class="btn ghost" disabled={!may("approve")} onClick={() => tell({ type: "interrupt" })}>
              <Icon name="circle-x" small />
              {t("interrupt")}
            </button>
            {you ? (
              <button type="button" class="btn primary" onClick={() => tell({ type: "give" })}>
                {t("giveBack")}
                <kbd>Ctrl ]</kbd>
              </button>
            ) : (
              <button type="button" class="btn" disabled={!may("approve")} onClick={() => tell({ type: "take" })}>
                <Icon name="keyboard" small />
                {t("takeOver")}
                <kbd>T</kbd>
              </button>
            )}
          </span>
        </div>
      ) : null}
      {state.inputAsked === undefined || !live ? null : (
        <p class="note run">
          <Icon name="keyboard" />
          <span>
            {t("asksInput", { program: state.inputAsked.program })}
            {state.inputAsked.question === "" ? "" : ` ${t("quoted", { text: state.inputAsked.question })}`}
          </span>
        </p>
      )}
      <div
        class={`terminal-at${you ? " driving" : ""}${live ? "" : " off"}`}
        ref={at}
        onPasteCapture={onPaste}
        data-driver={you ? "you" : driver.kind}
      />
      {live ? null : (
        <div class="empty terminal-none">
          <Icon name="terminal" />
          <h2>{t("noTerminal")}</h2>
          <p>{t("noTerminalIs")}</p>
          {may("call") ? (
            <button type="button" class="btn" disabled={starting.value} onClick={() => void start()}>
              {starting.value ? <span class="spin" /> : null}
              {t("startTerminal")}
            </button>
          ) : null}
        </div>
      )}
      {isPhone && you ? (
        <div class="line wrap" role="toolbar" aria-label={t("terminalKeys")}>
          <button
            type="button"
            class="btn"
            aria-pressed={withCtrl.value}
            onClick={() => {
              withCtrl.value = !withCtrl.value;
              terminal.current?.focus();
            }}
          >
            Ctrl
          </button>
          {phoneKeys.map(([name, data]) => (
            <button type="button" class="btn" key={name} onClick={() => tell({ type: "input", data })}>
              {name}
            </button>
          ))}
        </div>
      ) : null}
      <ValueCards state={state} />
      {paste.value === undefined ? null : (
        <Dialog title={t("pasteLines", { n: paste.value.split(/\r?\n/).length })} onClose={() => (paste.value = undefined)}>
          <div class="inside">
            <pre class="shown">{paste.value}</pre>
            <div class="line">
              <button
                type="button"
                class="btn"
                onClick={() => {
                  terminal.current?.paste(paste.value ?? "");
                  paste.value = undefined;
                }}
              >
                {t("paste")}
              </button>
              <button type="button" class="btn ghost" data-first onClick={() => (paste.value = undefined)}>
                {t("cancel")}
              </button>
            </div>
          </div>
        </Dialog>
      )}
      {screen.value === undefined ? null : (
        <Dialog title={t("readScreen")} onClose={() => (screen.value = undefined)}>
          <div class="inside">
            <pre class="shown">{screen.value}</pre>
          </div>
        </Dialog>
      )}
    </div>
  );
}

const phoneKeys: readonly (readonly [string, string])[] = [
  ["Esc", "\u001b"],
  ["Tab", "\t"],
  ["↑", "\u001b[A"],
  ["↓", "\u001b[B"],
];

function controlOf(letter: string): string {
  return String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 31);
}

function textOf(terminal: Terminal | undefined): string {
  if (!terminal) return "";
  const { active } = terminal.buffer;
  const lines = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "");
  return lines.join("\n").trimEnd();
}

/** Colours of the page as they are now. */
function themeOf() {
  const style = getComputedStyle(document.documentElement);
  const one = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    background: one("sunken"),
    foreground: one("text"),
    cursor: one("text"),
    cursorAccent: one("sunken"),
    selectionBackground: one("accent-soft"),
    red: one("deny"),
    green: one("allow"),
    yellow: one("ask"),
    blue: one("accent"),
    magenta: one("accent"),
    cyan: one("undone"),
    brightBlack: one("text-3"),
  };
}
