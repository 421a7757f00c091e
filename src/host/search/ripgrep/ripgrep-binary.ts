/**
 * Finds a ripgrep to use: the one that comes with the package, else one on PATH that is new enough, else none.
 * Only absolute directories of PATH count: a program that lies in the searched tree is never run.
 */
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { outputOf } from "../../spawn.ts";

const oldestMajor = 13;

export async function findRipgrep(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  return (await packaged()) ?? (await onPath(env));
}

async function packaged(): Promise<string | undefined> {
  try {
    // Throws where the optional package of this platform was not installed.
    const { rgPath } = await import("@vscode/ripgrep");
    return (await isExecutable(rgPath)) ? rgPath : undefined;
  } catch {
    return undefined;
  }
}

async function onPath(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const directory of (env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, process.platform === "win32" ? "rg.exe" : "rg");
    if ((await isExecutable(candidate)) && (await majorVersion(candidate)) >= oldestMajor) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function majorVersion(path: string): Promise<number> {
  const printed = await outputOf(path, ["--no-config", "--version"], { timeoutMs: 5_000, env: {} }).then(String, () => "");
  return Number(/^ripgrep (\d+)\./.exec(printed)?.[1] ?? 0);
}
