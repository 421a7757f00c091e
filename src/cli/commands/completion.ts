/** `karyi completion SHELL`: a script that completes commands, flags, the values of flags, names of tools and files. */
import type { Command } from "commander";
import { modes } from "../../contract/index.ts";
import { dialects } from "../dialect-names.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError } from "../front.ts";
import { say } from "../messages.ts";

/** A command by its words, with what may follow it. */
interface Place {
  readonly words: string;
  readonly subcommands: readonly string[];
  readonly flags: readonly string[];
  /** Of its first argument. */
  readonly values: readonly string[] | "files";
}

/** Values of flags, whatever command they belong to. */
type FlagValues = readonly (readonly [flag: string, values: readonly string[] | "files" | "directories"])[];

export function completion(program: Command): (args: readonly string[], flags: GlobalFlags) => Promise<number> {
  return async ([shell = ""], { json }) => {
    const { builtinNames } = await import("../../compose/index.ts");
    const tools = builtinNames();
    const places = placesOf(program, "", tools);
    const flagValues: FlagValues = [
      ["--mode", modes],
      ["--approve", ["ask", "yes", "no"]],
      ["--dialect", dialects],
      ["--tools", tools],
      ["--token-file", "files"],
      ["--workspace", "directories"],
      ["--home", "directories"],
      ["--cwd", "directories"],
    ];
    const scripts: Record<string, () => string> = {
      bash: () => bash(places, flagValues),
      zsh: () => `autoload -U +X bashcompinit && bashcompinit\n${bash(places, flagValues)}`,
      fish: () => fish(places, flagValues),
    };
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (!script) throw new UsageError(say("unknownShell", shell));
    if (json) printJson({ shell, script: script() });
    else print(script());
    return exitCodes.done;
  };
}

function placesOf(command: Command, words: string, tools: readonly string[]): readonly Place[] {
  const below = command.commands.map((sub) => ({ sub, words: words === "" ? sub.name() : `${words} ${sub.name()}` }));
  const own: Place = {
    words,
    subcommands: command.commands.map((sub) => sub.name()),
    flags: command.options.map(({ long }) => long ?? "").filter(Boolean),
    values: valuesOf(command, words, tools),
  };
  return [own, ...below.flatMap(({ sub, words: path }) => placesOf(sub, path, tools))];
}

function valuesOf(command: Command, words: string, tools: readonly string[]): Place["values"] {
  const [first] = command.registeredArguments;
  if (words === "completion") return ["bash", "zsh", "fish"];
  if (first?.name() === "tool" || words === "tools show") return tools;
  const name = first?.name() ?? "";
  return name === "file" || name === "dir" ? "files" : [];
}

/** The words of the command so far are found first, without flags and their values. */
function bash(places: readonly Place[], flagValues: FlagValues): string {
  const compgen = (values: FlagValues[number][1]): string =>
    values === "files" ? "compgen -f" : values === "directories" ? "compgen -d" : `compgen -W "${values.join(" ")}"`;
  const ofFlags = flagValues.map(([flag, values]) => `    ${flag}) COMPREPLY=($(${compgen(values)} -- "$current")); return ;;`);
  const ofPlaces = places.map(({ words, subcommands, flags, values }) => {
    const named = [...subcommands, ...(values === "files" ? [] : values)];
    return `    "${words}") words="${named.join(" ")}"; flags="${flags.join(" ")}"; files=${values === "files" ? 1 : ""} ;;`;
  });
  const known = places.map(({ words }) => `"${words}"`).join("|");
  return `_karyi() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place="" words="" flags="" files="" i try
  case "$before" in
${ofFlags.join("\n")}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    try="\${place:+$place }\${COMP_WORDS[i]}"
    case "$try" in ${known}) place="$try" ;; esac
  done
  case "$place" in
${ofPlaces.join("\n")}
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current")); return; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ -n $files ]] && COMPREPLY+=($(compgen -f -- "$current"))
}
complete -F _karyi karyi`;
}

function fish(places: readonly Place[], flagValues: FlagValues): string {
  const values = new Map(flagValues);
  const lines = places.flatMap(({ words, subcommands, flags, values: own }) => {
    const when =
      words === ""
        ? "__fish_use_subcommand"
        : words
            .split(" ")
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join("; and ");
    const named = [...subcommands, ...(own === "files" ? [] : own)];
    return [
      ...(named.length === 0 ? [] : [`complete -c karyi ${own === "files" ? "" : "-f "}-n "${when}" -a "${named.join(" ")}"`]),
      ...flags.map((flag) => {
        const given = values.get(flag);
        const option = `complete -c karyi -n "${when}" -l ${flag.replace(/^--/, "")}`;
        if (given === undefined) return option;
        if (given === "files") return `${option} -r`;
        return given === "directories" ? `${option} -x -a "(__fish_complete_directories)"` : `${option} -x -a "${given.join(" ")}"`;
      }),
    ];
  });
  return [...new Set(lines)].join("\n");
}
