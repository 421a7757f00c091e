/**
 * The bash text of a terminal's shell: the prompt hook, the script that runs a command, and the two that mend or end a shell
 * that reports nothing any more. The hook runs around every command, so it opens nothing it need not open. Where tracing is on,
 * every line of it that could be traced says `__karyi_`, by which the trace is left out again. Words that are read anew each
 * time are quoted, so that no alias of theirs counts.
 */

export interface ShellPaths {
  readonly hooks: string;
  readonly command: string;
  readonly state: string;
  readonly secrets: string;
  readonly repair: string;
  readonly leave: string;
}

/** The alias that runs a command: as short as it can be, since the shell reads what is typed one character at a time. */
export const runAlias = "__karyi";

const dropSecrets = `[[ __karyi_\${__karyi_secret-} == __karyi_ ]] || \\builtin unset -v "\${__karyi_secret[@]}" __karyi_secret`;

const quiet = "[[ __karyi_$- == *[xe]* ]] && { builtin local -; builtin set +xe; } 2>/dev/null";

/** `declare -xp` and not `export -p`, which prints something else in posix mode. The last NUL says that all of it was written. */
const writeState = `{ \\builtin printf '%s\\0' "$PWD"; \\builtin declare -xp; \\builtin printf '\\0'; \\builtin compgen -a -A function; \\builtin printf '\\0'; }`;

/**
 * Prompt hook: says on the terminal itself, whatever the shell's own output was redirected to, how the command ended and where;
 * writes the state to a file; and says that it did (`P`), whether the start of a command will be told by PS0, and whether the
 * alias is there. A shell that would read its next command elsewhere than from the terminal leaves. The end comes first, so that nobody who needs no state waits for it. `$?` is kept for hooks of other people.
 * PS1 says that a prompt stands (`B`): without an end before it the hook is gone.
 */
export function shellHooks({ state, command, hooks, leave }: ShellPaths, nonce: string, inherited: readonly number[]): string {
  const mark = `\\033]133;${nonce};`;
  const prompt = `\\[\\e]133;${nonce};B\\a\\]`;
  return `__karyi_save() {
  ${quiet}
  ${dropSecrets}
  ${writeState} 2>/dev/null >|${shellQuoted(state)}
}
__karyi_prompt() {
  builtin local __karyi_code=$? "__karyi_cwd=$PWD" __karyi_saved=0 __karyi_told=0 __karyi_short=0
  ${quiet}
  [[ $__karyi_cwd == *[[:cntrl:]]* ]] && __karyi_cwd=
  if [[ -t 1 ]]; then builtin printf '${mark}D;%s;%s\\007' "$__karyi_code" "$__karyi_cwd"
  else builtin printf '${mark}D;%s;%s\\007' "$__karyi_code" "$__karyi_cwd" >/dev/tty; fi
  [[ -t 0 ]] || . ${shellQuoted(leave)}
  __karyi_save && __karyi_saved=1
  [[ -t 2 && \${PS0-} == *${nonce}* ]] && __karyi_told=1
  [[ $BASHOPTS == *expand_aliases* && \${BASH_ALIASES[${runAlias}]-} == *__karyi_done ]] && __karyi_short=1
  if [[ -t 1 ]]; then builtin printf '${mark}P;%s%s%s\\007' "$__karyi_saved" "$__karyi_told" "$__karyi_short"
  else builtin printf '${mark}P;%s%s%s\\007' "$__karyi_saved" "$__karyi_told" "$__karyi_short" >/dev/tty; fi
  builtin unset -v __karyi_status
  builtin return "$__karyi_code"
}
__karyi_done() {
  ${quiet}
  [[ \${PROMPT_COMMAND-} == __karyi_prompt* && \${PS0-}\${PS1-} == *${nonce}\\;C*${nonce}\\;B* ]] || __karyi_keep
  builtin return "$__karyi_status"
}
__karyi_keep() {
  [[ \${PROMPT_COMMAND-} == __karyi_prompt* ]] || builtin printf -v PROMPT_COMMAND %s "__karyi_prompt\${PROMPT_COMMAND:+;$PROMPT_COMMAND}" ||
    . ${shellQuoted(leave)}
  [[ \${PS0-} == *${nonce}* ]] || builtin printf -v PS0 %s '\\e]133;${nonce};C\\a'"\${PS0-}"
  [[ \${PS1-} == *${nonce}* ]] || builtin printf -v PS1 %s '${prompt}'"\${PS1-}"
  builtin return 0
} 2>/dev/null
\\builtin alias ${runAlias}=${shellQuoted(runText({ command, hooks }))}
if [[ -z \${__karyi_ready-} ]]; then
  __karyi_ready=1
  exec${inherited.map((fd) => ` ${fd}>&-`).join("")}
  builtin unset -v PROMPT_COMMAND HISTFILE BASH_ENV ENV TMOUT MAILCHECK
  PROMPT_COMMAND=__karyi_prompt
  PS1='${prompt}\\W\\$ ' PS2='> ' PS0='\\e]133;${nonce};C\\a'
  builtin set +o history +H
  builtin bind 'set enable-bracketed-paste off' 2>/dev/null
  builtin trap __karyi_save EXIT
fi
`;
}

