/** How a terminal treats typing (termios), asked from `stty`: Node has no call for it. */
import { outputOf, plainEnvironment } from "../../spawn.ts";

export interface LineDiscipline {
  readonly echo: boolean;
  /** Lines are edited by the kernel and handed over whole. */
  readonly canonical: boolean;
}

const flag = process.platform === "darwin" ? "-f" : "-F";

export async function lineDiscipline(terminal: string): Promise<LineDiscipline | undefined> {
  const text = await stty([flag, terminal, "-a"]);
  if (text === undefined) return undefined;
  const words = new Set(text.split(/[\s;]+/));
  return { echo: words.has("echo"), canonical: words.has("icanon") };
}

/** Puts back what a program left behind. */
export async function makeSane(terminal: string): Promise<void> {
  await stty([flag, terminal, "sane"]);
}

function stty(args: readonly string[]): Promise<string | undefined> {
  return outputOf("stty", args, { timeoutMs: 2_000, env: plainEnvironment() }).then(String, () => undefined);
}
