/**
 * The judgement of one simple command: collects its effects and the first reason why it is not understood.
 * Handlers of programs talk to the rest of the room only through this. It also holds the floor: what is
 * forbidden whatever anybody says.
 */
import type { Field } from "./field.ts";
import { hasWildcard } from "./field.ts";
import {
  isRawDevice,
  isSecretFile,
  isWithin,
  joinPath,
  looksSecret,
  mayNameStore,
  normalizePath,
  parentOf,
  patternIn,
  patternRoot,
  secretCandidates,
  spellsOut,
  withHidden,
} from "./paths.ts";
import type { State } from "./state.ts";
import type { ChangeKind, DraftEffect, DraftReadEffect, LinkPattern, ShellWorld } from "./types.ts";

/** File names a command prints, for an `xargs` that reads them. */
export interface PrintedNames {
  readonly fields: readonly Field[];
  /** Separated by NUL, so that no name can be taken for two. */
  readonly nul: boolean;
}

const rootOnly: readonly string[] = ["/"];
/** Opened where names are only listed. */
const nothing: readonly string[] = [];

/** Which files a pattern names; the shell's leave out those that begin with a dot unless it says one. */
function namesOf(pattern: string, isShells: boolean): readonly string[] | undefined {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  if (last === "" || last === "**" || last.includes("\\")) return undefined;
  const hidesDots = isShells && !pattern.includes("**");
  if (hidesDots && last.startsWith("*")) return [`[!.]${last}`];
  return [hidesDots && last.startsWith("?") ? `[!.]${last.slice(1)}` : last];
}

export class Judge {
  reason: string | undefined;
  /** Why a program would not be understood: a variable it may obey. A builtin sees none. */
  setting: string | undefined;
  /** The command talks to the network. */
  network = false;
  /** Somebody reads what it prints: a pipe or a substitution. */
  heard = false;
  /** What it prints, where that is known. */
  printed: readonly Field[] | undefined;
  /** The names it prints. */
  names: PrintedNames | undefined;
  /** Roughly what it prints: enough to hold a shell that reads it to the floor. */
  text: string | undefined;
  /** What stands on its standard input, where that is known at least roughly. */
  input: string | undefined;
  /** What it reads is shown out of git's objects. */
  recorded = false;
  private patterns: Set<string> | undefined;
  /** Patterns of names that a handler made something of. */
  private seen: Set<Field> | undefined;
  /** Directories the shell is in after success, for `cd`. */
  moved: { readonly directories: readonly string[] | undefined } | undefined;

  constructor(
    readonly world: ShellWorld,
    public state: State,
    readonly effects: DraftEffect[],
    /** Names printed by the command before it in the pipeline; none when a redirection takes its place. */
    public upstream: PrintedNames | undefined,
  ) {}

  fail(reason: string): void {
    this.reason ??= reason;
  }

  forbid(reason: string): void {
    this.effects.push({ kind: "forbidden", reason });
    this.fail(reason);
  }

  /** A file (or everything below it) is read. */
  read(field: Field, tree = false, linkDepth = 0, opens?: readonly string[]): void {
    if (field.kind === "text") {
      if (field.text !== "")
        for (const here of this.directoriesFor(field.text)) this.readPath(joinPath(here, field.text), tree, linkDepth, opens);
      return;
    }
    this.note(field);
    const depth = Math.max(linkDepth, globDepth(field));
    const names = field.kind === "glob" && !tree ? namesOf(field.text, this.world.interactive !== true) : opens;
    const through = tree || linkDepth > 0 ? undefined : throughOf(field);
    for (const path of this.paths(field)) this.readPath(path, tree || field.kind === "glob", depth, names, through);
    if (field.kind === "glob") this.readCandidates(field.text);
  }

  readPath(path: string, tree: boolean, linkDepth = 0, opens?: readonly string[], through?: LinkPattern): void {
    if (isQuietDevice(path)) return;
    this.effects.push(readEffect(path, tree, linkDepth, undefined, undefined, opens, this.recorded, through));
  }

  /** Names and sizes, not contents: of a secret file that is no more than its directory tells. */
  list(field: Field, tree: boolean, linkDepth = 0): void {
    if (field.kind === "text") {
      if (field.text !== "")
        for (const here of this.directoriesFor(field.text)) this.listPath(joinPath(here, field.text), tree || field.many, linkDepth);
      return;
    }
    this.note(field);
    const depth = Math.max(linkDepth, globDepth(field));
    const through = tree || linkDepth > 0 ? undefined : throughOf(field);
    for (const path of this.paths(field)) this.listPath(path, tree || field.many, depth, through);
  }

  private note(field: Field): void {
    if (field.kind !== "glob") return;
    this.seen ??= new Set();
    this.seen.add(field);
  }

