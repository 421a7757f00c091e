/** Output of a call: head and tail, and all of it page by page on demand. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, pathOf } from "../api/client.ts";
import type { Result } from "../api/types.ts";
import { Ansi } from "../parts/ansi.tsx";
import type { CallState } from "../state/session-state.ts";
import { size, t } from "../words/words.ts";

const headLines = 12;
const tailLines = 12;

export function CallOutput({ call, sessionId }: { readonly call: CallState; readonly sessionId: string }) {
  const isOpen = useSignal(false);
  const text = call.output.trimEnd();
  if (text === "" || call.error !== undefined) return null;
  const lines = text.split("\n");
  const isCut = call.truncatedRef !== undefined;
  const isLong = lines.length > headLines + tailLines + 4;
  if (isOpen.value && call.truncatedRef !== undefined)
    return <Pages sessionId={sessionId} reference={call.truncatedRef} label={call.tool} />;
  if (isOpen.value || (!isLong && !isCut)) return <Output text={text} label={call.tool} />;
  const hidden = isCut
    ? t("hiddenSize", { size: size(Math.max(0, call.truncatedLeft ?? 0)) })
    : t("hiddenLines", { n: lines.length - headLines - tailLines });
  return (
    <div class="box">
      <Output text={lines.slice(0, headLines).join("\n")} label={call.tool} />
      <div class="file-head">
        <span class="t3 s12 grow">{hidden}</span>
        <button type="button" class="btn ghost tight" onClick={() => (isOpen.value = true)}>
          {t("openAll")}
        </button>
      </div>
      {lines.length > headLines ? (
        <Output text={lines.slice(Math.max(headLines, lines.length - tailLines)).join("\n")} label={call.tool} />
      ) : null}
    </div>
  );
}

interface PageData {
  readonly offset: number;
  readonly next: number | null;
  readonly total: number;
}

/** One page at a time: a page of any length would make the browser slow. */
function Pages({ sessionId, reference, label }: { readonly sessionId: string; readonly reference: string; readonly label: string }) {
  const starts = useSignal<readonly number[]>([0]);
  const page = useSignal<Result | { readonly failed: string } | undefined>(undefined);
  const offset = starts.value.at(-1) ?? 0;
  useEffect(() => {
    let isCurrent = true;
    api<Result>("POST", pathOf("sessions", sessionId, "calls"), { tool: "ReadOutput", input: { ref: reference, offset } }).then(
      (result) => {
        if (isCurrent) page.value = result.status === "ok" ? result : { failed: result.error?.message ?? result.output };
      },
      (error: Error) => {
        if (isCurrent) page.value = { failed: error.message };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [sessionId, reference, offset, page]);
  const shown = page.value;
  if (shown === undefined) return <p class="t3 s13">{t("loading")}…</p>;
  if ("failed" in shown) return <p class="note deny">{shown.failed}</p>;
  const { next, total, offset: from } = (shown.data ?? { offset: 0, next: null, total: 0 }) as unknown as PageData;
  return (
    <div class="box">
      <Output text={next === null ? shown.output : shown.output.replace(/\n\[[^\n]*$/, "")} label={label} />
      <div class="file-head">
        <span class="t3 s12 grow num">{t("pageOf", { from: size(from), to: size(next ?? total), total: size(total) })}</span>
        <button
          type="button"
          class="btn ghost tight"
          disabled={starts.value.length < 2}
          onClick={() => (starts.value = starts.value.slice(0, -1))}
        >
          {t("previous")}
        </button>
        <button
          type="button"
          class="btn ghost tight"
          disabled={next === null}
          onClick={() => {
            if (next !== null) starts.value = [...starts.value, next];
          }}
        >
          {t("next")}
        </button>
      </div>
    </div>
  );
}

function Output({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="out" tabIndex={0} aria-label={label}>
      <pre>
        <Ansi text={text} />
      </pre>
    </section>
  );
}
