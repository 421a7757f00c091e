/** Whether a test can go on as an ordinary user: root gives its rights away, and that user must be able to read this tree. */
import { spawnSync } from "node:child_process";

const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];

function reasonAgainst(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root to become another user";
  const reads = (path: string) => spawnSync("setpriv", [...nobody, "test", "-r", path]).status === 0;
  if (!reads("/")) return "needs setpriv to become another user";
  return [import.meta.filename, process.execPath].every(reads) ? undefined : "another user cannot read this tree";
}

const reason = reasonAgainst();

export const ordinaryUser = { holds: reason === undefined, why: reason === undefined ? "" : ` (skipped: ${reason})` };