  /** Whatever a program makes of its words, a pattern among them tells what is in a directory: in its output or in an error. */
  listPatterns(fields: readonly Field[]): void {
    for (const field of fields) if (field.kind === "glob" && field.many && this.seen?.has(field) !== true) this.list(field, false);
  }

  private listPath(path: string, tree: boolean, linkDepth = 0, through?: LinkPattern): void {
    this.readPath(isSecretFile(path) ? parentOf(path) : path, tree, linkDepth, nothing, through);
  }

  readHere(tree: boolean, linkDepth = 0, opens?: readonly string[]): void {
    if (this.state.directories === undefined) this.fail("the working directory is not known");
    else for (const directory of this.state.directories) this.readPath(directory, tree, linkDepth, opens);
  }

  listHere(tree: boolean, linkDepth = 0): void {
    this.readHere(tree, linkDepth, nothing);
  }

  /** Whether file names that were cut at blanks may be taken for whole: the host then looks for one that is not. */
  readUncut(names: Field): boolean {
    const last = names.text.slice(names.text.lastIndexOf("/") + 1);
    // Of everything in a directory nobody can say what was meant.
    if (last === "*") return false;
    const cut = /^[\w.*?-]+$/.test(last) ? last : "*";
    const opens = namesOf(names.text, false);
    for (const path of this.paths(names)) this.effects.push(readEffect(path, true, 0, undefined, cut, opens));
    return true;
  }

  /** Git shows contents of the files it tracks: below the given places, or of the whole repository. */
  readTracked(places: readonly Field[]): void {
    if (this.state.directories === undefined) this.readUntold("git shows files of a repository that is only known when it runs");
    else if (places.length === 0)
      for (const path of this.state.directories) this.effects.push(readEffect(path, false, 0, "repository", undefined));
    else
      for (const place of places) for (const path of this.paths(place)) this.effects.push(readEffect(path, false, 0, "below", undefined));
  }

  /** Contents are shown, and which ones cannot be told. */
  readUntold(reason: string): void {
    this.effects.push({ kind: "unknown", reason, mayShowSecrets: true });
    this.fail(reason);
  }

  /** Names a filter such as `--include=.env` lets through. */
  readNamed(pattern: string): void {
    for (const name of hasWildcard(pattern) ? withHidden(pattern) : [pattern]) {
      if (hasWildcard(name)) this.readCandidates(name);
      else if (looksSecret(name)) for (const directory of this.state.directories ?? []) this.readPath(joinPath(directory, name), false);
    }
  }

  private readCandidates(pattern: string): void {
    if (this.patterns?.has(pattern) === true) return;
    this.patterns ??= new Set();
    this.patterns.add(pattern);
    for (const candidate of secretCandidates(pattern)) {
      for (const directory of this.state.directories ?? []) {
        this.readPath(joinPath(directory, candidate), false);
        this.guess(pattern, candidate);
      }
    }
  }

  /** The last effect counts only if the file is there, unless the pattern leaves no doubt which one is meant. */
  private guess(pattern: string, candidate: string): void {
    const effect = this.effects.at(-1);
    if ((effect?.kind === "read" || effect?.kind === "write") && !spellsOut(pattern, candidate))
      this.effects[this.effects.length - 1] = { ...effect, guessed: true };
  }

  /** A file (or everything below it) is changed. */
  write(field: Field, change: ChangeKind, tree = false): void {
    if (field.kind === "glob") {
      this.writePattern(field, change, tree);
      return;
    }
    for (const path of this.paths(field)) this.writePath(path, change, tree);
  }

  writePath(path: string, change: ChangeKind, tree: boolean): void {
    if (change === "modify" && isQuietDevice(path)) return;
    const floor = this.floor(path, change, tree);
    if (floor !== undefined) this.forbid(floor);
    this.effects.push({ kind: "write", path, change, tree: tree ? true : undefined });
  }

  private writePattern(field: Field, change: ChangeKind, tree: boolean): void {
    const { directory } = patternRoot(field.text);
    for (const here of this.directoriesFor(directory)) {
      const path = joinPath(here, directory);
      const place = normalizePath(path);
      const everything = /(?:^|\/)(?:\.?\*+|\.\[!?\.\]\*|\?\*?)$/.test(field.text);
      const wrecks =
        (change === "delete" || change === "mode") &&
        everything &&
        (place === "/" || place === this.home() || isWithin(this.home(), place));
      if (wrecks) this.forbid(`changes everything in ${place}`);
      // Some files of a directory are not the directory; which ones, is known only when it runs.
      const isPart = change === "delete" && !everything && !mayNameStore(field.text);
      this.effects.push({ kind: "write", path, change: isPart ? "modify" : change, tree: true });
      for (const candidate of secretCandidates(patternIn(here, field.text))) {
        this.writePath(candidate, change, tree);
        this.guess(field.text, candidate);
      }
    }
    if (this.state.directories === undefined && !directory.startsWith("/")) this.fail("the working directory is not known");
  }

