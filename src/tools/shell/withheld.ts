/**
 * What of the machine a command named and did not find, because it is hidden where it ran or does not exist there: told by its text, its
 * judged paths and what it printed. Refuses to guess: what nothing names was not wanted.
 */
import type { FileReader, ShellOutcome, Withheld } from "../../contract/index.ts";

interface Wanting {
  readonly command: string;
  readonly printed: string;
  /** Paths that it was judged to read. */
  readonly reads?: readonly string[];
}

export async function withheldFrom(
  { exitCode, concealed = [], lacks = () => false }: Pick<ShellOutcome, "exitCode" | "concealed" | "lacks">,
  { command, printed, reads = [] }: Wanting,
  files: Pick<FileReader, "resolve">,
): Promise<readonly Withheld[]> {
  const said = `${command}\n${printed}`;
  const hidden = await Promise.all(namedIn(said, concealed).map((path) => files.resolve(path, "machine")));
  // What a command prints that went well may be about anything.
  const words = [...new Set([...reads, ...pathsIn(exitCode === 0 ? command : said)])].slice(0, maxLooked);
  const found = await Promise.all(words.map((word) => files.resolve(word, "machine")));
  const lacking = found.filter(({ kind, real }) => kind !== "absent" && lacks(real));
  return uniqueByName([
    ...hidden.map(({ kind, real }): Withheld => ({ kind: kind === "socket" ? "socket" : "file", name: real })),
    ...lacking.map(({ kind, real }): Withheld => ({ kind: kind === "socket" ? "socket" : "path", name: real })),
  ]);
}

/** Those of the paths that a text names, by their whole name or the last part of it. */
function namedIn(text: string, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => {
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new RegExp(`(?<![\\w.-])${name}(?![\\w-]|\\.\\w)`).test(text);
  });
}

const maxLooked = 40;
const pathWord = /(?<![\w./~-])~?\/[\w.+@%-]+(?:\/[\w.+@%-]+)*/g;

/** A sentence ends with a dot that is no part of the path it names. */
function pathsIn(text: string): readonly string[] {
  const words = text.replace(/\bunix:(?:\/\/)?(?=\/)/g, " ").match(pathWord) ?? [];
  return words.map((word) => word.replace(/\.+$/, ""));
}

function uniqueByName(all: readonly Withheld[]): readonly Withheld[] {
  return [...new Map(all.map((one) => [one.name, one])).values()];
}
