/** A call that changed files: its diff is open at once, because that is the point of it, and its undo is beside it. */
import { approvals } from "../card/approvals.ts";
import { Counts } from "../card/facts.tsx";
import { FileChange } from "../card/file-changes.tsx";
import { Ansi } from "../parts/ansi.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { countLines } from "../parts/parse-diff.ts";
import { filesOnly } from "../state/rows.ts";
import type { CallState } from "../state/session-state.ts";
import { t } from "../words/words.ts";
import { changesOf, resultOf } from "./call-results.ts";
import { sessionHref } from "./session-href.ts";
import { undoCalls } from "./undoing.ts";
import { iconOf, objectOf, verbOf } from "./verbs.ts";

/** Lines of diff that are open in the conversation; the rest is in Changes. */
const openLines = 24;
const openFiles = 6;

interface ChangedRowProps {
  readonly call: CallState;
  readonly sessionId: string;
  /** What stands here until the call's whole result was read. */
  readonly before: preact.JSX.Element;
}

export function ChangedRow({ call, sessionId, before }: ChangedRowProps) {
  const changes = filesOnly(changesOf(resultOf(sessionId, call.callId).value));
  const [only] = changes;
  if (only === undefined) return before;
  const sums = changes.map(({ diff }) => countLines(diff ?? ""));
  const added = sums.reduce((sum, one) => sum + one.added, 0);
  const removed = sums.reduce((sum, one) => sum + one.removed, 0);
  const lines = changes.reduce((sum, { diff }) => sum + (diff ?? "").split("\n").length, 0);
  const isShort = lines <= openLines + 4 * changes.length;
  const byYou = call.approvalId !== undefined && approvals.value.get(call.approvalId)?.status !== "refused";
  const isOneFile = changes.length === 1 && call.changesTotal === 1 && isShort && (only.diff ?? "") !== "" && call.tool !== "Bash";
  return (
    <div class="call-box box" data-call={call.callId}>
      <div class="head">
        <Icon name={iconOf(call)} />
        <span class="clip">
          <b class="medium">{verbOf(call)}</b> <code>{objectOf(call)}</code>
        </span>
        <Counts added={added} removed={removed} />
        <span class="grow" />
        {byYou ? <span class="t3 s12 not-phone by-you">{t("allowedByYou")}</span> : null}
        {call.undoable ? (
          <button type="button" class="btn ghost tight" onClick={() => void undoCalls(sessionId, [call.callId])}>
            <Icon name="undo" small />
            {t("undo")}
          </button>
        ) : null}
      </div>
      {isOneFile ? (
        <DiffView text={only.diff ?? ""} label={t("diffOf", { path: only.path })} />
      ) : (
        <div>
          {changes.slice(0, openFiles).map((change) => (
            <FileChange key={change.path} change={change} open={isShort} />
          ))}
          {isShort && changes.length <= openFiles ? null : (
            <p class="file-head">
              <a href={sessionHref(sessionId, "changes")}>{t("openDiff")}</a>
              {changes.length > openFiles ? (
                <span class="t3 s12">{t("filesMore", { n: Math.max(changes.length, call.changesTotal) - openFiles })}</span>
              ) : null}
            </p>
          )}
        </div>
      )}
      <LastLines call={call} />
    </div>
  );
}

/** A command's output, folded to its end. */
export function LastLines({ call }: { readonly call: CallState }) {
  const lines = call.output.trimEnd().split("\n");
  if (call.tool !== "Bash" || call.output.trim() === "" || call.output === "(no output)") return null;
  return (
    <div class="out">
      <pre>
        <Ansi text={lines.slice(-3).join("\n")} />
      </pre>
    </div>
  );
}
