/** The environment of a terminal: the person's own without secrets, and with a terminal that programs may use to the full. */
import { isSecretVariable } from "../../contract/index.ts";
import { marker } from "../processes/state-report.ts";

/** Of the surroundings Karyi itself was started in, not of the terminal it opens. */
const foreign =
  /^(BASH_FUNC_.*|BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|LINES|COLUMNS|TERM_PROGRAM.*|TMUX.*|STY|COLORTERM|INSIDE_EMACS|VTE_VERSION)$/;

/** `session` are variables a person or an earlier command exported on purpose: they are kept as they are. */
export function terminalEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  session: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !isSecretVariable(name) && !foreign.test(name)) kept[name] = value;
  const utf8 = /utf-?8/i.test(kept.LC_ALL ?? kept.LC_CTYPE ?? kept.LANG ?? "");
  return { ...kept, ...(utf8 ? {} : { LC_CTYPE: "C.UTF-8" }), ...session, TERM: "xterm-256color", [marker]: "terminal" };
}
