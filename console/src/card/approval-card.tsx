/** The one approval card, for the dock, the inbox and the phone's sheet. It never takes the focus by itself. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Approval, Rehearsal, Result } from "../api/types.ts";
import { agentOfSession, link } from "../live/sessions.ts";
import { announceQuestion } from "../parts/announce.tsx";
import { now } from "../parts/clock.ts";
import { Icon } from "../parts/icon.tsx";
import { showToast } from "../parts/toast.tsx";
import { agoWords, t, took } from "../words/words.ts";
import { AlwaysBox, canSave, type EditedRules, saveRules } from "./always.tsx";
import { type Answer, answer, redrawn, sending, withdraw } from "./approvals.ts";
import { isPlainKey, useArming } from "./arming.ts";
import { applyChangeSet, rehearse } from "./dry-run.ts";
import { Facts, Thing, Warnings } from "./facts.tsx";
import { agentsOf, questionOf } from "./question.ts";
import { RehearsalBox } from "./rehearsal.tsx";

interface CardProps {
  readonly approval: Approval;
  readonly index: number;
  readonly total: number;
  readonly times?: number;
  readonly onMove?: (by: 1 | -1) => void;
  /** A sheet or dialog holds this card: its keys act inside that layer. */
  readonly insideLayer?: boolean;
  readonly session?: { readonly title: string; readonly href: string };
  readonly onUndo?: (callId: string) => void;
  /** The agent's last words before the call, where the call has none of its own. */
  readonly says?: string | undefined;
  /** All that the same agent waits for, this one included. */
  readonly sameAgent?: readonly Approval[];
}

const lateMs = 5000;

