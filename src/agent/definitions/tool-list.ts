/** The `tools` field of a definition: a list, or one text with commas, of names and rules such as `Bash(git status *)`. */

/** The parts of a text that commas separate; a comma inside brackets separates nothing. */
function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== "");
}

/** The entries of a field, `undefined` if it is neither a text nor a list of texts. */
export function readToolList(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return splitList(value);
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) return undefined;
  return value.map((one) => one.trim()).filter((one) => one !== "");
}

/** The name of a tool in an entry: `Bash` of `Bash(git status *)`. */
export function toolNameOf(entry: string): string {
  const open = entry.indexOf("(");
  return (open < 0 ? entry : entry.slice(0, open)).trim();
}
