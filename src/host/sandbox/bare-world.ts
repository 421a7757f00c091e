/**
 * What is there in a world that nobody was asked about (B9, `auto`): the roots, the session's temporary directories, the system's
 * programs, the tool chains that PATH leads to, the caches of the home as copy-on-write views. Nothing else of the home and of the
 * disk exists there. Refuses to show a whole home, whatever PATH says.
 */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Touched } from "../../contract/index.ts";
import { DirectoryMemory } from "./directory-memory.ts";
import type { EtcView } from "./etc-view.ts";
import { isBelow, isWithin } from "./mount-table.ts";
import type { CacheView } from "./session-caches.ts";

export interface Bare {
  /** Shown read-only, as on the machine. */
  readonly shown: readonly string[];
  /** Links of the root directory: `bin` and the like. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly caches: readonly CacheView[];
  readonly etc: EtcView;
  /** Directories that are there and empty. */
  readonly empty: readonly string[];
}

export interface BarePlan {
  readonly userHome: string;
  readonly roots: readonly string[];
  readonly path: string;
  readonly caches: readonly CacheView[];
  readonly etc: EtcView;
  /** What the config shows beside the rest. */
  readonly visible: readonly string[];
}

const systems = ["/usr", "/nix", "/gnu", "/snap", "/sys/devices/system/cpu", "/sys/fs/cgroup"];
const linked = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Settings that tools cannot do without and that hold no key. */
const settings = [".gitconfig", ".gitignore", ".gitignore_global", ".gitattributes", ".config/git", ".tool-versions", ".python-version"];

export function bareOf({ userHome, roots, path, caches, etc, visible }: BarePlan): Bare {
  const chains = toolChains(path, userHome, roots);
  const all = [
    ...systems,
    ...linked.filter((name) => !isLink(name)),
    ...settings.map((name) => join(userHome, name)),
    ...chains,
    ...visible,
  ];
  const shown = outermost(all.filter(isThere))
    .filter((place) => !roots.some((root) => isWithin(place, root)))
    .filter((place) => !caches.some((cache) => isWithin(place, cache.path)));
  return {
    shown,
    links: linked.filter(isLink).map((name) => ({ path: name, target: readlinkSync(name) })),
    caches: caches
      .filter((cache) => !roots.some((root) => isWithin(cache.path, root)))
      // What is shown as it is on the machine has no place for what the machine has not.
      .filter((cache) => isThere(cache.path) || !shown.some((place) => isBelow(cache.path, place))),
    etc,
    empty: [userHome, "/opt", "/mnt", "/media", "/srv", "/var/lib", "/var/log"].filter(isThere),
  };
}

/** True if a path of the machine is there in such a world. */
export function isShown(path: string, { shown, caches, links, etc }: Bare, roots: readonly string[]): boolean {
  if (etc.shows(path)) return true;
  const places = [...shown, ...caches.map((cache) => cache.path), ...links.map((link) => link.path), ...roots];
  return places.some((place) => isWithin(path, place)) || ["/proc", "/dev", "/tmp", "/var/tmp"].some((place) => isWithin(path, place));
}

/**
 * What of the paths that a command touches has to be shown beside the rest; `undefined` if such a world cannot show them as they are:
 * the way to one leads over a link, or one lies around the home, around a root, or in what is there in part only.
 */
export function touchedBeside(touches: readonly Touched[], bare: Bare, roots: readonly string[]): readonly string[] | undefined {
  const beside = touches.filter(({ lexical, real }) => ![lexical, real].every((path) => isShown(path, bare, roots)));
  const partly = ["/etc", "/proc", "/dev", ...bare.caches.map(({ path }) => path)];
  const isPlain = ({ lexical, real }: Touched) =>
    lexical === real &&
    ![...bare.empty, ...roots, ...bare.shown].some((place) => isWithin(place, real)) &&
    !partly.some((place) => isWithin(real, place) || isWithin(place, real)) &&
    isThere(real);
  return beside.every(isPlain) ? beside.map(({ real }) => real) : undefined;
}

