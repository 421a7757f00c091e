/**
 * A command runs where its session stands, and nowhere else: where that directory was removed meanwhile nothing is run, since
 * elsewhere the same words would mean other files. The session goes to the nearest directory that is left, so that the next one can run.
 */
import { dirname } from "node:path";
import { type RunContext, ToolFailure } from "../../contract/index.ts";

export async function demandWorkingDirectory({ session, files }: Pick<RunContext<"files", unknown>, "session" | "files">): Promise<void> {
  const { cwd } = session;
  const isDirectory = async (path: string) => (await files.stat(path))?.kind === "directory";
  let left = cwd;
  while (!(await isDirectory(left)) && left !== dirname(left)) left = dirname(left);
  if (left === cwd) return;
  session.setCwd(left);
  throw new ToolFailure(
    "tool_conflict",
    `The working directory ${cwd} is no longer there, so nothing was run. The session is in ${left} now.`,
    {
      hint: "Run the command again if it is right there, or cd to where it belongs.",
      details: { reason: "cwd_gone", cwd: left },
    },
  );
}
