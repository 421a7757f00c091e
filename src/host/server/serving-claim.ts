/** One server a home: a file that names process and address. A dead process's claim falls. */
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Owner } from "../../contract/index.ts";
import { isAlive, thisOwner } from "../process-identity.ts";

export interface ServingClaim {
  readonly owner: Owner;
  /** Empty until the server listens. */
  readonly address: string;
}

export interface HeldClaim {
  setAddress(address: string): Promise<void>;
  release(): Promise<void>;
}

/** Answers the claim of somebody else who is alive, or our own. */
export async function claimServing(path: string): Promise<HeldClaim | ServingClaim> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const owner = thisOwner();
  const draft = `${path}.${owner.pid}`;
  const write = (address: string) => writeFile(draft, JSON.stringify({ owner, address } satisfies ServingClaim), { mode: 0o600 });
  await write("");
  for (;;) {
    try {
      await link(draft, path);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const other = await readClaim(path);
    if (other !== undefined && isAlive(other.owner)) {
      await rm(draft, { force: true });
      return other;
    }
    await rm(path, { force: true });
  }
  return {
    // A new file takes the place of the old one, so nobody ever reads half a claim.
    setAddress: async (address) => {
      await rm(draft, { force: true });
      await write(address);
      await rename(draft, path);
    },
    release: async () => {
      await rm(draft, { force: true });
      if ((await readClaim(path))?.owner.id === owner.id) await rm(path, { force: true });
    },
  };
}

async function readClaim(path: string): Promise<ServingClaim | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ServingClaim;
  } catch {
    return undefined;
  }
}
