/** Makes named pipes, which Node cannot: one small program of the system does it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Fails where something is there already. */
export async function makePipe(path: string, mode: number): Promise<void> {
  // A handle of this process is another one to the program that is asked.
  const seen = path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
  await execute("mkfifo", ["-m", (mode & 0o777).toString(8), "--", seen], { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } });
}
