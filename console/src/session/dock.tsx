/** What waits in this session, above the composer: the card on a desk, a bar that opens a sheet on a phone. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Approval } from "../api/types.ts";
import { ApprovalCard } from "../card/approval-card.tsx";
import { approvals, sameCall } from "../card/approvals.ts";
import { lineOf, questionOf } from "../card/question.ts";
import { Receipt } from "../card/receipt.tsx";
import { ValueCards } from "../card/value-card.tsx";
import { announceQuestion } from "../parts/announce.tsx";
import { useLayer } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { useMedia } from "../parts/use-media.ts";
import { saidBefore } from "../state/says.ts";
import type { SessionState } from "../state/session-state.ts";
import { t } from "../words/words.ts";
import { undoCalls } from "./undoing.ts";

/** A receipt stands so long before the next card, and so long if there is none. */
const beforeNextMs = 600;
const receiptMs = 5000;

/** Questions of the whole tree under this session, oldest first; of one agent: its own and those of the agents below it. */
export function questionsOf(state: SessionState, known: ReadonlyMap<string, Approval>, agentId?: string): readonly Approval[] {
  return [...known.values()]
    .filter(({ id, session_id, status }) => status === "pending" && (session_id === state.sessionId || state.questions.has(id)))
    .filter(({ id }) => agentId === undefined || isBelow(state, state.questions.get(id)?.agentId, agentId))
    .sort((a, b) => a.created_at - b.created_at);
}

function isBelow(state: SessionState, agentId: string | undefined, top: string): boolean {
  if (agentId === undefined) return false;
  return agentId === top || isBelow(state, state.agents.get(agentId)?.parentId, top);
}

export function Dock({ state, agentId }: { readonly state: SessionState; readonly agentId: string | undefined }) {
  const isPhone = useMedia("(max-width: 560px)");
  const pending = questionsOf(state, approvals.value, agentId);
  const groups = pending.filter((one, index) => pending.findIndex((other) => sameCall(one, other)) === index);
  const current = useSignal<string | undefined>(undefined);
  const sheet = useSignal(false);
  const shown = current.value === undefined ? undefined : approvals.value.get(current.value);
  const isPending = shown?.status === "pending";
  const first = groups[0]?.id;

  useEffect(() => {
    if (isPending) return;
    if (shown === undefined) {
      current.value = first;
      return;
    }
    const timer = setTimeout(() => (current.value = first), first === undefined ? receiptMs : beforeNextMs);
    return () => clearTimeout(timer);
  }, [isPending, shown, first, current]);

  useEffect(() => {
    if (first === undefined) sheet.value = false;
    const one = first === undefined ? undefined : approvals.peek().get(first);
    if (one === undefined) return;
    announceQuestion(`${t("waitingForYou")}: ${lineOf(one)}`);
  }, [first, sheet]);

  const index = groups.findIndex(({ id }) => id === shown?.id);
  const move = (by: 1 | -1): void => {
    if (groups.length > 1) current.value = groups[(Math.max(0, index) + by + groups.length) % groups.length]?.id;
  };
  const card =
    shown === undefined ? null : isPending ? (
      <ApprovalCard
        key={shown.id}
        approval={shown}
        index={Math.max(0, index)}
        total={groups.length}
        times={pending.filter((one) => sameCall(one, shown)).length}
        onMove={move}
        insideLayer={isPhone}
        says={saidBefore(state, shown.call_id)}
        sameAgent={pending.filter((one) => one.session_id === shown.session_id && one.agent === shown.agent)}
        onUndo={(callId) => void undoCalls(state.sessionId, [callId])}
      />
    ) : (
      <Receipt approval={shown} />
    );
  return (
    <>
      <ValueCards state={state} />
      {isPhone && shown !== undefined && isPending ? (
        <>
          <PhoneBar approval={shown} index={Math.max(0, index)} total={groups.length} onOpen={() => (sheet.value = true)} />
          {sheet.value ? <Sheet onClose={() => (sheet.value = false)}>{card}</Sheet> : null}
        </>
      ) : (
        card
      )}
    </>
  );
}

interface PhoneBarProps {
  readonly approval: Approval;
  readonly index: number;
  readonly total: number;
  readonly onOpen: () => void;
}

function PhoneBar({ approval, index, total, onOpen }: PhoneBarProps) {
  const question = questionOf(approval);
  return (
    <section class="card phone-bar" aria-label={t("waitingForYou")}>
      <Icon name="question" />
      <span class="stack grow">
        <span class="medium s13 clip">
          {t(question.ask, question.words)} {total > 1 ? t("ofMany", { i: index + 1, n: total }) : ""}
        </span>
        <code class="clip t2">{lineOf(approval)}</code>
      </span>
      <button type="button" class="btn primary" onClick={onOpen}>
        {t("review")}
      </button>
    </section>
  );
}

function Sheet({ onClose, children }: { readonly onClose: () => void; readonly children: preact.ComponentChildren }) {
  const at = useLayer(onClose);
  return (
    <div class="sheet" role="dialog" aria-modal="true" aria-label={t("review")} ref={at}>
      <div class="top">
        <button type="button" class="btn ghost only-icon" aria-label={t("close")} data-first onClick={onClose}>
          <Icon name="chevron-down" />
        </button>
        <span class="grow" />
      </div>
      {children}
    </div>
  );
}
