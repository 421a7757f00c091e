/**
 * The table of secrets as file types of ripgrep, so that it opens no file the table names. Types concern files alone, and the
 * last one that matches a name decides: what a form takes back out follows the form.
 * Refuses to be the last word: globs cannot fold names as the table does, so whoever reads the results asks the table again.
 */
import { leftoverEndings, secretFiles, secretFilesIn, secretForms, secretStores, unbraced } from "../../../contract/index.ts";

/** After everything that is wanted. */
export function secretTypes(): readonly string[] {
  written ??= writeTypes();
  return written;
}

let written: readonly string[] | undefined;

function writeTypes(): readonly string[] {
  const layers = [{ globs: secretFiles, but: [] }, ...secretForms].flatMap(({ globs, but }, index) => [
    ...layer(`karyisecret${index}`, globs, "--type-not"),
    ...(but.length === 0 ? [] : layer(`karyiharmless${index}`, but, "--type")),
  ]);
  return layers;
}

function layer(name: string, globs: readonly string[], use: "--type" | "--type-not"): readonly string[] {
  const names = globs.flatMap(unbraced);
  // A few of the endings are enough here: a copy of a copy is rare, and left out of the results all the same.
  const copies = names.flatMap((glob) => leftoverEndings.map((ending) => glob + ending));
  // One glob, because many cost ripgrep a tenth of a search.
  return [`--type-add=${name}:{${[...names, ...copies].map(anyCase).join(",")}}`, `${use}=${name}`];
}

/** Directories of which nothing is searched, and files that are secret in one directory only. */
export function secretPlaces(): string {
  const places = [...secretStores, ...secretFilesIn.map(([directory, file]) => `${directory}/${file}`)];
  return `!{${places.map((place) => `**/${place}`).join(",")}}`;
}

function anyCase(glob: string): string {
  return glob.replace(/\[[^\]]*\]|[a-z]/g, (part) => (part.length > 1 ? part : `[${part}${part.toUpperCase()}]`));
}
