/** What a terminal's shell reports at each prompt: where it is, what it exports, what it defined. */
import { parseExports } from "../../processes/state-report.ts";

export interface ReportedState {
  readonly cwd: string | undefined;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of functions and aliases somebody defined in this shell: they stand before programs of the same name. */
  readonly defined: readonly string[];
}

const own = /^(_|SHLVL|PWD|OLDPWD|PROMPT_COMMAND|KARYI_CALL_MARK)$/;

/** Directory, exports, names; each ended by NUL. Cut short by a kill it is nothing: half a list of variables is worse than none. */
export function readState(text: string): ReportedState | undefined {
  const [cwd = "", exports = "", names = "", end] = text.split("\0");
  if (end === undefined) return undefined;
  return {
    cwd: cwd.startsWith("/") ? cwd : undefined,
    env: Object.fromEntries(Object.entries(parseExports(exports)).filter(([name]) => !own.test(name))),
    defined: [...new Set(names.split("\n"))].filter((name) => name !== "" && !name.startsWith("__karyi")),
  };
}
