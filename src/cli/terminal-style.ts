/** Colours for people at a terminal, in one place. Refuses them where nobody looks, or where the person does not want them. */

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;

type Style = keyof typeof codes;

interface Stream {
  readonly isTTY?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function hasColour(stream: Stream, env: Environment = process.env): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

export function styled(style: Style, text: string, stream: Stream): string {
  return hasColour(stream) ? paint(style, text) : text;
}

/** Colours the unified diffs in a text and nothing around them: a hunk says itself how many lines it has. */
export function colourDiff(text: string, stream: Stream): string {
  if (!hasColour(stream)) return text;
  let [removed, added] = [0, 0];
  let previous = "";
  return text
    .split("\n")
    .map((line) => {
      const before = previous;
      previous = line;
      if (removed > 0 || added > 0) {
        if (!line.startsWith("+")) removed -= 1;
        if (!line.startsWith("-")) added -= 1;
        if (line.startsWith("\\")) [removed, added] = [removed + 1, added + 1];
        return line.startsWith("+") ? paint("green", line) : line.startsWith("-") ? paint("red", line) : line;
      }
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk) {
        [removed, added] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
        return paint("cyan", line);
      }
      return line.startsWith("--- ") || (line.startsWith("+++ ") && before.startsWith("--- ")) ? paint("bold", line) : line;
    })
    .join("\n");
}

function paint(style: Style, text: string): string {
  const [on, off] = codes[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
