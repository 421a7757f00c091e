/** The entries of a git config as far as single keys are looked up: no includes, no values over several lines. */

/** `section.key` in lower case and its value; sections with a sub-section are passed over. */
export function* configEntries(text: string): Generator<readonly [string, string | undefined]> {
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^\s*\[\s*([\w.-]+)\s*\]\s*(?:[#;].*)?$/.exec(line);
    if (heading !== null) {
      section = (heading[1] as string).toLowerCase();
      continue;
    }
    if (/^\s*\[/.test(line)) {
      section = "";
      continue;
    }
    const entry = /^\s*([a-zA-Z][\w-]*)\s*(?:=\s*(.*?)\s*)?$/.exec(line);
    if (entry === null || section === "") continue;
    const value = entry[2]?.replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1");
    yield [`${section}.${(entry[1] as string).toLowerCase()}`, value];
  }
}
