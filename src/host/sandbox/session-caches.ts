/**
 * Caches of the person's home as a session sees them where nobody was asked: copy-on-write views whose changes stay with the session.
 * A keeper mounts each once, and every world of the session takes it from there: two views must not share what they write to.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Owner } from "../../contract/index.ts";
import { isAlive, thisOwner } from "../process-identity.ts";
import { noDevices, noSetuid, readOnly, type Step } from "./keeper-order.ts";
import { isPlainPath, isWithin, mountsBelow, readMounts } from "./mount-table.ts";

export interface CacheView {
  /** As programs know it. */
  readonly path: string;
  /** Where the keeper mounts the view. */
  readonly view: string;
}

export interface SessionCaches {
  readonly views: readonly CacheView[];
  /** For the keeper, before its first world. */
  readonly steps: readonly Step[];
}

/** Made by the tools themselves where they are missing. */
const usual = [".cache", ".npm"];
const others = [
  ...[".cargo", ".gradle/caches", ".m2/repository", "go/pkg/mod", ".nuget/packages", ".local/share/pnpm/store"],
  ...[".yarn/berry/cache", ".bun/install/cache", ".config/pip"],
];

/** Network file systems whose directories cannot lie below a view everywhere. */
const unfit = new Set([0x65735546, 0x01021997, 0xff534d42]);
const longest = 180;

/** `base`: a private directory that layers may lie in. */
export function sessionCaches(base: string, session: string, userHome: string): SessionCaches {
  if (!isPlainPath(userHome) || userHome.length > longest || unfit.has(statfsSync(userHome).type)) return { views: [], steps: [] };
  const directory = ownDirectory(join(base, "caches", createHash("sha256").update(session).digest("hex").slice(0, 16)));
  const mounts = readMounts();
  const names = [...usual, ...others.filter((name) => isDirectory(join(userHome, name)))].filter((name) => {
    const path = join(userHome, name);
    // A view cannot keep what it writes within itself.
    return mountsBelow(path, mounts).length === 0 && !isOther(path) && !isWithin(base, path);
  });
  const empty = join(directory, "empty");
  mkdirSync(empty, { recursive: true });
  const views: CacheView[] = [];
  const steps: Step[] = [
    ["take", "caches", directory, "", "0", String(readOnly)],
    ["put", "caches", directory],
    ["in", directory],
  ];
  for (const name of names) {
    const place = name.replaceAll("/", "-");
    for (const part of ["upper", "work", "view"]) mkdirSync(join(directory, place, part), { recursive: true });
    const path = join(userHome, name);
    const lower = isDirectory(path) ? path : "empty";
    const options = [`lowerdir=${lower}`, `upperdir=${place}/upper`, `workdir=${place}/work`];
    views.push({ path, view: join(directory, place, "view") });
    steps.push(
      ["make", place, "overlay", String(noSetuid | noDevices), "userxattr", ...options],
      ["put", place, join(directory, place, "view")],
    );
  }
  return { views, steps: [...steps, ["in", "/"]] };
}

/** What another live process of the session works with is not shared with it. */
function ownDirectory(directory: string): string {
  const place = isOwnedElsewhere(directory) ? `${directory}-${process.pid}` : directory;
  mkdirSync(place, { recursive: true, mode: 0o700 });
  writeFileSync(join(place, "owner"), JSON.stringify(thisOwner()), { mode: 0o600 });
  return place;
}

function isOwnedElsewhere(directory: string): boolean {
  try {
    const owner = JSON.parse(readFileSync(join(directory, "owner"), "utf8")) as Owner;
    return owner.pid !== process.pid && isAlive(owner);
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A link or a file in its place is left alone. */
function isOther(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isDirectory();
}
