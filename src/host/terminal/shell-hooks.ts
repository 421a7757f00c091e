/**
 * The bash text of a terminal's shell: the prompt hook and the script that runs a command. It runs around every command, so it
 * opens nothing it need not open. Where tracing is on, every line of it that could be traced says `__karyi_`, by which
 * the trace is left out again.
 */

interface ShellPaths {
  readonly hooks: string;
  readonly command: string;
  readonly state: string;
  readonly secrets: string;
}

/**
 * Prompt hook: reports exit code and directory on the terminal itself, whatever the shell's own output was
 * redirected to, and the state in a file. `$?` is kept for hooks of other people that follow.
 * PS0 says that a command starts; where it was taken away, or goes elsewhere, `__karyi_silent` says so.
 */
export function shellHooks({ state }: ShellPaths, nonce: string): string {
  const quiet = "[[ __karyi_$- == *[xe]* ]] && { builtin local -; builtin set +xe; } 2>/dev/null";
  return `__karyi_save() {
  ${quiet}
  [[ __karyi_\${__karyi_secret-} == __karyi_ ]] || builtin unset -v "\${__karyi_secret[@]}" __karyi_secret
  { builtin printf '%s\\0' "$PWD"; builtin export -p; builtin printf '\\0'; builtin compgen -a -A function; } >|${shellQuoted(state)}
}
__karyi_prompt() {
  builtin local __karyi_status=$? "__karyi_cwd=$PWD"
  ${quiet}
  __karyi_save
  [[ $__karyi_cwd == *[[:cntrl:]]* ]] && __karyi_cwd=
  __karyi_silent=
  [[ \${PS0-} == *${nonce}* && /dev/fd/2 -ef /dev/fd/0 ]] || __karyi_silent=1
  if [[ /dev/fd/1 -ef /dev/fd/0 ]]; then
    builtin printf '\\033]133;${nonce};D;%s;%s\\007' "$__karyi_status" "$__karyi_cwd"
  else
    builtin printf '\\033]133;${nonce};D;%s;%s\\007' "$__karyi_status" "$__karyi_cwd" >/dev/tty
  fi
  builtin return "$__karyi_status"
}
__karyi_keep() {
  ${quiet}
  case "\${PROMPT_COMMAND[*]-}" in
    *__karyi_prompt*) ;;
    *) PROMPT_COMMAND=("__karyi_prompt" "\${PROMPT_COMMAND[@]}") ;;
  esac
  case "\${PS0-}" in
    *${nonce}*) ;;
    *) PS0='\\e]133;${nonce};C\\a'"\${PS0-}" ;;
  esac
  builtin return "$1"
}
if [[ -z \${__karyi_ready-} ]]; then
  __karyi_ready=1
  builtin unset -v PROMPT_COMMAND HISTFILE BASH_ENV ENV TMOUT MAILCHECK
  PROMPT_COMMAND=__karyi_prompt
  PS1='\\W\\$ ' PS2='> ' PS0='\\e]133;${nonce};C\\a'
  builtin set +o history +H
  builtin bind 'set enable-bracketed-paste off' 2>/dev/null
  builtin trap __karyi_save EXIT
fi
`;
}

/**
 * Sourced for each command. The hooks are loaded again where they are gone: they outlive a command that removes them.
 * (Taking an attribute away that nobody gave tells whether a function is there.)
 */
export function shellRun({ hooks, command, secrets }: ShellPaths, nonce: string, withSecrets: boolean): string {
  return `${withSecrets ? `. ${shellQuoted(secrets)}\n` : ""}[[ __karyi_\${__karyi_silent-} == __karyi_ ]] || builtin printf '\\033]133;${nonce};C\\007' >/dev/tty
. ${shellQuoted(command)}
__karyi_status=$?
builtin declare -f +t __karyi_prompt __karyi_save __karyi_keep || . ${shellQuoted(hooks)}
__karyi_keep "$__karyi_status"
`;
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
