/**
 * Directories of one process that nobody else may look into: pipes of commands, files of a terminal's shell. In memory
 * where the machine has such a place. Each says whose it is; what a killed process left is removed by the next one.
 * Refuses to touch what belongs to another user, to a living process, or to a process it cannot see.
 */
import {
  accessSync,
  constants,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Owner } from "../../contract/index.ts";
import { isAlive, thisOwner } from "../process-identity.ts";

/** Short, since the path of a terminal's files is typed. */
const prefix = "kyo-";
/** A directory that does not name its owner may be one that is being made; if it is empty for long, it is not. */
const unnamedMs = 60_000;

interface Claim extends Owner {
  /** A process of another PID namespace would look dead from here. */
  readonly namespace: string;
}

let claim: Claim | undefined;

/** Mode 0700; the caller removes it. */
export function makePrivateDirectory(): string {
  const place = privatePlace();
  if (claim === undefined) {
    claim = { ...thisOwner(), namespace: pidNamespace() };
    sweep(place, claim.namespace);
  }
  const directory = mkdtempSync(join(place, prefix));
  writeFileSync(join(directory, "owner"), JSON.stringify(claim), { mode: 0o600 });
  return directory;
}

/** Nothing there ever lies on a disk, and nobody waits for one. */
function privatePlace(): string {
  try {
    accessSync("/dev/shm", constants.W_OK | constants.X_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}

/** Removes what dead processes left in a place. */
export function sweep(place: string, namespace = pidNamespace()): void {
  for (const name of listed(place)) {
    const directory = join(place, name);
    try {
      const { uid, mtimeMs } = lstatSync(directory);
      if (uid !== process.getuid?.()) continue;
      const owner = ownerOf(directory);
      if (owner === undefined) {
        if (Date.now() - mtimeMs > unnamedMs) rmdirSync(directory);
      } else if (owner.namespace === namespace && !isAlive(owner)) rmSync(directory, { recursive: true, force: true });
    } catch {
      // Somebody else was faster.
    }
  }
}

function listed(place: string): string[] {
  try {
    return readdirSync(place).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

function ownerOf(directory: string): Claim | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "owner"), "utf8")) as Claim;
  } catch {
    return undefined;
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
