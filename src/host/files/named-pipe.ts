/** Makes named pipes, which Node cannot: one small program of the system does it. */
import { systemPath } from "../programs.ts";
import { outputOf } from "../spawn.ts";

/** Fails where something is there already. */
export async function makePipe(path: string, mode: number): Promise<void> {
  // A handle of this process is another one to the program that is asked.
  const seen = path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
  await outputOf("mkfifo", ["-m", (mode & 0o777).toString(8), "--", seen], { env: { PATH: systemPath, LC_ALL: "C" } });
}
