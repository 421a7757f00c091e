/** Where a person writes to the agent. Enter sends, Shift+Enter breaks; nothing is sent while an input method composes. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, api, pathOf } from "../api/client.ts";
import { link } from "../live/sessions.ts";
import { may } from "../me.ts";
import { Icon } from "../parts/icon.tsx";
import { showToast } from "../parts/toast.tsx";
import { useMedia } from "../parts/use-media.ts";
import type { SessionState } from "../state/session-state.ts";
import { t } from "../words/words.ts";
import { enqueue, queued, queuedOf, removeQueued, takeQueued } from "./queue.ts";

const draftPlace = (id: string): string => `karyi.draft.${id}`;

export function Composer({ state, agent }: { readonly state: SessionState; readonly agent: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(readDraft(state.sessionId));
  const busy = useSignal(false);
  const isPhone = useMedia("(max-width: 560px)");
  const isRunning = state.run?.status === "running";
  useEffect(() => {
    text.value = readDraft(state.sessionId);
  }, [state.sessionId, text]);
  const mayWrite = may("call");
  const write = (value: string): void => {
    text.value = value;
    try {
      if (value === "") localStorage.removeItem(draftPlace(state.sessionId));
      else localStorage.setItem(draftPlace(state.sessionId), value);
    } catch {
      // Storage may be closed; the words are still in the field.
    }
  };
  const deliver = async (words: string): Promise<boolean> => {
    busy.value = true;
    try {
      if (isRunning && state.run !== undefined) {
        await api("POST", pathOf("sessions", state.sessionId, "runs", state.run.runId, "messages"), { text: words, when: "now" });
      } else await api("POST", pathOf("sessions", state.sessionId, "runs"), { prompt: words });
      return true;
    } catch (error) {
      showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
      return false;
    } finally {
      busy.value = false;
    }
  };
  const send = async (): Promise<void> => {
    const words = text.value.trim();
    if (words === "" || busy.value) return;
    if (isRunning) enqueue(state.sessionId, words);
    else if (!(await deliver(words))) return;
    write("");
  };
  const sendNow = async (index: number, words: string): Promise<void> => {
    if (!busy.value && (await deliver(words))) removeQueued(state.sessionId, index);
  };
  const back = (): void => {
    const words = takeQueued(state.sessionId);
    if (words.length > 0) write([...words, text.peek()].filter((part) => part !== "").join("\n\n"));
  };
  const ends = useRef(() => {});
  ends.current = () => {
    // After an end as it should be they begin the next run; after a stop a person looks first.
    if (state.run?.status !== "done") back();
    else void deliver(takeQueued(state.sessionId).join("\n\n"));
  };
  useEffect(() => {
    if (!isRunning && queued.peek().has(state.sessionId)) ends.current();
  }, [isRunning, state.sessionId]);
  const leave = useRef(back);
  leave.current = back;
  useEffect(() => {
    const onLeave = (): void => leave.current();
    addEventListener("pagehide", onLeave);
    return () => removeEventListener("pagehide", onLeave);
  }, []);
  if (!mayWrite) {
    return (
      <p class="note">
        <Icon name="lock" />
        {t("readOnlySession")}
      </p>
    );
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape") {
      const card = document.querySelector<HTMLElement>("[data-approval]");
      if (card) card.focus();
      else field.current?.blur();
    }
  };
  return (
    <>
      {queuedOf(state.sessionId).length > 0 ? (
        <ul class="queued" aria-label={t("queued")}>
          {queuedOf(state.sessionId).map((words, index) => (
            <li class="chip" key={`${index} ${words}`}>
              <Icon name="clock" small />
              <span class="clip">{words}</span>
              <button type="button" class="link" disabled={busy.value} onClick={() => void sendNow(index, words)}>
                {t("sendNow")}
              </button>
              <button
                type="button"
                class="btn ghost tight only-icon"
                aria-label={`${t("remove")} ${words}`}
                onClick={() => removeQueued(state.sessionId, index)}
              >
                <Icon name="close" small />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div class="composer">
        <textarea
          ref={field}
          id="composer"
          rows={1}
          aria-label={t("messageTo", { agent })}
          placeholder={isRunning && !isPhone ? t("messageBusy", { agent }) : t("messageTo", { agent })}
          value={text.value}
          onInput={({ currentTarget }) => write(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          class="btn only-icon"
          aria-label={t("send")}
          disabled={busy.value || text.value.trim() === "" || link.value.kind === "lost"}
          onClick={() => void send()}
        >
          <Icon name="arrow-up" />
        </button>
      </div>
    </>
  );
}

function readDraft(id: string): string {
  try {
    return localStorage.getItem(draftPlace(id)) ?? "";
  } catch {
    return "";
  }
}
