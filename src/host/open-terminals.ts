/**
 * The far ends of the terminals this process holds. The library that opens them leaves them open to every program that is
 * started here, and who writes to one types into its shell: no policy would judge that and no sandbox confine it. So each
 * program that is started gets nothing in their place.
 */
import { fstatSync, openSync } from "node:fs";

/** By descriptor, with the device it was opened for: the system gives numbers again. */
const masters = new Map<number, string>();
let nothing: number | undefined;

export function guardMaster(fd: number): void {
  const device = deviceOf(fd);
  if (device !== undefined) masters.set(fd, device);
}

export function openMasters(): number[] {
  for (const [fd, device] of masters) if (deviceOf(fd) !== device) masters.delete(fd);
  return [...masters.keys()];
}

/** Descriptors for a new program, with nothing in the place of a terminal. */
export function withoutMasters<T>(stdio: readonly T[]): (T | "ignore" | number)[] {
  const guarded: (T | "ignore" | number)[] = [...stdio];
  for (const fd of openMasters()) {
    if (fd < stdio.length) continue;
    while (guarded.length < fd) guarded.push("ignore");
    nothing ??= openSync("/dev/null", "r");
    guarded[fd] = nothing;
  }
  return guarded;
}

function deviceOf(fd: number): string | undefined {
  try {
    const { dev, ino, rdev } = fstatSync(fd);
    return `${dev}-${ino}-${rdev}`;
  } catch {
    return undefined;
  }
}
