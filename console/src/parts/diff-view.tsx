/** A table of lines with numbers and signs. Text is text: nothing of a file becomes markup. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { isPlainKey } from "../card/arming.ts";
import { settings } from "../settings.ts";
import { t } from "../words/words.ts";
import { type DiffHunk, type DiffLine, type FileDiffData, parseDiff } from "./parse-diff.ts";
import { Visible } from "./visible-text.tsx";

interface DiffProps {
  readonly text: string;
  readonly label: string;
  /** Lines shown before "Show n more". */
  readonly limit?: number;
  readonly file?: FileDiffData;
}

const defaultLimit = 400;
/** Of its own width, not of the window's. */
const sideBySideWidth = 1100;

export function DiffView({ text, label, limit = defaultLimit, file }: DiffProps) {
  const hunks = useMemo(() => (file === undefined ? parseDiff(text).flatMap((one) => one.hunks) : file.hunks), [text, file]);
  const shown = useSignal(limit);
  const width = useSignal(0);
  const at = useRef<HTMLElement>(null);
  useEffect(() => {
    if (at.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      width.value = entry?.contentRect.width ?? 0;
    });
    observer.observe(at.current);
    return () => observer.disconnect();
  }, [width]);
  const isWide = useComputed(() => settings.value.diff === "side" && width.value >= sideBySideWidth);
  const current = useRef(-1);
  const onKey = (event: KeyboardEvent): void => {
    const by = event.key === "n" ? 1 : event.key === "p" ? -1 : 0;
    if (by === 0 || !isPlainKey(event)) return;
    const changes = changeStarts(at.current);
    if (changes.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    current.current = (current.current + by + changes.length) % changes.length;
    for (const row of at.current?.querySelectorAll("tr.here") ?? []) row.classList.remove("here");
    const row = changes[current.current];
    row?.classList.add("here");
    row?.scrollIntoView({ block: "center" });
  };
  const total = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const parts = cut(hunks, shown.value);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="diff" tabIndex={0} aria-label={label} ref={at} onKeyDown={onKey}>
      <table>
        <tbody>
          {parts.map((hunk, index) => (
            <Hunk key={`${hunk.beforeStart}:${hunk.afterStart}`} hunk={hunk} first={index === 0} wide={isWide.value} />
          ))}
          {total > shown.value ? (
            <tr class="hunk">
              <td colSpan={isWide.value ? 6 : 4}>
                <button type="button" data-more onClick={() => (shown.value = Number.POSITIVE_INFINITY)}>
                  {t("showMoreLines", { n: total - shown.value })}
                </button>
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
    </section>
  );
}

/** The first line of each change. */
function changeStarts(view: HTMLElement | null): readonly HTMLElement[] {
  return [...(view?.querySelectorAll<HTMLElement>("tr[data-change]") ?? [])].filter(
    (row) => !(row.previousElementSibling instanceof HTMLElement && row.previousElementSibling.dataset.change !== undefined),
  );
}

function cut(hunks: readonly DiffHunk[], limit: number): readonly DiffHunk[] {
  let left = limit;
  const kept: DiffHunk[] = [];
  for (const hunk of hunks) {
    if (left <= 0) break;
    kept.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return kept;
}

function Hunk({ hunk, first, wide }: { readonly hunk: DiffHunk; readonly first: boolean; readonly wide: boolean }) {
  return (
    <>
      {hunk.around !== "" || !first ? (
        <tr class="hunk">
          <td colSpan={wide ? 6 : 4}>{hunk.around === "" ? "⋯" : hunk.around}</td>
        </tr>
      ) : null}
      {wide
        ? pairs(hunk.lines).map(([left, right]) => <WideRow key={keyOf(left, right)} left={left} right={right} />)
        : hunk.lines.map(row)}
    </>
  );
}

function row(line: DiffLine) {
  return (
    <tr class={line.kind} key={`${line.kind}${line.before ?? ""}:${line.after ?? ""}`} data-change={line.kind === "same" ? undefined : ""}>
      <td class="ln">{line.kind === "add" ? line.after : line.before}</td>
      <td class="sg">{signOf(line)}</td>
      <td class="tx">
        <LineText line={line} />
      </td>
    </tr>
  );
}

function signOf({ kind }: DiffLine): string {
  return kind === "add" ? "+" : kind === "del" ? "−" : "";
}

function LineText({ line }: { readonly line: DiffLine }) {
  return (
    <>
      {line.spans === undefined ? (
        <Visible text={line.text} />
      ) : (
        line.spans.map(({ text, marked }, index) =>
          marked ? <mark key={index}>{<Visible text={text} />}</mark> : <Visible key={index} text={text} />,
        )
      )}
      {line.noNewline === true ? <span class="t2"> ⌁ {t("noNewline")}</span> : null}
    </>
  );
}

type Pair = readonly [DiffLine | undefined, DiffLine | undefined];

function pairs(lines: readonly DiffLine[]): readonly Pair[] {
  const done: Pair[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.kind === "same") {
      done.push([line, line]);
      at += 1;
      continue;
    }
    const removed: DiffLine[] = [];
    const added: DiffLine[] = [];
    for (let next = lines[at]; next?.kind === "del"; next = lines[at]) {
      removed.push(next);
      at += 1;
    }
    for (let next = lines[at]; next?.kind === "add"; next = lines[at]) {
      added.push(next);
      at += 1;
    }
    for (let pair = 0; pair < Math.max(removed.length, added.length); pair += 1) done.push([removed[pair], added[pair]]);
  }
  return done;
}

function keyOf(left: DiffLine | undefined, right: DiffLine | undefined): string {
  return `${left?.before ?? "-"}:${right?.after ?? "-"}`;
}

function WideRow({ left, right }: { readonly left: DiffLine | undefined; readonly right: DiffLine | undefined }) {
  const isChange = left?.kind !== "same" || right?.kind !== "same";
  return (
    <tr class="wrap-lines" data-change={isChange ? "" : undefined}>
      <Half line={left} number={left?.before} />
      <Half line={right} number={right?.after} />
    </tr>
  );
}

function Half({ line, number }: { readonly line: DiffLine | undefined; readonly number: number | undefined }) {
  if (line === undefined) return <td class="void" colSpan={3} />;
  const kind = line.kind === "same" ? "" : line.kind;
  return (
    <>
      <td class={`ln ${kind}`}>{number}</td>
      <td class={`sg ${kind}`}>{signOf(line)}</td>
      <td class={`tx ${kind}`}>
        <LineText line={line} />
      </td>
    </>
  );
}
