/**
 * Takes a commit back that failed or was killed. Each path is compared first: only what still is as the commit left it gets its
 * before-image back. Whatever else is there was put there by somebody since, and stays.
 */
import { dirname } from "node:path";
import type { FileImage, Images } from "../../contract/index.ts";
import { sweepDirectories } from "../files/temporary.ts";
import { isSameTime } from "../files/times.ts";
import type { CommitStep, Left } from "./commit-record.ts";

export interface TakenBack {
  /** Have their before-image again. */
  readonly restored: readonly string[];
  /** Somebody changed them since; left as they are. */
  readonly kept: readonly string[];
  /** Could not be given back. */
  readonly failed: readonly string[];
}

type Finding = "before" | "ours" | "theirs";

export async function takeBack(steps: readonly CommitStep[], images: Images): Promise<TakenBack> {
  const restored: string[] = [];
  const kept: string[] = [];
  const failed: string[] = [];
  // A killed commit leaves the file it was writing: a directory it had made would not be empty.
  await sweepDirectories(steps.map(({ path }) => dirname(path)));
  const batch = images.batch();
  const contents = steps.filter(({ before }) => before.kind !== "time").reverse();
  for (const step of contents) {
    try {
      const finding = await compare(step, images);
      if (finding === "theirs") kept.push(step.path);
      if (finding !== "ours") continue;
      await batch.restore(step.path, step.before);
      restored.push(step.path);
    } catch {
      failed.push(step.path);
    }
  }
  // An entry that comes or goes changes the time of its directory, so times are the last.
  const theirs = new Set(kept);
  for (const { path, before, leaves } of steps) {
    const time = timeOnly(before);
    if (time === undefined || theirs.has(path)) continue;
    try {
      if (await isTimeOurs(path, time, leaves, images)) await batch.restore(path, time);
    } catch {
      failed.push(path);
    }
  }
  await batch.onDisk();
  return { restored, kept, failed };
}

/** Only of directories, and of paths that the commit would have touched. */
function timeOnly(before: FileImage): FileImage | undefined {
  if (before.kind === "time") return before;
  return before.kind === "directory" && before.mtimeNs !== undefined
    ? { kind: "time", mtimeNs: before.mtimeNs, directory: true }
    : undefined;
}

/** A file that somebody wrote since has their time. */
async function isTimeOurs(path: string, time: FileImage, leaves: readonly Left[], images: Images): Promise<boolean> {
  const touched = leaves.find((left) => left.kind === "touched");
  if (touched === undefined || (time.kind === "time" && time.directory === true)) return true;
  const now = await images.time(path);
  return now.kind === "time" && isSameTime(now.mtimeNs, touched.mtimeNs);
}

async function compare({ path, before, leaves }: CommitStep, images: Images): Promise<Finding> {
  const now = await images.inspect(path);
  // What was to get other attributes gets its own back, whether or not it came so far.
  if (isSame(before, now)) return isSameMoment(before, now) && !hasAttributes(before) ? "before" : "ours";
  for (const left of leaves) if (isLeft(left, before, now)) return "ours";
  return "theirs";
}

function isSame(before: FileImage, now: FileImage): boolean {
  if (before.kind !== now.kind) return false;
  if (before.kind === "file" && now.kind === "file") return before.hash === now.hash && before.mode === now.mode;
  if (before.kind === "directory" && now.kind === "directory") return before.mode === now.mode;
  if (before.kind === "pipe" && now.kind === "pipe") return before.mode === now.mode;
  if (before.kind === "link" && now.kind === "link") return before.target === now.target;
  return true;
}

function hasAttributes(before: FileImage): boolean {
  return (before.kind === "file" || before.kind === "directory") && before.attributes !== undefined;
}

function isSameMoment(before: FileImage, now: FileImage): boolean {
  if (!("mtimeNs" in before && "mtimeNs" in now) || before.mtimeNs === undefined || now.mtimeNs === undefined) return true;
  return before.kind === "directory" || isSameTime(before.mtimeNs, now.mtimeNs);
}

function isLeft(left: Left, before: FileImage, now: FileImage): boolean {
  switch (left.kind) {
    case "touched":
      return false;
    case "absent":
      return now.kind === "absent";
    case "link":
      return now.kind === "link" && now.target === left.target;
    case "pipe":
      return now.kind === "pipe" && now.mode === left.mode;
    case "directory":
      // A commit opens a directory for its content, and gives it the mode at the end.
      return now.kind === "directory" && (before.kind !== "directory" || now.mode === left.mode || now.mode === (left.mode | 0o700));
    case "dressed":
      return now.kind === "file" && before.kind === "file" && now.hash === before.hash && now.mode === left.mode;
    case "file":
      return now.kind === "file" && now.mode === left.mode && now.hash === left.hash;
  }
}
