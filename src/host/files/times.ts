/**
 * Owns modification times: read to the nanosecond, set to the microsecond, which is all that Node can do. Two times are the same
 * when they are within the same microsecond. Links are never followed.
 */
import * as fs from "node:fs";
import type { FileImage } from "../../contract/index.ts";
import { systemPath } from "./byte-name.ts";
import { errnoOf } from "./failures.ts";

export function timeOf(path: string): string {
  return fs.lstatSync(systemPath(path), { bigint: true }).mtimeNs.toString();
}

/** Nothing but the time, in one look. */
export function timeImage(path: string): FileImage {
  const stats = fs.lstatSync(systemPath(path), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return { kind: "absent" };
  return { kind: "time", mtimeNs: stats.mtimeNs.toString(), ...(stats.isDirectory() ? { directory: true } : {}) };
}

export function isSameTime(one: string, other: string): boolean {
  return microseconds(one) === microseconds(other);
}

/** The time of last access stays. Of somebody else's file it cannot be set: who may write it is content with the bytes. */
export function setTime(path: string, mtimeNs: string): void {
  const system = systemPath(path);
  try {
    fs.lutimesSync(system, fs.lstatSync(system).atime, settable(mtimeNs));
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error;
  }
}

/** The same for a file that was made a moment ago. */
export function setOpenedTime(fd: number, mtimeNs: string): void {
  fs.futimesSync(fd, Date.now() / 1000, settable(mtimeNs));
}

function microseconds(mtimeNs: string): bigint {
  return BigInt(mtimeNs) / 1000n;
}

/** The middle of the microsecond: what is cut off below it is the same whichever way a fraction of seconds is rounded. */
function settable(mtimeNs: string): number | Date {
  const time = Number(microseconds(mtimeNs));
  // A number below zero is taken for a mistake, a date is not.
  return time < 0 ? new Date(time / 1000) : (time + 0.5) / 1e6;
}
