/**
 * Owns path facts made from text alone, with links given as a table: for explaining and testing a policy about
 * machines that are not this one. Real calls get their facts from the host.
 * Refuses to look at any disk; what the table does not name is absent and no link.
 */
import { posix, win32 } from "node:path";
import type { PathFacts, PathKind } from "../../contract/index.ts";

export interface TextWorld {
  readonly cwd: string;
  readonly platform: "posix" | "win32";
  /** Link → target, both absolute. */
  readonly links?: Readonly<Record<string, string>>;
  readonly kind?: PathKind;
  readonly hardLinks?: number;
}

const maxLinks = 40;

export function factsFromText(asked: string, world: TextWorld): PathFacts {
  if (world.platform === "posix" && world.links === undefined && world.hardLinks === undefined && isClean(asked))
    return { asked, spelled: asked, lexical: asked, real: asked, kind: world.kind ?? "file" };
  const { isAbsolute, normalize, sep } = world.platform === "win32" ? win32 : posix;
  const spelled = isAbsolute(asked) ? asked : `${world.cwd}${sep}${asked}`;
  const lexical = stripEnd(normalize(spelled));
  const followed = world.platform === "win32" || world.links === undefined ? lexical : follow(spelled, world.links);
  const kind = world.kind ?? (followed === undefined ? "unreadable" : "file");
  return {
    asked,
    spelled,
    lexical,
    real: followed ?? lexical,
    kind,
    ...(world.hardLinks === undefined ? {} : { hardLinks: world.hardLinks }),
  };
}

/** A slash at the end, or before another slash or a dot: what normalizing could change. */
const unclean = /\/(?:[/.]|$)/;

function isClean(path: string): boolean {
  return path === "/" || (path.startsWith("/") && !unclean.test(path));
}

function follow(spelled: string, links: Readonly<Record<string, string>>): string | undefined {
  const todo = spelled.split("/").reverse();
  const walked: string[] = [];
  for (let count = 0; todo.length > 0; ) {
    const name = todo.pop();
    if (name === undefined || name === "" || name === ".") continue;
    if (name === "..") {
      walked.pop();
      continue;
    }
    const next = `/${[...walked, name].join("/")}`;
    const target = Object.hasOwn(links, next) ? links[next] : undefined;
    if (target === undefined) {
      walked.push(name);
      continue;
    }
    count += 1;
    if (count > maxLinks) return undefined;
    if (target.startsWith("/")) walked.length = 0;
    todo.push(...target.split("/").reverse());
  }
  return `/${walked.join("/")}`;
}

function stripEnd(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