const whole = new Set([".local", ".config", ".cache"]);
const ofLocal = ["bin", "lib", "share/uv", "share/pipx", "share/mise", "share/pnpm", "share/fnm"];

/** Directories that PATH leads to, each with what its programs need beside it; none holds the home or a root. */
function toolChains(path: string, userHome: string, roots: readonly string[]): readonly string[] {
  const directories = path.split(":").filter((directory) => isAbsolute(directory));
  const found = directories.flatMap((directory) => [directory, ...(isSystem(directory) ? [] : linksIn(directory))]);
  const isTooMuch = (place: string) => [userHome, ...roots].some((inner) => isWithin(inner, place));
  return [...new Set(found.filter((place) => !isSystem(place)).flatMap((place) => chainOf(place, userHome, isTooMuch)))].filter(
    (place) => !isTooMuch(place),
  );
}

function chainOf(place: string, userHome: string, isTooMuch: (place: string) => boolean): readonly string[] {
  // Packages of node lie beside each other and need each other.
  const packages = /^.*?\/node_modules(?=\/|$)/.exec(place)?.[0];
  if (packages !== undefined) return [packages];
  if (!isBelow(place, userHome)) return chainOutside(place, isTooMuch);
  const [first = "", second = ""] = place.slice(userHome.length + 1).split("/");
  if (first === ".local") return ofLocal.map((name) => join(userHome, first, name));
  if (whole.has(first)) return [place];
  if (first === ".cargo") return [join(userHome, first, "bin"), join(userHome, ".rustup")];
  if (first.startsWith(".")) return [join(userHome, first)];
  // A directory with an ordinary name may hold anything: only what is on PATH.
  return second === "bin" ? [join(userHome, first, "bin"), join(userHome, first, "lib")] : [place];
}

const besidePrograms = ["bin", "sbin", "lib", "lib64", "libexec", "share", "include"];
/** Below these lie homes, state and what other programs keep: nobody's tools as a whole. */
const notTools = ["home", "root", "tmp", "var", "proc", "sys", "dev", "run"];

/** `/opt/node/bin` and `/data/go/bin` are of `/opt/node` and `/data/go`; a project, or a directory of the root itself, is too much. */
function chainOutside(place: string, isTooMuch: (place: string) => boolean): readonly string[] {
  const names = place.split("/").filter((name) => name !== "");
  const [first = "", second = "", third = ""] = names;
  if (notTools.includes(first)) return first === "home" && third.startsWith(".") ? [`/home/${second}/${third}`] : [];
  const top = `/${first}/${second}`;
  if (first === "opt" && names.length > 2 && !isTooMuch(top)) return [top];
  if (names.at(-1) !== "bin") return [place];
  const prefix = dirname(place);
  const isProject = lstatSync(join(prefix, ".git"), { throwIfNoEntry: false }) !== undefined;
  return names.length < 3 || isProject || isTooMuch(prefix) ? besidePrograms.map((name) => join(prefix, name)) : [prefix];
}

function isSystem(place: string): boolean {
  return ["/usr", "/bin", "/sbin", "/nix", "/gnu", "/snap"].some((directory) => isWithin(place, directory));
}

const memory = new DirectoryMemory((directory, entries) =>
  entries.filter((entry) => entry.isSymbolicLink()).flatMap(({ name }) => targetOf(join(directory, name))),
);

/** Where the programs of a directory really lie. */
function linksIn(directory: string): readonly string[] {
  return memory.look(directory) ?? [];
}

function targetOf(path: string): readonly string[] {
  try {
    return [dirname(resolve(dirname(path), readlinkSync(path))), dirname(realpathSync.native(path))];
  } catch {
    return [];
  }
}

function outermost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => isBelow(path, other)));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isThere(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink();
}
