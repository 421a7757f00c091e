/**
 * The directory that stands for /dev inside: places for the harmless devices and the usual links. It holds nothing of a run, so
 * one is made beside the runs and shown read-only to all of them. So does the empty one that a run builds its mounts in.
 */
import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const devices = ["null", "zero", "full", "random", "urandom", "tty"];

const links = [
  ["fd", "/proc/self/fd"],
  ["stdin", "/proc/self/fd/0"],
  ["stdout", "/proc/self/fd/1"],
  ["stderr", "/proc/self/fd/2"],
  ["ptmx", "pts/ptmx"],
] as const;

/** Empty; every run mounts a file system of its own there, which nobody else sees. */
export function buildingPlace(base: string): string {
  const place = join(base, "building");
  mkdirSync(place, { recursive: true, mode: 0o700 });
  return place;
}

export function deviceDirectory(base: string): string {
  const dev = join(base, "dev");
  // The last thing that is made: with it everything is there.
  if (lstatSync(join(dev, "ptmx"), { throwIfNoEntry: false }) !== undefined) return dev;
  for (const name of ["pts", "shm"]) mkdirSync(join(dev, name), { recursive: true, mode: 0o755 });
  for (const name of devices) writeFileSync(join(dev, name), "");
  for (const [name, target] of links) {
    try {
      symlinkSync(target, join(dev, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  return dev;
}