/**
 * The command, at the top level so that what it declares is the shell's, and first so that it sees the exit code of the last one.
 * The hooks are loaded again where they are gone: they outlive a command that removes them. (Taking an attribute away that
 * nobody gave tells whether a function is there.)
 */
function runText({ command, hooks }: Pick<ShellPaths, "command" | "hooks">): string {
  return `\\. ${shellQuoted(command)}; __karyi_status=$?; ${ensureHooks(hooks)}; __karyi_done`;
}

function ensureHooks(hooks: string): string {
  return `\\builtin declare -f +t __karyi_prompt __karyi_save __karyi_done __karyi_keep || \\. ${shellQuoted(hooks)}`;
}

/** What a command needs before it that the alias does not give. */
export interface RunNeeds {
  /** PS0 does not say that a command starts. */
  readonly untold: boolean;
  readonly hasSecrets: boolean;
  readonly cwd?: string;
  /** `null` removes. */
  readonly env?: Readonly<Record<string, string | null>>;
}

/** The same as the alias, with what must be there first. Where the shell cannot follow its session, the command does not run. */
export function longRun(paths: ShellPaths, nonce: string, { untold, hasSecrets, cwd, env = {} }: RunNeeds): string {
  const variables = Object.entries(env).map(([name, value]) =>
    value === null ? `\\builtin unset -v ${name}` : `\\builtin export ${name}=${shellQuoted(value)}`,
  );
  const follow = [...(cwd === undefined ? [] : [`\\builtin cd -- ${shellQuoted(cwd)} >/dev/null`]), ...variables];
  return [
    "__karyi_status=$?",
    ensureHooks(paths.hooks),
    ...(untold ? [`\\builtin printf '\\033]133;${nonce};C\\007' >/dev/tty # __karyi_`] : []),
    ...follow.map((step) => `${step} || \\builtin return # __karyi_`),
    ...(hasSecrets ? [`\\. ${shellQuoted(paths.secrets)}`] : []),
    "__karyi_done",
    runText(paths),
    "",
  ].join("\n");
}

/** For a shell whose prompt stands and whose hook said nothing: loads the hooks again and keeps the exit code. */
export function repairScript(paths: ShellPaths): string {
  return `__karyi_status=\${__karyi_status-$?}\n\\. ${shellQuoted(paths.hooks)}\n__karyi_done\n`;
}

/**
 * For a shell that cannot be mended: writes its state a last time and ends with the exit code of its last command. Posix mode is
 * entered by an assignment, which nothing can stand before, and there `unset` comes before a function of that name.
 */
export function leaveScript({ state }: ShellPaths): string {
  return `__karyi_status=\${__karyi_status-$?}
POSIXLY_CORRECT=1
\\unset -f builtin unset printf declare compgen exit trap POSIXLY_CORRECT
\\builtin unset -v POSIXLY_CORRECT
\\builtin trap - EXIT DEBUG
${dropSecrets}
${writeState} 2>/dev/null >|${shellQuoted(state)}
\\builtin exit "$__karyi_status"
`;
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
