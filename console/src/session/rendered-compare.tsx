/** Two versions of a Markdown text side by side as pages: block by block, changed words marked, a gap where a block is missing. */
import { diffWordsWithSpace } from "diff";
import { useMemo } from "preact/hooks";
import { type DiffSpan, overSpaces } from "../parts/parse-diff.ts";
import { t } from "../words/words.ts";
import { type Block, blocksOf, pairsOf } from "./compare-blocks.ts";

function pieces(own: string, other: string | undefined, side: "left" | "right"): readonly DiffSpan[] {
  if (other === undefined) return [{ text: own, marked: true }];
  const [before, after] = side === "left" ? [own, other] : [other, own];
  const parts = diffWordsWithSpace(before, after, { intlSegmenter: new Intl.Segmenter("zh", { granularity: "word" }) });
  return overSpaces(
    parts.flatMap(({ value, added, removed }): readonly DiffSpan[] => {
      if (side === "left") return added ? [] : [{ text: value, marked: removed === true }];
      return removed ? [] : [{ text: value, marked: added === true }];
    }),
  );
}

interface RenderedProps {
  /** Side by side; else a changed block stands below what it was. */
  readonly wide: boolean;
  readonly left: { readonly title: string; readonly text: string };
  readonly right: { readonly title: string; readonly text: string };
}

export function RenderedCompare({ wide, left, right }: RenderedProps) {
  const pairs = useMemo(() => pairsOf(blocksOf(left.text), blocksOf(right.text)), [left.text, right.text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class={wide ? "versions" : "versions one"} tabIndex={0} aria-label={t("compare")}>
      <p class="t3 s12 version-head">{left.title}</p>
      <p class="t3 s12 version-head">{right.title}</p>
      {pairs.map((pair, index) => [
        wide || (!pair.same && pair.left !== undefined) ? (
          <Side key={`l${index}`} block={pair.left} other={pair.right} same={pair.same} side="left" />
        ) : null,
        wide || pair.right !== undefined ? (
          <Side key={`r${index}`} block={pair.right} other={pair.left} same={pair.same} side="right" />
        ) : null,
      ])}
    </section>
  );
}

interface SideProps {
  readonly block: Block | undefined;
  readonly other: Block | undefined;
  readonly same: boolean;
  readonly side: "left" | "right";
}

function Side({ block, other, same, side }: SideProps) {
  if (block === undefined) return <div class="version-block gap" />;
  const Word = side === "left" ? "del" : "ins";
  return (
    <div class={`version-block ${block.kind}${same ? "" : side === "left" ? " removed" : " added"}`}>
      {block.mark === "" ? null : <span class="num">{block.mark} </span>}
      {same
        ? block.text
        : pieces(block.text, other?.text, side).map(({ text, marked }, index) =>
            marked ? <Word key={index}>{text}</Word> : <span key={index}>{text}</span>,
          )}
    </div>
  );
}
