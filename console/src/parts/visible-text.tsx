/** Text whose invisible and direction-changing characters are drawn, so that what is read is what is there. */
import { suspicious } from "./suspicious.ts";

export function Visible({ text }: { readonly text: string }) {
  const parts = suspicious(text);
  if (parts.length === 1 && parts[0]?.hidden === false) return <>{text}</>;
  return (
    <>
      {parts.map(({ text: part, hidden }, index) =>
        hidden ? (
          <span class="boxed-char" key={index}>
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </>
  );
}

/** A command or an argument: `$KARYI{NAME}` is a chip. */
export function Command({ text }: { readonly text: string }) {
  const parts = text.split(/(\$KARYI\{[A-Za-z_][A-Za-z0-9_]*\})/);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <span class="chipvar" key={index}>
            {part}
          </span>
        ) : (
          <Visible text={part} key={index} />
        ),
      )}
    </>
  );
}
