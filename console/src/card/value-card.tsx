/** A value that an agent needs: typed here, sent once, kept nowhere in the page. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, api, pathOf } from "../api/client.ts";
import { inbox } from "../live/sessions.ts";
import { may } from "../me.ts";
import { Icon } from "../parts/icon.tsx";
import { Visible } from "../parts/visible-text.tsx";
import type { SessionState } from "../state/session-state.ts";
import { t } from "../words/words.ts";

/** A shorter value cannot be found again in outputs to be hidden. */
const shortLength = 8;

/** All values that a session waits for. A program's password prompt is no event: only the inbox knows of it. */
export function ValueCards({ state }: { readonly state: SessionState }) {
  const agentOf = (agentId: string | undefined): string =>
    (agentId === undefined ? state.run?.agent : state.agents.get(agentId)?.name) || "agent";
  const prompts = inbox.value.items.filter(
    ({ kind, id, session_id }) => kind === "value" && session_id === state.sessionId && !state.values.has(id),
  );
  return (
    <>
      {[...state.values.values()]
        .filter(({ status }) => status === "asked")
        .map(({ requestId, key, reason, note, agentId }) => (
          <ValueForm key={requestId} id={requestId} keyName={key} reason={reason} note={note} agent={agentOf(agentId)} />
        ))}
      {prompts.map(({ id, key = "", summary }) => (
        <ValueForm key={id} id={id} keyName={key} reason={summary} agent={agentOf(undefined)} isPrompt />
      ))}
    </>
  );
}

interface ValueFormProps {
  readonly id: string;
  readonly keyName: string;
  readonly reason: string;
  readonly note?: string | undefined;
  readonly agent: string;
  /** A program asks in the terminal: used once, kept under no name. */
  readonly isPrompt?: boolean;
}

export function ValueForm({ id, keyName, reason, note, agent, isPrompt = false }: ValueFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const revealed = useSignal(false);
  const length = useSignal(0);
  const onlySession = useSignal(true);
  const problem = useSignal("");
  const busy = useSignal(false);
  const noteField = useSignal("");
  const isKept = !isPrompt && !onlySession.value;
  useEffect(() => {
    // What was typed does not wait in a page that nobody looks at.
    const clear = (): void => {
      if (field.current) field.current.value = "";
      length.value = 0;
    };
    addEventListener("blur", clear);
    document.addEventListener("visibilitychange", clear);
    return () => {
      removeEventListener("blur", clear);
      document.removeEventListener("visibilitychange", clear);
    };
  }, [length]);
  const give = async (): Promise<void> => {
    const given = field.current?.value ?? "";
    if (given === "" || busy.value) return;
    busy.value = true;
    try {
      await api("POST", pathOf("values", id), {
        value: given,
        save: isKept,
        ...(isKept && noteField.value !== "" ? { note: noteField.value } : {}),
      });
    } catch (error) {
      problem.value = error instanceof ApiError ? error.message : String(error);
    } finally {
      if (field.current) field.current.value = "";
      length.value = 0;
      busy.value = false;
    }
  };
  const refuse = async (): Promise<void> => {
    busy.value = true;
    try {
      await api("POST", pathOf("values", id), { refuse: true });
    } catch (error) {
      problem.value = error instanceof ApiError ? error.message : String(error);
    }
    busy.value = false;
  };
  const title = isPrompt ? t("asksPassword") : t("needsValue", { agent, key: keyName });
  return (
    <section class="card value" aria-label={title}>
      <div class="card-head">
        <Icon name="key" />
        <h2>{title}</h2>
      </div>
      <form
        class="card-in"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          void give();
        }}
      >
        <p class="t2 s13">
          <Visible text={t("quoted", { text: reason })} />{" "}
          {isPrompt ? null : (
            <>
              {t("valueWhyBefore")} <code class="chipvar">{`$KARYI{${keyName}}`}</code>
              {t("valueWhyAfter")}
            </>
          )}
        </p>
        {note === undefined || note === "" ? null : <p class="t3 s12">{note}</p>}
        <p class="t2 s13 line">
          <Icon name="eye-off" small />
          {t("neverSees")}
        </p>
        <div class="line">
          <div class="field-at">
            <input
              class="input"
              ref={field}
              type="password"
              aria-label={t("value")}
              placeholder={isPrompt ? "" : t("pasteHere")}
              autocomplete="off"
              spellcheck={false}
              disabled={!may("approve")}
              onInput={({ currentTarget }) => (length.value = currentTarget.value.length)}
            />
            <button
              type="button"
              class="btn ghost only-icon tight"
              aria-label={t("reveal")}
              aria-pressed={revealed.value}
              onClick={() => {
                revealed.value = !revealed.value;
                if (field.current) field.current.type = revealed.value ? "text" : "password";
              }}
            >
              <Icon name={revealed.value ? "eye" : "eye-off"} />
            </button>
          </div>
        </div>
        {length.value > 0 && length.value < shortLength ? <p class="note ask">{t("valueShort")}</p> : null}
        {problem.value === "" ? null : <p class="note deny">{problem.value}</p>}
        <div class="line wrap">
          {isPrompt ? null : (
            <label class="line s13">
              <input
                type="checkbox"
                checked={onlySession.value}
                onChange={({ currentTarget }) => (onlySession.value = currentTarget.checked)}
              />
              {t("onlySession")}
            </label>
          )}
          {isKept ? (
            <input
              class="input grow"
              aria-label={t("noteIs")}
              placeholder={t("noteIs")}
              value={noteField.value}
              onInput={({ currentTarget }) => (noteField.value = currentTarget.value)}
            />
          ) : (
            <span class="grow" />
          )}
          <button type="button" class="btn ghost" disabled={busy.value || !may("approve")} onClick={() => void refuse()}>
            {t("refuse")}
          </button>
          <button type="submit" class="btn primary" disabled={busy.value || length.value === 0}>
            {isPrompt ? t("send") : t("give")}
          </button>
        </div>
      </form>
    </section>
  );
}
