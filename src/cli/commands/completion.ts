/** `karyi completion SHELL`: a script that completes commands, tools and flags. */
import type { Command } from "commander";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError } from "../front.ts";
import { say } from "../messages.ts";

export function completion(program: Command): (args: readonly string[], flags: GlobalFlags) => Promise<number> {
  return async ([shell = ""], { json }) => {
    const commands = program.commands.map((command) => command.name());
    const subcommands = program.commands
      .filter((command) => command.commands.length > 0)
      .map((command) => [command.name(), command.commands.map((sub) => sub.name())] as const);
    const flags = [...new Set(program.commands.flatMap((command) => command.options.map((option) => option.long ?? "")))].filter(Boolean);
    const scripts: Record<string, () => string> = {
      bash: () => bash(commands, subcommands, flags),
      zsh: () => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands, subcommands, flags)}`,
      fish: () => fish(commands, subcommands, flags),
    };
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (!script) throw new UsageError(say("unknownShell", shell));
    if (json) printJson({ shell, script: script() });
    else print(script());
    return exitCodes.done;
  };
}

type Subcommands = readonly (readonly [string, readonly string[]])[];

function bash(commands: readonly string[], subcommands: Subcommands, flags: readonly string[]): string {
  const cases = subcommands.map(([name, subs]) => `    ${name}) words="${subs.join(" ")}" ;;`).join("\n");
  return `_karyi() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="${commands.join(" ")}"
  if [[ $COMP_CWORD -ge 2 ]]; then
    words=""
    case "\${COMP_WORDS[1]}" in
${cases}
    esac
  fi
  [[ $current == -* ]] && words="${flags.join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _karyi karyi`;
}

function fish(commands: readonly string[], subcommands: Subcommands, flags: readonly string[]): string {
  return [
    `complete -c karyi -f -n __fish_use_subcommand -a "${commands.join(" ")}"`,
    ...subcommands.map(([name, subs]) => `complete -c karyi -f -n "__fish_seen_subcommand_from ${name}" -a "${subs.join(" ")}"`),
    ...flags.map((flag) => `complete -c karyi -l ${flag.replace(/^--/, "")}`),
  ].join("\n");
}
