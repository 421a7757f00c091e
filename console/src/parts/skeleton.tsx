/** The shape of a page that is on its way; shown only if it takes a moment. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../words/words.ts";

const patienceMs = 150;

export function Skeleton() {
  const shown = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (shown.value = true), patienceMs);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div class="skeletons" role="status" aria-label={t("loading")}>
      {shown.value
        ? ["wide", "mid", "narrow", "wide", "mid"].map((width, index) => <div class={`skeleton ${width}`} key={`${width}${index + 0}`} />)
        : null}
    </div>
  );
}
