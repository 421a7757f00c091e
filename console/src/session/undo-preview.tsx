/** What the files will look like after an undo. Files that somebody else changed since are kept unless one says otherwise. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Change } from "../api/types.ts";
import { Counts } from "../card/facts.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { countLines } from "../parts/parse-diff.ts";
import { shortPath, shortPaths } from "../parts/short-path.ts";
import type { CallState } from "../state/session-state.ts";
import { at, t } from "../words/words.ts";
import { changesOf } from "./call-results.ts";
import { chosen, previewUndo, type UndoPreviewed, undoCalls } from "./undoing.ts";

type Shown =
  | { readonly kind: "loading" }
  | { readonly kind: "ready"; readonly result: UndoPreviewed }
  | { readonly kind: "failed"; readonly message: string };

export function UndoPreview({ sessionId, calls }: { readonly sessionId: string; readonly calls: readonly CallState[] }) {
  const shown = useSignal<Shown>({ kind: "loading" });
  const busy = useSignal(false);
  const overwrite = useSignal(false);
  const ids = calls.map(({ callId }) => callId);
  const key = `${ids.join(" ")} ${overwrite.value}`;
  useEffect(() => {
    let isCurrent = true;
    shown.value = { kind: "loading" };
    previewUndo(sessionId, ids, overwrite.value).then(
      (result) => {
        if (isCurrent) shown.value = { kind: "ready", result };
      },
      (error: unknown) => {
        if (isCurrent) shown.value = { kind: "failed", message: error instanceof ApiError ? error.message : String(error) };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key, sessionId]);
  const run = async (): Promise<void> => {
    busy.value = true;
    const result = await undoCalls(sessionId, ids, overwrite.value);
    busy.value = false;
    if (result?.status === "ok") chosen.value = new Set();
  };
  const ready = shown.value.kind === "ready" ? shown.value.result : undefined;
  const isBlocked = ready !== undefined && ready.status === "error";
  const oldest = Math.min(...calls.map(({ startedAt }) => startedAt));
  return (
    <aside class="undo-side" aria-label={t("undoSteps", { n: calls.length })}>
      <header class="title-block">
        <h2 class="line">
          <Icon name="undo" />
          {t("undoSteps", { n: calls.length })}
        </h2>
        <p class="t2 s13">{t("undoLooks")}</p>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="scroll" tabIndex={0} aria-label={t("undoLooks")}>
        {shown.value.kind === "loading" ? <p class="undo-file t3">{t("loading")}…</p> : null}
        {shown.value.kind === "failed" ? <p class="note deny">{shown.value.message}</p> : null}
        {isBlocked && ready !== undefined ? <Blocked preview={ready} calls={calls} overwrite={overwrite} /> : null}
        {(ready?.files ?? changesOf(ready)).map((change) => (
          <UndoFile key={change.path} change={change} before={oldest} overwritten={overwrite.value} />
        ))}
      </section>
      <footer class="stack gap">
        <p class="t3 s12">{t("undoOfUndo")}</p>
        <div class="line wrap">
          <button type="button" class="btn primary" disabled={busy.value || ready === undefined || isBlocked} onClick={() => void run()}>
            {busy.value ? <span class="spin" /> : null}
            {t("undoSteps", { n: calls.length })}
          </button>
          <button type="button" class="btn" onClick={() => (chosen.value = new Set())}>
            {t("cancel")}
          </button>
        </div>
      </footer>
    </aside>
  );
}

interface BlockedProps {
  readonly preview: UndoPreviewed;
  readonly calls: readonly CallState[];
  readonly overwrite: { value: boolean };
}

/** Somebody else's edits are kept: the undo leaves out the steps they stand on, or one says to overwrite them. */
function Blocked({ preview, calls, overwrite }: BlockedProps) {
  const files = (preview.files ?? []).filter(({ changed_by_others: changed }) => changed === true);
  const held = new Set(files.flatMap(({ call_ids: ids }) => ids ?? []));
  const rest = calls.filter(({ callId }) => !held.has(callId));
  return (
    <div class="undo-file">
      <div class="note ask">
        <Icon name="warning" />
        <span>{files.length > 0 ? t("changedByOther") : shortPaths(preview.error?.message ?? preview.output)}</span>
      </div>
      <div class="line wrap">
        {rest.length > 0 && files.length > 0 ? (
          <button type="button" class="btn" onClick={() => (chosen.value = new Set(rest.map(({ callId }) => callId)))}>
            {t("undoRest")}
          </button>
        ) : null}
        <button type="button" class="btn ghost danger" onClick={() => (overwrite.value = true)}>
          {t("overwrite")}
        </button>
      </div>
    </div>
  );
}

function UndoFile({ change, before, overwritten }: { readonly change: Change; readonly before: number; readonly overwritten: boolean }) {
  const { added, removed } = countLines(change.diff ?? "");
  const isKept = change.changed_by_others === true && !overwritten;
  return (
    <div class="undo-file">
      <div class="line">
        <Icon
          name={isKept ? "warning" : change.change === "deleted" ? "file-minus" : change.change === "created" ? "file-plus" : "file-pen"}
        />
        <code class="clip grow">{shortPath(change.path)}</code>
        {isKept ? <span class="chip ask">{t("kept")}</span> : change.diff ? <Counts added={added} removed={removed} /> : null}
      </div>
      <p class="t2 s13">{isKept ? t("changedByOther") : t("backTo", { time: at(before) })}</p>
      {change.diff === undefined || change.diff === "" ? null : (
        <div class="box">
          <DiffView text={change.diff} label={t("diffOf", { path: change.path })} />
        </div>
      )}
    </div>
  );
}
