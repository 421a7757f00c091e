/** What a command did where it could do no harm: exit code, what was kept from it, files, output. */
import { useSignal } from "@preact/signals";
import type { Rehearsal } from "../api/types.ts";
import { Ansi } from "../parts/ansi.tsx";
import { Icon } from "../parts/icon.tsx";
import { countLines } from "../parts/parse-diff.ts";
import { filesOnly } from "../state/rows.ts";
import { t, took } from "../words/words.ts";
import { Counts } from "./facts.tsx";
import { FileChanges } from "./file-changes.tsx";

const withheldKeys = { network: "withheldNetwork", file: "withheldFile", socket: "withheldSocket", path: "withheldPath" } as const;

interface RehearsalProps {
  readonly rehearsal: Rehearsal;
  /** Applies exactly this in the place of the call. */
  readonly apply?: { readonly run: () => void; readonly busy: boolean } | undefined;
}

export function RehearsalBox({ rehearsal, apply }: RehearsalProps) {
  const all = rehearsal.changes ?? [];
  // A folder that came with a file in it is told by that file.
  const changes = filesOnly(all);
  const total = rehearsal.changes_total - (all.length - changes.length);
  const open = useSignal(false);
  const output = rehearsal.output === "(no output)" ? "" : (rehearsal.output ?? "").trimEnd();
  const lines = output === "" ? 0 : output.split("\n").length;
  const sums = changes.map(({ diff }) => countLines(diff ?? ""));
  const facts = [
    rehearsal.exit_code === null ? t("exitNone") : t("exit", { code: String(rehearsal.exit_code) }),
    ...(rehearsal.duration_ms === undefined ? [] : [took(rehearsal.duration_ms)]),
    rehearsal.network_attempts > 0 ? t("networkTried", { n: rehearsal.network_attempts }) : t("networkOff"),
    t("nothingYet"),
  ];
  return (
    <div class="box rehearsal">
      <div class="head">
        <Icon name="flask" />
        <span class="medium">{t("dryRun")}</span>
        <span class="t3 s12 grow">{facts.join(" · ")}</span>
        <span class="s12 num">{total === 0 ? t("noChanges") : t("files", { n: total })}</span>
        {changes.length > 0 ? (
          <Counts added={sums.reduce((sum, { added }) => sum + added, 0)} removed={sums.reduce((sum, { removed }) => sum + removed, 0)} />
        ) : null}
      </div>
      <div>
        {rehearsal.withheld.map(({ kind, name }) => (
          <p class="file-head" key={`${kind} ${name ?? ""}`}>
            <Icon name="lock" small />
            <span>{t(withheldKeys[kind], { name: name ?? "?", n: rehearsal.network_attempts })}</span>
          </p>
        ))}
        <FileChanges changes={changes} total={total} />
        {rehearsal.dropped.length > 0 ? <p class="file-head t3 s12">{t("dropped", { names: rehearsal.dropped.join(", ") })}</p> : null}
        {lines > 0 ? (
          <div class="file">
            <button type="button" class="file-head t2" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
              <Icon name={open.value ? "chevron-down" : "chevron-right"} small />
              {t("outputLines", { n: lines })}
            </button>
            {open.value ? (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
              <section class="out" tabIndex={0} aria-label={t("outputLines", { n: lines })}>
                <pre>
                  <Ansi text={output} />
                </pre>
              </section>
            ) : null}
          </div>
        ) : null}
      </div>
      {apply === undefined ? null : (
        <div class="file-head apply-line">
          <span class="t3 s12 grow">{t("canUndoAfter")}</span>
          <button type="button" class="btn" disabled={apply.busy} onClick={apply.run}>
            <Icon name="check" small />
            {t("applyThis")}
          </button>
        </div>
      )}
    </div>
  );
}
