/**
 * Files that a command names and runs: scripts, and programs by their path. What they hold is part of what a person approves, so
 * they must be the same when the command runs. Refuses to look at more than a few, or at large ones.
 */
import { createHash } from "node:crypto";
import { type Effect, type FileReader, type Plan, ToolFailure } from "../../contract/index.ts";
import type { ShellAnalysis } from "../../shell/index.ts";

const maxFiles = 16;
const maxBytes = 4 * 1024 * 1024;

type Reader = Pick<FileReader, "resolve" | "readAll">;
type Runs = NonNullable<Plan["runs"]>;

/** Nothing where everything is understood: then nothing of what is read is run. */
export async function namedRuns(analysis: ShellAnalysis, effects: readonly Effect[], files: Reader): Promise<Runs> {
  if (analysis.understood) return [];
  const read = effects.flatMap((effect) => (effect.kind === "read" && effect.path.kind === "file" ? [effect.path.real] : []));
  const started = analysis.commands.flatMap(({ name }) => (name?.includes("/") ? [name] : []));
  const runs: { readonly path: string; readonly digest: string }[] = [];
  for (const path of [...new Set([...read, ...started])].slice(0, maxFiles)) {
    const digest = await digestOf(path, files);
    if (digest !== undefined) runs.push({ path, digest });
  }
  return runs;
}

/** Throws where one of them is not what it was when somebody was asked. */
export async function demandSame(runs: Runs | undefined, files: Reader): Promise<void> {
  for (const { path, digest } of runs ?? []) {
    if ((await digestOf(path, files)) === digest) continue;
    throw new ToolFailure("tool_conflict", `${path} changed after the command was judged, so it was not run.`, {
      hint: "Make the call again, so that it is judged as it is now.",
      details: { reason: "plan_changed", path },
      unchanged: true,
    });
  }
}

async function digestOf(path: string, files: Reader): Promise<string | undefined> {
  try {
    const { bytes } = await files.readAll(await files.resolve(path), maxBytes);
    return createHash("sha256").update(bytes).digest("hex");
  } catch {
    return undefined;
  }
}
