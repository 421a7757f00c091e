/** Whether Landlock confines commands here: tried by a canary that writes and reads inside and outside. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program } from "../programs.ts";
import { landlockWorld } from "./landlock-world.ts";
import { runCanary } from "./run-canary.ts";
import { newRunDirectory, privateBase, removeRun } from "./state-directory.ts";

const isRoot = process.getuid?.() === 0;
export const landlockNeeds: readonly string[] = ["perl", "sh", ...(isRoot ? ["setpriv"] : [])];

/** Why it does not; `null` where it does. */
export async function probeLandlock(home: string): Promise<string | null> {
  if (process.platform !== "linux") return "Landlock is Linux's";
  const missing = landlockNeeds.filter((name) => program(name) === undefined);
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  try {
    await canary(home);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What is inside can be written; what is outside can be neither written, nor emptied, nor removed; what is hidden cannot be read. */
async function canary(home: string): Promise<void> {
  const base = privateBase(home);
  if (base === undefined) throw new Error("there is no private directory for its rules");
  const place = realpathSync(mkdtempSync(join(tmpdir(), "karyi-canary-")));
  const directory = newRunDirectory(base);
  try {
    const [inside, outside, secret] = [join(place, "inside"), join(place, "outside"), join(place, "secret")];
    for (const path of [inside, outside, secret]) {
      mkdirSync(path);
      writeFileSync(join(path, "file"), "before");
    }
    const prefix = landlockWorld({
      standing: isRoot ? "root" : "user",
      stage: directory.path,
      roots: [{ path: inside }],
      writable: [],
      emptied: [],
      hidden: [secret],
      kept: [],
      network: "none",
      cwd: inside,
    });
    await runCanary(
      prefix,
      `echo after > file; mkdir made; echo escaped > '${outside}/new'; echo escaped > '${outside}/file'; truncate -s 0 '${outside}/file'; rm -f '${outside}/file'; mv file '${outside}/moved'; read -r line < '${secret}/file' && exit 9; exit 0`,
    );
    if (readFileSync(join(inside, "file"), "utf8") !== "after\n" || !existsSync(join(inside, "made")))
      throw new Error("a write inside the workspace did not come through");
    if (existsSync(join(outside, "new")) || readFileSync(join(outside, "file"), "utf8") !== "before")
      throw new Error("a write outside the workspace came through");
  } finally {
    removeRun(directory.path);
    rmSync(place, { recursive: true, force: true });
  }
}