  /** Removal of what must never be removed, writes to raw devices. */
  private floor(path: string, change: ChangeKind, tree: boolean): string | undefined {
    if (isRawDevice(path)) return `writes the raw device ${path}`;
    if (!tree || (change !== "delete" && change !== "mode")) return undefined;
    const place = normalizePath(path);
    const verb = change === "delete" ? "removes" : "changes the permissions of";
    if (place === "/") return `${verb} the whole file system`;
    if (isWithin(this.home(), place)) return `${verb} the home directory`;
    if (
      /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System|Library|Applications)(?:\/(?:bin|lib|sbin|local|share|log))?$/.test(
        place,
      )
    ) {
      return `${verb} a directory of the system`;
    }
    if (change === "delete" && isWithin(this.world.workspace, place)) return "removes the whole workspace";
    if (change === "delete" && /\/\.git$/.test(place)) return "removes a repository's history";
    return undefined;
  }

  /** Nothing that must never be removed is left of the path where a variable in it, which nobody set, is empty. */
  demandNotEmpty({ kind, shown }: Field): void {
    if (kind !== "word" && kind !== "words") return;
    const names: string[] = [];
    const left = shown
      .replaceAll(/["']/g, "")
      .replaceAll(/\$(?:\{([A-Za-z_]\w*)(?::?-)?\}|([A-Za-z_]\w*))/g, (_, braced?: string, bare?: string) => {
        names.push(braced ?? bare ?? "");
        return "";
      });
    if (names.some((name) => this.state.variables.has(name)) || !left.startsWith("/") || /[$`]/.test(left)) return;
    const place = left.replace(/\/\.?\**\/*$/, "") || "/";
    if (this.floor(place, "delete", true) !== undefined) this.forbid(`removes ${left} if $${names[0]} is empty`);
  }

  connect(url: string, method = "GET"): void {
    this.network = true;
    this.effects.push({ kind: "connect", url, method });
  }

  code(language: string, text: string): void {
    this.effects.push({ kind: "code", language, text });
    this.fail(`runs ${language} code from a string`);
  }

  home(): string {
    return this.world.env?.HOME ?? this.world.userHome;
  }

  /** Absolute paths a field may stand for; a field that is not known fails the command. */
  paths(field: Field): readonly string[] {
    switch (field.kind) {
      case "text":
        if (field.text === "") return [];
        return this.directoriesFor(field.text).map((directory) => joinPath(directory, field.text));
      case "glob": {
        const { directory } = patternRoot(field.text);
        return this.directoriesFor(directory).map((here) => joinPath(here, directory));
      }
      case "stream":
        return [];
      default:
        this.fail("a path is only known when it runs");
        return [];
    }
  }

  private directoriesFor(path: string): readonly string[] {
    if (path.startsWith("/")) return rootOnly;
    if (this.state.directories === undefined) {
      this.fail("the working directory is not known");
      return [];
    }
    return this.state.directories;
  }
}

/** One shape for every read: the policy and the host go through many effects, and faster where they look alike. */
function readEffect(
  path: string,
  tree: boolean,
  linkDepth: number,
  tracked: DraftReadEffect["tracked"],
  cut: string | undefined,
  opens?: readonly string[],
  recorded?: boolean,
  through?: LinkPattern,
): DraftReadEffect {
  const follows = linkDepth > 0;
  const within = tree || follows ? true : undefined;
  return {
    kind: "read",
    path,
    tree: within,
    linkDepth: follows ? linkDepth : undefined,
    recorded: recorded === true ? true : undefined,
    tracked,
    cut,
    opens: within && opens,
    through: follows ? through : undefined,
  };
}

const quietDevices = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2"]);

/** Devices that neither keep nor reveal anything. */
function isQuietDevice(path: string): boolean {
  return path.startsWith("/dev/") && quietDevices.has(path);
}

/** As deep as there is anything. */
export const anyDepth = 1000;

/** What of a pattern lies below the directory that is certain. */
function throughOf({ kind, text, walked = false }: Field): LinkPattern | undefined {
  if (kind !== "glob") return undefined;
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  const first = names.findIndex((name) => hasWildcard(name));
  // What `..` leads back to is not met by its name.
  return first < 0 || names.includes("..", first) ? undefined : { names: names.slice(first), walked };
}

/** How many names deep a pattern looks from its fixed beginning on: what it finds there may be a link. */
function globDepth({ kind, text }: Field): number {
  if (kind !== "glob") return 0;
  const names = text.split("/");
  const first = names.findIndex((name) => /[*?[]/.test(name));
  // In a shell with globstar, and in lists of names that another program prints, two stars go to any depth.
  return first < 0 ? 1 : names.includes("**") ? anyDepth : names.length - first;
}
