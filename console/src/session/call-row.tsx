/** One call as a row, and what opens below it. Its verb's tense is its state. */
import { useSignal } from "@preact/signals";
import { FileChange } from "../card/file-changes.tsx";
import { may } from "../me.ts";
import { Ansi } from "../parts/ansi.tsx";
import { now } from "../parts/clock.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { showToast } from "../parts/toast.tsx";
import { fileCount, filesLookedAt, filesOnly, isSearch, isTask } from "../state/rows.ts";
import type { CallState, SessionState } from "../state/session-state.ts";
import { t, took } from "../words/words.ts";
import { CallOutput } from "./call-output.tsx";
import { changesOf, resultOf } from "./call-results.ts";
import { ChangedRow, LastLines } from "./changed-row.tsx";
import { undoCalls } from "./undoing.ts";
import { familyOf, iconOf, objectOf, verbOf } from "./verbs.ts";

const liveLines = 12;

const marks: Readonly<Record<string, IconName>> = {
  waiting: "hand",
  error: "circle-x",
  denied: "ban",
  cancelled: "square",
  unknown: "info",
};

export function CallRow({ call, state }: { readonly call: CallState; readonly state: SessionState }) {
  const isChange = call.status === "ok" && call.changesTotal > 0 && familyOf(call) !== "Undo" && call.undoneBy === undefined;
  const plain = <PlainRow call={call} state={state} />;
  return isChange ? <ChangedRow call={call} sessionId={state.sessionId} before={plain} /> : plain;
}

function PlainRow({ call, state }: { readonly call: CallState; readonly state: SessionState }) {
  const isBad = call.status === "error" || call.status === "unknown";
  const open = useSignal(isBad);
  const kind = kindOf(call);
  const hasBody = call.status !== "running" && call.status !== "waiting";
  const inside = (
    <>
      <span class="mark">{call.status === "running" ? <span class="spin" /> : <Icon name={marks[call.status] ?? iconOf(call)} />}</span>
      <span class="what clip">
        <b>{verbOf(call)}</b> <code>{objectOf(call)}</code> <Detail call={call} state={state} />
      </span>
      <span class="meta">
        <Meta call={call} />
        {hasBody ? <Icon name={open.value ? "chevron-down" : "chevron-right"} small /> : null}
      </span>
    </>
  );
  return (
    <div class="call-row" data-call={call.callId}>
      {hasBody ? (
        <button type="button" class={`call ${kind}`} aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          {inside}
        </button>
      ) : (
        <div class={`call ${kind}`}>{inside}</div>
      )}
      {call.status === "running" && call.progress !== "" ? (
        <div class="call-body">
          <div class="out live">
            <pre>
              <Ansi text={call.progress.split("\n").slice(-liveLines).join("\n")} />
            </pre>
          </div>
          {state.run?.status === "running" && may("call") ? (
            <button type="button" class="btn ghost tight" onClick={askToStop}>
              <Icon name="square" small />
              {t("stop")}
            </button>
          ) : null}
        </div>
      ) : null}
      {hasBody && open.value ? <CallBody call={call} state={state} /> : null}
      {hasBody && !open.value && call.tool === "Bash" && call.status === "ok" && call.undoneBy === undefined ? (
        <div class="call-body">
          <LastLines call={call} />
        </div>
      ) : null}
    </div>
  );
}

function kindOf(call: CallState): string {
  if (call.undoneBy !== undefined) return "undone";
  if (call.status === "running") return "run";
  if (call.status === "waiting") return "ask";
  return call.status === "error" || call.status === "unknown" ? "bad" : "";
}

/** The one "Stop" of the page asks first. */
function askToStop(): void {
  document.querySelector<HTMLElement>("[data-stop]")?.click();
}

function Detail({ call, state }: { readonly call: CallState; readonly state: SessionState }) {
  if (call.status === "running" && call.progress !== "") return <span class="t3">· {lastLine(call.progress)}</span>;
  if (call.status === "error") return <span class="problem">{firstLine(call.error?.message ?? call.output)}</span>;
  if (call.status === "denied") {
    const question = call.approvalId === undefined ? undefined : state.questions.get(call.approvalId);
    if (question?.answer === "deny")
      return <span>{question.words === undefined ? t("youDenied") : t("youDeniedWords", { words: question.words })}</span>;
    return <span>{firstLine(call.error?.message ?? t("deniedByFloor"))}</span>;
  }
  return null;
}

