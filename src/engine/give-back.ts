/**
 * Gives paths their images back, each only while what was seen there is still there: it is compared at the moment of its
 * change, not only before the first one. What somebody changed meanwhile stays, and is named.
 */
import { dirname } from "node:path";
import type { FileImage, Images } from "../contract/index.ts";
import { sameImage, timeOf } from "./before-images.ts";

/** One path, what was seen there, and the image it gets back. */
interface Return {
  readonly path: string;
  readonly current: FileImage;
  readonly target: FileImage;
}

export interface GivenBack {
  /** Somebody changed them meanwhile; left as they are. */
  readonly kept: ReadonlySet<string>;
  /** What ended it before all were back. */
  readonly failed?: unknown;
}

interface Wanted {
  /** In the order of their change. */
  readonly contents: readonly Return[];
  /** Given back last, because every entry changes the time of its directory. */
  readonly times: readonly Return[];
}

/** In one batch, so that several names of one file are one file again. With `force`, whatever is there is covered. */
export async function giveBack({ contents, times }: Wanted, images: Images, callId: string, force: boolean): Promise<GivenBack> {
  const batch = images.batch();
  const kept = new Set<string>();
  /** Not directories now, though they should be: nothing can be put into them. */
  const blocked = new Set<string>();
  /** Directories that this made: what was seen below that name before was elsewhere, behind a link. */
  const made = new Set<string>();
  const restore = async ({ path, current, target }: Return): Promise<boolean> => {
    if (force) return batch.restore(path, target, callId);
    if (await batch.restore(path, target, callId, current)) return true;
    // The same again (a touched file, an index that git refreshed) is nobody's work.
    const now = await images.inspect(path);
    if (sameImage(now, current) && (await batch.restore(path, target, callId, now))) return true;
    if (target.kind === "directory" && now.kind !== "directory") blocked.add(path);
    return false;
  };
  const giveContent = async ({ path, current: seen, target }: Return): Promise<void> => {
    const around = dirname(path);
    const current: FileImage = target.kind !== "absent" && made.has(around) ? { kind: "absent" } : seen;
    if (blocked.has(around)) {
      kept.add(path);
      if (target.kind === "directory") blocked.add(path);
    } else if (!(await restore({ path, current, target }))) kept.add(path);
    else if (target.kind === "directory" && current.kind !== "directory") made.add(path);
  };
  try {
    for (const one of contents) await giveContent(one);
    const back = new Map(contents.map(({ path, target }) => [path, target]));
    for (const { path, current, target } of times) {
      if (kept.has(path)) continue;
      // Who wrote the file since has given it a time of its own, and that stays too.
      await batch.restore(path, target, callId, force ? undefined : timeExpected(current, back.get(path)));
    }
    await batch.onDisk();
    return { kept };
  } catch (failed) {
    return { kept, failed };
  }
}

function timeExpected(current: FileImage, restored: FileImage | undefined): FileImage | undefined {
  const mtimeNs = timeOf(restored ?? current);
  return mtimeNs === undefined ? undefined : { kind: "time", mtimeNs };
}
