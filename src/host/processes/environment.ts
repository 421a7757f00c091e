/**
 * The environment a command starts with: the person's own, without secrets, with defaults that keep
 * programs from waiting for somebody at a terminal.
 */
import { isSecretVariable } from "../../contract/index.ts";

/** Programs behave in a terminal's absence: no pager, no editor, no questions, and no log or look for news behind one's back. */
const nonInteractive: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GH_PAGER: "cat",
  LESS: "-FRX",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_SEQUENCE_EDITOR: "true",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  npm_config_yes: "true",
  npm_config_update_notifier: "false",
  npm_config_logs_max: "0",
  TERM: "dumb",
};

/** Start-up code of the shell that started Karyi, and where that was before: none of it is the session's. */
const ofAnotherShell: ReadonlySet<string> = new Set(["BASH_ENV", "ENV", "OLDPWD"]);

export function baseEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // An exported bash function is code that would run under a trusted name.
    if (value === undefined || isSecretVariable(name) || name.startsWith("BASH_FUNC_") || ofAnotherShell.has(name)) continue;
    kept[name] = value;
  }
  return { ...kept, ...nonInteractive };
}