function Meta({ call }: { readonly call: CallState }) {
  if (call.undoneBy !== undefined) return <span class="chip undone">{t("undoneByYou")}</span>;
  if (call.status === "waiting") return <span>{t("waitingRow")}</span>;
  if (call.status === "running") {
    const ms = now.value - (call.resumedAt ?? call.startedAt);
    return ms >= 2000 ? <span>{took(ms)}</span> : null;
  }
  return (
    <>
      {call.changesTotal > 0 ? <span>{t("files", { n: fileCount(call) })}</span> : null}
      {call.durationMs === undefined ? null : <span>{took(call.durationMs)}</span>}
    </>
  );
}

function CallBody({ call, state }: { readonly call: CallState; readonly state: SessionState }) {
  const result = resultOf(state.sessionId, call.callId);
  const changes = filesOnly(changesOf(result.value));
  return (
    <div class="call-body stack gap">
      {call.error === undefined ? null : (
        <div class="note deny">
          <Icon name="circle-x" />
          <div class="grow">
            <p>
              {call.error.message} <code class="t2">{call.error.code}</code>
            </p>
            {call.error.hint === undefined ? null : <p class="t2">{call.error.hint}</p>}
            <div class="line acts-inline">
              <button type="button" class="btn tight" onClick={() => copy(`${call.error?.code}: ${call.error?.message}`)}>
                {t("copy")}
              </button>
              <a class="btn tight" href={`/tools/${encodeURIComponent(call.tool)}?input=${encodeURIComponent(JSON.stringify(call.input))}`}>
                {t("tryInTools")}
              </a>
            </div>
          </div>
        </div>
      )}
      {changes.length > 0 ? (
        <div class="box">
          {changes.map((change, index) => (
            <FileChange key={change.path} change={change} open={index === 0} />
          ))}
        </div>
      ) : null}
      <CallOutput call={call} sessionId={state.sessionId} />
      <UndoActs call={call} sessionId={state.sessionId} />
    </div>
  );
}

function UndoActs({ call, sessionId }: { readonly call: CallState; readonly sessionId: string }) {
  if (call.undoneBy !== undefined) {
    const by = call.undoneBy;
    return (
      <button type="button" class="btn tight self-start" onClick={() => undoCalls(sessionId, [by])}>
        <Icon name="redo" small />
        {t("redo")}
      </button>
    );
  }
  if (!call.undoable) return null;
  return (
    <button type="button" class="btn tight self-start" onClick={() => undoCalls(sessionId, [call.callId])}>
      <Icon name="undo" small />
      {familyOf(call) === "Undo" ? t("undoUndo") : t("undo")}
    </button>
  );
}

export function ExploredRow({ calls, state }: { readonly calls: readonly CallState[]; readonly state: SessionState }) {
  const open = useSignal(false);
  const searches = calls.filter(isSearch).length;
  const tasks = calls.filter(isTask).length;
  const reads = calls.length - searches - tasks;
  const onlyTasks = tasks === calls.length;
  const parts = [
    ...(reads > 0 ? [t("reads", { n: reads })] : []),
    ...(searches > 0 ? [t("searches", { n: searches })] : []),
    ...(tasks > 0 ? [t("taskSteps", { n: tasks })] : []),
  ];
  return (
    <div class="call-row">
      <button type="button" class="call" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <span class="mark">
          <Icon name={onlyTasks ? "steps" : "file-search"} />
        </span>
        <span class="what clip">
          <b>{onlyTasks ? t("tasksKept") : t("explored", { n: filesLookedAt(calls) })}</b> <span class="t3">{parts.join(", ")}</span>
        </span>
        <span class="meta">
          {took(calls.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0))}
          <Icon name={open.value ? "chevron-down" : "chevron-right"} small />
        </span>
      </button>
      {open.value ? (
        <div class="nested">
          {calls.map((call) => (
            <PlainRow key={call.callId} call={call} state={state} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

export function copy(text: string): void {
  void navigator.clipboard.writeText(text).then(() => showToast(t("copied")));
}