export function ApprovalCard(props: CardProps) {
  const { approval, index, total, times = 1, onMove, insideLayer = false, session, onUndo, says, sameAgent = [] } = props;
  const at = useRef<HTMLElement>(null);
  const { armed, isArmed } = useArming(at, `${approval.id} ${approval.nonce ?? ""}`);
  const alwaysOpen = useSignal(false);
  const wordsOpen = useSignal(false);
  const words = useSignal("");
  const edited = useSignal<EditedRules>(new Map());
  const isSaving = useSignal(false);
  const dry = useSignal<"none" | "running" | Rehearsal | { readonly failed: string }>("none");
  const sent = sending.value.get(approval.id);
  const isOffline = link.value.kind === "lost";
  const mayAnswer = approval.nonce !== undefined;
  const isBusy = sent !== undefined || isOffline || isSaving.value;
  const rehearsal = approval.rehearsal;
  // The engine keeps a change set only where yes means exactly that; else it runs the command for real.
  const commits = rehearsal !== undefined && rehearsal.change_set !== null;
  const question = questionOf(approval);

  const give = (given: Answer, said?: string): void => {
    if (isArmed() && !isBusy && mayAnswer) send(given, said);
  };
  /** For a press that was let through: the card may have moved since. */
  const send = (given: Answer, said?: string): void => {
    void answer(approval, given, said).then((result: Result | undefined) => {
      if (result?.undoable === true && given !== "deny" && onUndo !== undefined)
        showToast(t("allowedToast"), { label: t("undo"), run: () => onUndo(approval.call_id) });
    });
  };
  const denyAll = (): void => {
    if (!isArmed() || isBusy || !mayAnswer) return;
    for (const one of sameAgent) void answer(one, "deny");
  };
  const always = (): void => {
    if (!isArmed() || approval.proposal === undefined) return;
    if (!alwaysOpen.value) alwaysOpen.value = true;
    else if (edited.value.size === 0) give("always");
    else if (canSave(edited.value))
      void saving(
        () => saveRules(approval.proposal ?? { rules: [], also_allows: [], still_asks: [] }, edited.value),
        () => send("once"),
      );
  };
  const saving = async (work: () => Promise<unknown>, then: () => void): Promise<void> => {
    if (isBusy || !mayAnswer) return;
    isSaving.value = true;
    try {
      await work();
    } catch (error) {
      showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
      return;
    } finally {
      isSaving.value = false;
    }
    then();
  };
  const tried = typeof dry.value === "object" && "change_set" in dry.value ? dry.value.change_set : null;
  const apply = (): void => {
    if (tried === null || !isArmed()) return;
    void saving(
      async () => {
        const result = await applyChangeSet(approval.session_id, tried);
        if (result.status !== "ok") throw new Error(result.error?.message ?? result.output);
      },
      () => void withdraw(approval, t("appliedInstead")),
    );
  };
  const dryRun = (): void => {
    if (approval.can_rehearse !== true || rehearsal !== undefined || dry.value === "running") return;
    dry.value = "running";
    rehearse(approval).then(
      (found) => (dry.value = found),
      (error: Error) => (dry.value = { failed: error.message }),
    );
  };

  const isRedrawn = redrawn.value.has(approval.id);
  const { nonce } = approval;
  // A card that is drawn anew once more is said once more.
  useEffect(() => {
    if (!isRedrawn) return;
    announceQuestion(t("staleAgain"));
    at.current?.querySelector(".card-in")?.scrollTo({ top: 0 });
  }, [isRedrawn, nonce]);

  const isAlwaysOpen = alwaysOpen.value;
  useEffect(() => {
    // What a rule would let through is read before it is confirmed.
    if (isAlwaysOpen) at.current?.querySelector(".always")?.scrollIntoView({ block: "nearest" });
  }, [isAlwaysOpen]);

  const keys = useRef<(event: KeyboardEvent) => void>(() => {});
  keys.current = (event) => {
    if (!isPlainKey(event, insideLayer)) return;
    const act: Readonly<Record<string, () => void>> = {
      a: () => give("once"),
      d: () => give("deny"),
      A: always,
      r: dryRun,
      e: () => expandAll(at.current),
      j: () => onMove?.(1),
      k: () => onMove?.(-1),
    };
    const run = act[event.key];
    if (run === undefined || (event.shiftKey && event.key !== "A")) return;
    event.preventDefault();
    run();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => keys.current(event);
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);

  const agents = agentsOf(approval, agentOfSession(approval.root_session_id));
  const time = agoWords(approval.created_at, now.value);
  const left = approval.expires_at - now.value;
  return (
    <section
      class={`card${armed.value ? "" : " unarmed"}`}
      aria-label={t(question.ask, question.words)}
      tabIndex={-1}
      ref={at}
      data-approval={approval.id}
      data-armed={armed.value ? "yes" : "no"}
    >
      <div class="card-head">
        <Icon name="question" />
        <h2>{t(question.ask, question.words)}</h2>
        <span class="t3 s12 grow asked-by">
          {agents === undefined ? t("asked", { time }) : t("askedBy", { agent: agents, time })}
          {session === undefined ? null : (
            <>
              {" · "}
              <a href={session.href}>{session.title}</a>
            </>
          )}
          {left < 3_600_000 ? ` · ${t("expiresIn", { time: left < 60_000 ? took(left) : took(Math.ceil(left / 60_000) * 60_000) })}` : ""}
        </span>
        {times > 1 ? <span class="chip">{t("groupTimes", { n: times })}</span> : null}
        {total > 1 ? (
          <span class="line">
            <span class="t3 s12 num">{t("ofMany", { i: index + 1, n: total })}</span>
            <button type="button" class="btn ghost tight only-icon" aria-label={t("previous")} onClick={() => onMove?.(-1)}>
              <Icon name="chevron-left" small />
            </button>
            <button type="button" class="btn ghost tight only-icon" aria-label={t("next")} onClick={() => onMove?.(1)}>
              <Icon name="chevron-right" small />
            </button>
          </span>
        ) : null}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="card-in" tabIndex={0} aria-label={t("details")}>
        {isRedrawn ? (
          <p class="note ask">
            <Icon name="refresh" />
            <span>{t("staleAgain")}</span>
          </p>
        ) : null}
        <Thing approval={approval} />
        <Warnings approval={approval} />
        {rehearsal === undefined ? null : <RehearsalBox rehearsal={rehearsal} />}
        {dry.value === "running" ? (
          <p class="note run">
            <span class="spin" />
            {t("dryRunning")}
          </p>
        ) : null}
        {typeof dry.value === "object" && "failed" in dry.value ? <p class="note deny">{dry.value.failed}</p> : null}
        {typeof dry.value === "object" && "exit_code" in dry.value ? (
          <RehearsalBox rehearsal={dry.value} apply={mayAnswer && tried !== null ? { run: apply, busy: isBusy } : undefined} />
        ) : null}
        <Facts approval={approval} says={says} />
        {alwaysOpen.value && approval.proposal ? <AlwaysBox approval={approval} proposal={approval.proposal} edited={edited} /> : null}
        {approval.proposal === undefined && mayAnswer ? <p class="t3 s12">{t("alwaysNone")}</p> : null}
        {wordsOpen.value ? (
          <form
            class="line"
            onSubmit={(event) => {
              event.preventDefault();
              give("deny", words.value);
            }}
          >
            <input
              class="input"
              aria-label={t("denyWords")}
              placeholder={t("denyWords")}
              value={words.value}
              onInput={({ currentTarget }) => (words.value = currentTarget.value)}
            />
            <button type="submit" class="btn danger" disabled={isBusy}>
              {t("denySend")}
            </button>
          </form>
        ) : null}
        {sameAgent.length > 1 && mayAnswer ? (
          <button type="button" class="btn ghost tight self-start" disabled={isBusy} onClick={denyAll}>
            <Icon name="ban" small />
            {t("denyAllFrom", { agent: agents ?? approval.tool, n: sameAgent.length })}
          </button>
        ) : null}
        {isOffline ? <p class="note">{t("offlineNoAnswer")}</p> : null}
        {sent !== undefined && sent.problem === undefined && now.value - sent.since > lateMs ? (
          <p class="note">{t("notConfirmed")}</p>
        ) : null}
        {sent?.problem === undefined ? null : <p class="note ask">{sent.problem}</p>}
      </section>
      {mayAnswer ? (
        <div class="acts">
          <button type="button" class="btn primary answer" disabled={isBusy} aria-keyshortcuts="a" onClick={() => give("once")}>
            {sent?.answer === "once" ? <span class="spin" /> : null}
            {commits ? t("applyThis") : rehearsal === undefined ? t("allowOnce") : t("runForReal")}
            <kbd>A</kbd>
          </button>
          <button type="button" class="btn answer" disabled={isBusy} aria-keyshortcuts="d" onClick={() => give("deny")}>
            {sent?.answer === "deny" ? <span class="spin" /> : null}
            {t("deny")}
            <kbd>D</kbd>
          </button>
          <button
            type="button"
            class="btn ghost"
            disabled={isBusy}
            aria-expanded={wordsOpen.value}
            onClick={() => (wordsOpen.value = !wordsOpen.value)}
          >
            <Icon name="words" small />
            <span class="say-why">{t("denySay")}</span>
          </button>
          <span class="grow" />
          {approval.can_rehearse === true && rehearsal === undefined ? (
            <button type="button" class="btn ghost" disabled={isOffline} aria-keyshortcuts="r" onClick={dryRun}>
              <Icon name="flask" small />
              {t("dryRun")}
              <kbd>R</kbd>
            </button>
          ) : null}
          {approval.proposal === undefined ? null : (
            <button
              type="button"
              class={alwaysOpen.value ? "btn" : "btn ghost"}
              disabled={isBusy || (alwaysOpen.value && !canSave(edited.value))}
              aria-expanded={alwaysOpen.value}
              aria-keyshortcuts="Shift+A"
              onClick={always}
            >
              {sent?.answer === "always" ? <span class="spin" /> : null}
              {alwaysOpen.value ? t("alwaysAllow") : t("always")}
              <kbd>⇧A</kbd>
            </button>
          )}
        </div>
      ) : (
        <p class="acts t2 s13">
          <Icon name="lock" />
          {t("youCanLook")}
        </p>
      )}
    </section>
  );
}

/** Opens every fold of the card: files, output, effects. */
function expandAll(card: HTMLElement | null): void {
  for (const fold of card?.querySelectorAll<HTMLElement>('.card-in [aria-expanded="false"], .card-in [data-more]') ?? []) fold.click();
}
