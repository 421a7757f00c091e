/**
 * Which contents of tracked files git commands print that are not known to be read-only. The everyday ones that change a
 * repository print none; every other one may print them all, because no world of a command hides git's objects.
 */
import type { Field } from "../field.ts";
import type { Judge } from "../judge.ts";
import { revisionsAndPaths } from "./git-commands.ts";

/** They name what they change and show nothing of it. */
const quiet = new Set(
  "add am apply checkout cherry-pick clean clone commit fetch gc init lfs ls-remote maintenance merge mv prune pull push rebase repack reset restore revert rm stash submodule switch".split(
    " ",
  ),
);
/** These show a patch if an option says so. */
const patching = new Set("add am checkout commit rebase reset restore stash".split(" "));
/** Long options may be cut short. */
const patchOption = /^(?:-[a-zA-Z]*[pvi]|--(?:pa|verb|i|show))/;
/** The next word is a text, whatever it looks like. */
const messageOption = /^(?:-[a-zA-Z]*[mF]|--message|--file)$/;

/** Of `stash` all but two verbs only change. */
export function isChange(name: string, [verb]: readonly Field[]): boolean {
  return name === "stash" && (verb === undefined || (verb.kind === "text" && !/^(?:list|show)$/.test(verb.text)));
}

export function readByChange(name: string, args: readonly Field[], judge: Judge): void {
  const options = args.filter((_, index) => !messageOption.test(args[index - 1]?.text ?? ""));
  const shows = patching.has(name) && options.some((field) => isUntold(field) || patchOption.test(field.text));
  const runs = name === "submodule" && args.some((field) => isUntold(field) || field.text === "foreach");
  if (!quiet.has(name) || shows || runs) readAnything(args, judge);
  // Under its new name nobody would take it for a secret.
  else if (name === "mv") readNamed(args, judge);
}

function isUntold({ kind }: Field): boolean {
  return kind !== "text" && kind !== "glob";
}

/** Whatever is tracked, and what is named. */
export function readAnything(args: readonly Field[], judge: Judge): void {
  readNamed(args, judge);
  judge.readTracked([]);
}

function readNamed(args: readonly Field[], judge: Judge): void {
  judge.recorded = true;
  revisionsAndPaths(
    args.filter(({ kind, text }) => kind === "text" && !text.startsWith("-")),
    judge,
  );
}
