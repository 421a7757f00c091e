/** What a call is about to change, as it is now: written to the journal before the first change. */
import { dirname } from "node:path";
import type { Attributes, FileImage, FileMemory, Fingerprint, Images, JournalEntry, Plan } from "../contract/index.ts";

export interface BeforeImages {
  readonly entries: JournalEntry[];
  /** Nothing may change before this has resolved. */
  readonly onDisk: Promise<unknown>;
}

/** Paths that the plan writes, each parent that does not exist yet before its children; of the directories around them the time. */
export async function captureBefore(plan: Plan, images: Images, seen: Pick<FileMemory, "get">): Promise<BeforeImages> {
  const entries = new Map<string, JournalEntry>();
  const keeping: Promise<void>[] = [];
  for (const effect of plan.effects) {
    if (effect.kind === "state" && effect.record !== undefined) {
      entries.set(effect.record, { path: effect.record, before: await images.inspect(effect.record) });
      continue;
    }
    if (effect.kind !== "write" || effect.tree) continue;
    const path = effect.path.real;
    if (entries.has(path) && entries.get(path)?.before.kind !== "time") continue;
    let around = dirname(path);
    if (effect.path.kind === "absent") {
      const missing = await missingParents(path, images);
      for (const parent of missing) if (!entries.has(parent)) entries.set(parent, { path: parent, before: { kind: "absent" } });
      around = dirname(missing[0] ?? path);
    }
    if (!entries.has(around)) entries.set(around, { path: around, before: await images.time(around) });
    const { image, onDisk } = await images.beginCapture(path, seen.get(path));
    entries.set(path, { path, before: image });
    keeping.push(onDisk);
  }
  const files = [...entries.values()].filter(({ before }) => before.kind === "file");
  for (const [path, attributes] of await images.attributes(files.map(({ path }) => path))) {
    const entry = entries.get(path);
    if (entry?.before.kind === "file") entries.set(path, { ...entry, before: { ...entry.before, attributes } });
  }
  for (const { path, hash } of plan.intends ?? []) {
    const entry = entries.get(path);
    if (entry !== undefined && entry.before.kind !== "time") entries.set(path, { ...entry, intended: hash });
  }
  return { entries: [...entries.values()], onDisk: Promise.all(keeping) };
}

/** How many files are open at once, however many a call changed. */
const lanes = 16;

export interface AfterImage {
  readonly path: string;
  readonly after: FileImage;
}

/** What became of them. A path that cannot be looked at has no after-image: undoing it needs force. */
export async function captureAfter(
  journal: readonly JournalEntry[],
  images: Images,
  written: ReadonlyMap<string, Fingerprint> = new Map(),
): Promise<AfterImage[]> {
  const found: AfterImage[] = [];
  let next = 0;
  const lane = async () => {
    for (let entry = journal[next++]; entry !== undefined; entry = journal[next++]) {
      const { path, before } = entry;
      try {
        found.push({ path, after: await (before.kind === "time" ? images.time(path) : images.inspect(path, written.get(path))) });
      } catch {
        // It cannot be looked at.
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return found;
}

/** Whether anything is not as it was. What cannot be looked at counts as changed. */
export function changedSince(journal: readonly JournalEntry[], after: readonly AfterImage[]): boolean {
  const now = new Map(after.map((image) => [image.path, image.after]));
  return journal.some(({ path, before, after }) => {
    const image = now.get(path) ?? after;
    return image === undefined || !sameImage(before, image) || isTouched(before, image) || !sameAttributes(before, image);
  });
}

/** Same, but with another time; whatever happens in a directory changes its time, which means nothing. */
export function isTouched(before: FileImage, now: FileImage): boolean {
  if (before.kind === "directory" || (before.kind === "time" && before.directory)) return false;
  return timeOf(before) !== undefined && timeOf(now) !== undefined && !isSameMoment(before, now);
}

/** Only where both are known; whoever only looks at a file does not look at them. */
function sameAttributes(before: FileImage, now: FileImage): boolean {
  const [one, other] = [attributesOf(before), attributesOf(now)];
  if (one === undefined || other === undefined) return true;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

export function attributesOf(image: FileImage): Attributes | undefined {
  return image.kind === "file" || image.kind === "directory" ? image.attributes : undefined;
}

/** To the microsecond, as times can be set. */
export function isSameMoment(one: FileImage, other: FileImage): boolean {
  return timeOf(one)?.slice(0, -3) === timeOf(other)?.slice(0, -3);
}

/** Journals of earlier versions do not know it. */
export function timeOf(image: FileImage): string | undefined {
  return image.kind === "absent" || image.kind === "artifact" ? undefined : image.mtimeNs;
}

async function missingParents(path: string, images: Images): Promise<string[]> {
  const missing: string[] = [];
  for (let parent = dirname(path); parent !== dirname(parent); parent = dirname(parent)) {
    if ((await images.inspect(parent)).kind !== "absent") break;
    missing.unshift(parent);
  }
  return missing;
}

/** Times do not count. */
export function sameImage(a: FileImage, b: FileImage): boolean {
  if (a.kind !== b.kind || !sameOwner(a, b)) return false;
  if (a.kind === "file" && b.kind === "file")
    return a.mode === b.mode && (a.hash === b.hash || (a.meaning !== undefined && a.meaning === b.meaning));
  if (a.kind === "directory" && b.kind === "directory") return a.mode === b.mode;
  if (a.kind === "artifact" && b.kind === "artifact") return a.hash === b.hash;
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  return true;
}

/** Journals of earlier versions do not know the owner of everything. */
function sameOwner(a: FileImage, b: FileImage): boolean {
  if (!("uid" in a && "uid" in b) || a.uid === undefined || b.uid === undefined) return true;
  return a.uid === b.uid && a.gid === b.gid;
}
