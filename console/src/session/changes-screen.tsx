/** What was changed, step by step or by file; what an undo would do is shown as files before anything happens. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Counts } from "../card/facts.tsx";
import { FileChanges } from "../card/file-changes.tsx";
import { may } from "../me.ts";
import { Icon } from "../parts/icon.tsx";
import { countLines, withoutBlanks } from "../parts/parse-diff.ts";
import { shortPath } from "../parts/short-path.ts";
import { change, settings } from "../settings.ts";
import { fileCount, filesOnly } from "../state/rows.ts";
import type { CallState, SessionState } from "../state/session-state.ts";
import { at, t } from "../words/words.ts";
import { changesOf, resultOf } from "./call-results.ts";
import { useNetChanges } from "./net-changes.ts";
import { changedCalls, netFiles, type StepGroup, stepGroups } from "./steps.ts";
import { UndoPreview } from "./undo-preview.tsx";
import { chosen } from "./undoing.ts";
import { iconOf, objectOf, verbOf } from "./verbs.ts";

export function ChangesScreen({ state }: { readonly state: SessionState }) {
  const view = useSignal<"step" | "file">("step");
  const steps = changedCalls(state);
  useEffect(() => {
    chosen.value = new Set();
  }, [state.sessionId]);
  if (steps.length === 0) {
    return (
      <div class="empty">
        <Icon name="file-diff" />
        <h2>{t("noChangesYet")}</h2>
        <p>{t("noChangesIs")}</p>
      </div>
    );
  }
  const picked = steps.filter(({ callId, undoneBy }) => chosen.value.has(callId) && undoneBy === undefined);
  return (
    <div class={picked.length > 0 ? "body undo-view" : "body"}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="page narrow" tabIndex={0} aria-label={t("changesDone")}>
        <div class="line wrap">
          <div class="grow title-block">
            <h2>{t("changesDone")}</h2>
            <p class="t2 s13">{t("changesCount", { steps: steps.length, files: netFiles(state).length })}</p>
          </div>
          <div class="seg">
            <button type="button" aria-pressed={view.value === "step"} onClick={() => (view.value = "step")}>
              {t("byStep")}
            </button>
            <button type="button" aria-pressed={view.value === "file"} onClick={() => (view.value = "file")}>
              {t("byFile")}
            </button>
          </div>
        </div>
        {view.value === "step" ? (
          stepGroups(state).map((group) => <Group key={group.key} group={group} sessionId={state.sessionId} />)
        ) : (
          <ByFile state={state} />
        )}
        <p class="t3 s12 line step-group">
          <Icon name="info" small />
          {t("readsNotListed")}
        </p>
      </section>
      {picked.length > 0 ? <UndoPreview sessionId={state.sessionId} calls={picked} /> : null}
    </div>
  );
}

function Group({ group, sessionId }: { readonly group: StepGroup; readonly sessionId: string }) {
  const open = group.calls.filter(canUndo);
  const all = open.length > 0 && open.every(({ callId }) => chosen.value.has(callId));
  const toggleAll = (): void => {
    const next = new Set(chosen.value);
    for (const { callId } of open) {
      if (all) next.delete(callId);
      else next.add(callId);
    }
    chosen.value = next;
  };
  return (
    <section class="step-group">
      <div class="line">
        <h3 class="s13 grow clip">{group.words === undefined ? t("beforeFirst") : t("quoted", { text: group.words })}</h3>
        {open.length > 0 ? (
          <button type="button" class="btn ghost tight" onClick={toggleAll}>
            {all ? t("chooseNone") : t("chooseAll")}
          </button>
        ) : null}
      </div>
      {group.calls.map((call, index) => (
        <Step key={call.callId} call={call} sessionId={index < countedSteps ? sessionId : undefined} />
      ))}
    </section>
  );
}

/** Lines are counted for so many steps of a message; each needs its whole result. */
const countedSteps = 40;

function StepCounts({ sessionId, callId }: { readonly sessionId: string; readonly callId: string }) {
  const sums = changesOf(resultOf(sessionId, callId).value).map(({ diff }) => countLines(diff ?? ""));
  const added = sums.reduce((sum, one) => sum + one.added, 0);
  const removed = sums.reduce((sum, one) => sum + one.removed, 0);
  return added + removed === 0 ? null : <Counts added={added} removed={removed} />;
}

function Step({ call, sessionId }: { readonly call: CallState; readonly sessionId: string | undefined }) {
  const isUndone = call.undoneBy !== undefined;
  const toggle = (): void => {
    const next = new Set(chosen.value);
    if (!next.delete(call.callId)) next.add(call.callId);
    chosen.value = next;
  };
  return (
    <label class={`step${isUndone ? " undone" : ""}${chosen.value.has(call.callId) && !isUndone ? " chosen" : ""}`}>
      <input
        type="checkbox"
        checked={chosen.value.has(call.callId) && !isUndone}
        disabled={!canUndo(call) || !may("call")}
        onChange={toggle}
      />
      <Icon name={iconOf(call)} />
      <span class="what clip">
        {verbOf(call)} <code>{objectOf(call)}</code>
      </span>
      <span class="meta">
        {isUndone ? <span class="chip undone">{t("undone")}</span> : null}
        {!isUndone && !call.undoable ? <span class="t3">{t("cannotUndo")}</span> : null}
        {call.changesTotal > 1 ? <span class="t3">{t("files", { n: fileCount(call) })}</span> : null}
        {isUndone || sessionId === undefined ? null : <StepCounts sessionId={sessionId} callId={call.callId} />}
        <span class="t3 num">{at(call.startedAt)}</span>
      </span>
    </label>
  );
}

function canUndo({ undoable, undoneBy }: CallState): boolean {
  return undoable && undoneBy === undefined;
}

/** From so many files on a list of them comes first. */
const treeFrom = 5;

/** How each file stands against the beginning of the session. */
function ByFile({ state }: { readonly state: SessionState }) {
  const changes = filesOnly(useNetChanges(state));
  const noBlanks = useSignal(false);
  const shown = noBlanks.value ? changes.map((one) => (one.diff === undefined ? one : { ...one, diff: withoutBlanks(one.diff) })) : changes;
  if (changes.length === 0) return <p class="step-group t2 s13">{t("netNothing")}</p>;
  return (
    <div class="step-group">
      <div class="line wrap net-head">
        <h3 class="eyebrow grow">{t("netDiff")}</h3>
        <label class="line s13 t2">
          <input type="checkbox" checked={noBlanks.value} onChange={({ currentTarget }) => (noBlanks.value = currentTarget.checked)} />
          {t("whitespace")}
        </label>
        <div class="seg not-phone">
          <button type="button" aria-pressed={settings.value.diff === "unified"} onClick={() => change({ diff: "unified" })}>
            {t("unified")}
          </button>
          <button type="button" aria-pressed={settings.value.diff === "side"} onClick={() => change({ diff: "side" })}>
            {t("sideBySide")}
          </button>
        </div>
      </div>
      {shown.length > treeFrom ? (
        <ul class="box file-tree">
          {shown.map(({ path, diff }) => (
            <li class="line file-line" key={path}>
              <code class="clip grow">{shortPath(path)}</code>
              <Counts {...countLines(diff ?? "")} />
            </li>
          ))}
        </ul>
      ) : null}
      <div class="box">
        <FileChanges changes={shown} total={shown.length} />
      </div>
    </div>
  );
}
