/** Text handed to a child by descriptor: in a file without a name, in memory where the machine has such a place. */
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The caller closes the descriptor. */
export function openHidden(text: string): number {
  const directory = makeDirectory();
  try {
    const path = join(directory, "text");
    writeFileSync(path, text, { mode: 0o600 });
    return openSync(path, "r");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function makeDirectory(): string {
  try {
    return mkdtempSync("/dev/shm/karyi-");
  } catch {
    return mkdtempSync(join(tmpdir(), "karyi-"));
  }
}
