/** Changes beside the conversation: files, then steps; the whole screen is one click away. */
import { useLocation } from "preact-iso";
import { Counts } from "../card/facts.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { countLines } from "../parts/parse-diff.ts";
import { shortPath } from "../parts/short-path.ts";
import type { SessionState } from "../state/session-state.ts";
import { at, t } from "../words/words.ts";
import { useNetChanges } from "./net-changes.ts";
import { sessionHref } from "./session-href.ts";
import { changedCalls, netFiles, undoableCalls } from "./steps.ts";
import { iconOf, objectOf, verbOf } from "./verbs.ts";

const icons: Readonly<Record<string, IconName>> = { created: "file-plus", deleted: "file-minus" };

function FileCounts({ diff }: { readonly diff: string | undefined }) {
  return diff === undefined || diff === "" ? null : <Counts {...countLines(diff)} />;
}

function headOf(files: number, steps: number): string {
  if (files > 0) return t("filesChanged", { n: files });
  return steps === 0 ? t("noChangesYet") : t("allTakenBack");
}

export function ChangesPanel({ state }: { readonly state: SessionState }) {
  const { route } = useLocation();
  const steps = changedCalls(state);
  const files = netFiles(state);
  const net = useNetChanges(state);
  const waiting = [...state.calls.values()].filter(({ status }) => status === "waiting");
  if (steps.length === 0 && waiting.length === 0) {
    return (
      <div class="empty">
        <Icon name="file-diff" />
        <h2>{t("noChangesYet")}</h2>
        <p>{t("noChangesIs")}</p>
      </div>
    );
  }
  const standing = steps.filter(({ undoneBy }) => undoneBy === undefined);
  const undoable = undoableCalls(state).length;
  const left = standing.length - undoable;
  return (
    <div class="panel-in">
      <div class="line">
        <div class="grow">
          <p class="strong">{headOf(files.length, steps.length)}</p>
          {standing.length === 0 ? null : <p class="t3 s12">{left === 0 ? t("allUndoable") : t("someUndoable", { n: left })}</p>}
        </div>
        {undoable === 0 ? null : (
          <button type="button" class="btn" onClick={() => route(sessionHref(state.sessionId, "changes"))}>
            <Icon name="undo" small />
            {t("undoEllipsis")}
            <kbd>⇧U</kbd>
          </button>
        )}
      </div>
      <ul class="panel-list">
        {files.map(({ path, change }) => (
          <li class="line file-line" key={path}>
            <Icon name={icons[change] ?? "file-pen"} />
            <code class="clip grow">{shortPath(path)}</code>
            {change === "created" ? <span class="t3 s12">{t("newFile")}</span> : null}
            {change === "deleted" ? <span class="t3 s12">{t("deletedFile")}</span> : null}
            <FileCounts diff={net.find((one) => path.endsWith(`/${one.path}`) || path === one.path)?.diff} />
          </li>
        ))}
      </ul>
      <h2 class="eyebrow">{t("steps")}</h2>
      <ul>
        {[...waiting.map((call) => ({ call, isWaiting: true })), ...steps.map((call) => ({ call, isWaiting: false }))].map(
          ({ call, isWaiting }) => (
            <li class={`call ${isWaiting ? "ask" : call.undoneBy === undefined ? "" : "undone"}`} key={call.callId}>
              <span class="mark">
                <Icon name={iconOf(call)} />
              </span>
              <span class="what clip">
                {verbOf(call)} {objectOf(call)}
              </span>
              <span class="meta">
                {isWaiting ? (
                  t("waiting")
                ) : call.undoneBy === undefined ? (
                  at(call.startedAt)
                ) : (
                  <span class="chip undone">{t("undone")}</span>
                )}
              </span>
            </li>
          ),
        )}
      </ul>
    </div>
  );
}
