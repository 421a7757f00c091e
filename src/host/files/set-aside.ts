/** Images that were set aside because the database that knew them was lost: kept as long as anything that was done. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const shape = /^blobs\.lost-(\d+)(-\d+)?$/;

/** Removes what was set aside before this moment; answers how many directories that are. */
export async function sweepSetAside(home: string, before: number, dryRun: boolean): Promise<number> {
  const old = readdirSync(home).filter((name) => {
    const at = shape.exec(name)?.[1];
    return at !== undefined && Number(at) < before;
  });
  if (!dryRun) for (const name of old) rmSync(join(home, name), { recursive: true, force: true });
  return old.length;
}
