/**
 * The private files between Karyi and its shell: hooks the shell loads, the command of the moment, the
 * secure variables of that command, and the state the shell reports (exports, names of functions and aliases).
 * A command is sourced from a file, never typed, so an open quote or a line that reads stdin cannot reach past it.
 */
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseExports } from "../processes/state-report.ts";

export interface ReportedState {
  readonly cwd: string | undefined;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of functions and aliases somebody defined in this shell: they stand before programs of the same name. */
  readonly defined: readonly string[];
}

const own = /^(_|SHLVL|PWD|OLDPWD|PROMPT_COMMAND)$/;

export class ShellFiles {
  readonly #directory: string;
  #hasSecrets = false;

  constructor(nonce: string) {
    this.#directory = mkdtempSync(join(privatePlace(), "kt-"));
    writeFileSync(this.#path("hooks"), hooks(this.#directory, nonce), { mode: 0o600 });
    // The hooks are loaded again where they are gone: they outlive a command that removes them.
    writeFileSync(
      this.#path("run"),
      `if [[ -s ${quoted(this.#path("secrets"))} ]]; then . ${quoted(this.#path("secrets"))}; fi
builtin printf '\\033]133;${nonce};C\\007' >/dev/tty
. ${quoted(this.#path("command"))}
__karyi_status=$?
builtin declare -F __karyi_prompt __karyi_save __karyi_keep >/dev/null || . ${quoted(this.#path("hooks"))}
__karyi_keep "$__karyi_status"
`,
      { mode: 0o600 },
    );
  }

  /** The first prompt command of a new shell. */
  get start(): string {
    return `. ${quoted(this.#path("hooks"))}; __karyi_prompt`;
  }

  /** Prepares a command; answers the line that runs it. */
  prepare(command: string, secrets: Readonly<Record<string, string>> = {}): string {
    writeFileSync(this.#path("command"), command.endsWith("\n") ? command : `${command}\n`, { mode: 0o600 });
    const names = Object.keys(secrets).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
    if (names.length > 0) {
      this.#hasSecrets = true;
      const lines = names.map((name) => `export ${name}=${quoted(secrets[name] ?? "")}`);
      const text = `${lines.join("\n")}\n__karyi_secret=(${names.join(" ")})\n: >|${quoted(this.#path("secrets"))}\n`;
      writeFileSync(this.#path("secrets"), text, { mode: 0o600 });
    }
    return ` . ${quoted(this.#path("run"))}`;
  }

  /** After the command: its values do not stay on disk. */
  forget(): void {
    if (this.#hasSecrets) rmSync(this.#path("secrets"), { force: true });
    this.#hasSecrets = false;
  }

  /** Messages of the shell name the file a command came from; a reader should see the shell instead, and none of its own tracing. */
  hide(text: string): string {
    if (!text.includes(this.#directory) && !text.includes("__karyi_")) return text;
    return text
      .replaceAll(`bash: ${this.#path("command")}`, "bash")
      .replaceAll(this.#path("command"), "bash")
      .split("\n")
      .filter(
        (line) => !(/^\++ /.test(line) && (line.includes(this.#directory) || line.includes("__karyi_"))) && !/^\++ \. bash$/.test(line),
      )
      .join("\n");
  }

  /** What the shell last reported; nothing before its first prompt. */
  state(): ReportedState | undefined {
    try {
      const [cwd = "", exports = "", names] = readFileSync(this.#path("state"), "utf8").split("\0");
      // Cut short by a kill: half a list of variables is worse than none.
      if (names === undefined) return undefined;
      const env = Object.fromEntries(Object.entries(parseExports(exports)).filter(([name]) => !own.test(name)));
      return {
        cwd: cwd.startsWith("/") ? cwd : undefined,
        env,
        defined: [...new Set(names.split("\n"))].filter((name) => name !== "" && !name.startsWith("__karyi_")),
      };
    } catch {
      return undefined;
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

/** Memory where there is some: nothing of a command or its values ever lies on a disk, and no prompt waits for one. */
export function privatePlace(): string {
  try {
    accessSync("/dev/shm", constants.W_OK | constants.X_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Prompt hook: reports exit code and directory on the terminal itself, whatever the shell's own output was
 * redirected to, and the state in a file. `$?` is kept for hooks of other people that follow.
 */
function hooks(directory: string, nonce: string): string {
  const state = quoted(join(directory, "state"));
  return `__karyi_save() {
  { builtin local -; builtin set +xe; } 2>/dev/null
  builtin unset -v "\${__karyi_secret[@]}" __karyi_secret
  { builtin printf '%s\\0' "$PWD"; builtin export -p; builtin printf '\\0'; builtin compgen -A function; builtin compgen -a; } >|${state} 2>/dev/null
}
__karyi_prompt() {
  { builtin local __karyi_status=$? "__karyi_cwd=$PWD" -; builtin set +xe; } 2>/dev/null
  __karyi_save
  [[ $__karyi_cwd == *[[:cntrl:]]* ]] && __karyi_cwd=
  builtin printf '\\033]133;${nonce};D;%s;%s\\007' "$__karyi_status" "$__karyi_cwd" >/dev/tty
  builtin return "$__karyi_status"
}
__karyi_keep() {
  { builtin local -; builtin set +xe; } 2>/dev/null
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
