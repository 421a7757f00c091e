/** Files that a call changes or would change, the risky ones first, each with its diff. */
import { useSignal } from "@preact/signals";
import type { Change } from "../api/types.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { countLines } from "../parts/parse-diff.ts";
import { shortPath } from "../parts/short-path.ts";
import { size, t } from "../words/words.ts";
import { Counts } from "./facts.tsx";

const icons: Readonly<Record<string, IconName>> = {
  created: "file-plus",
  deleted: "file-minus",
  modified: "file-pen",
  mode: "lock",
  link: "file-text",
};
/** Files whose diff is open at first, and the lines that one may have for it. */
const openFiles = 3;
const openLines = 60;

export function FileChanges({ changes, total }: { readonly changes: readonly Change[]; readonly total: number }) {
  const ordered = [...changes].sort((a, b) => Number(b.risky === true) - Number(a.risky === true));
  const isLong = changes.length > 20 || changes.reduce((sum, { diff }) => sum + (diff?.split("\n").length ?? 0), 0) > 400;
  return (
    <div>
      {ordered.map((change, index) => (
        <FileChange key={change.path} change={change} open={!isLong && index < openFiles} />
      ))}
      {total > changes.length ? <p class="file-head t3">{t("filesMore", { n: total - changes.length })}</p> : null}
    </div>
  );
}

export function FileChange({ change, open: openAtFirst }: { readonly change: Change; readonly open: boolean }) {
  const { path, diff, risky } = change;
  const { added, removed } = countLines(diff ?? "");
  const open = useSignal(openAtFirst && added + removed <= openLines);
  const head = (
    <>
      <Icon name={isFolder(change) ? "folder" : (icons[change.change] ?? "file-pen")} />
      <code class="clip">{shortPath(path)}</code>
      {risky === true ? (
        <span class="chip ask">
          <Icon name="warning" small />
          {t("risky")}
        </span>
      ) : null}
      <span class="grow" />
      {change.change === "created" ? <span class="t3 s12">{t("newFile")}</span> : null}
      {change.change === "deleted" ? <span class="t3 s12">{t("deletedFile")}</span> : null}
      {diff === undefined || diff === "" ? <span class="t3 s12">{inWords(change)}</span> : <Counts added={added} removed={removed} />}
    </>
  );
  if (diff === undefined || diff === "") return <div class="file file-head">{head}</div>;
  return (
    <div class="file">
      <button type="button" class="file-head" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        {head}
        <Icon name={open.value ? "chevron-down" : "chevron-right"} small />
      </button>
      {open.value ? <DiffView text={diff} label={t("diffOf", { path })} /> : null}
    </div>
  );
}

function isFolder({ diff, before_size: before, after_size: after, change }: Change): boolean {
  return (change === "created" || change === "deleted") && diff === undefined && before === undefined && after === undefined;
}

function inWords({ change, before_size: before, after_size: after, after_mode: mode }: Change): string {
  if (change === "mode") return t("modeChange", { mode: mode ?? "" });
  if (before !== undefined && after !== undefined) return t("binary", { before: size(before), after: size(after) });
  const known = after ?? before;
  return known === undefined ? "" : size(known);
}
