/** Output of commands: colours and weight from ANSI, every other sequence dropped. Text nodes only. */
import Anser from "anser";
import { useMemo } from "preact/hooks";
import { toneOf } from "./ansi-colours.ts";
import { stripSequences } from "./strip-sequences.ts";

export function Ansi({ text }: { readonly text: string }) {
  const parts = useMemo(() => Anser.ansiToJson(stripSequences(text), { use_classes: true, remove_empty: true, json: true }), [text]);
  return (
    <>
      {parts.map(({ content, fg, fg_truecolor: truecolour, decorations }, index) => {
        const tone = toneOf(fg, truecolour);
        const style = [tone === undefined ? "" : `ansi-${tone}`, ...(decorations ?? []).map((one) => `ansi-${one}`)].filter(Boolean);
        return style.length === 0 ? (
          content
        ) : (
          <span key={index} class={style.join(" ")}>
            {content}
          </span>
        );
      })}
    </>
  );
}
