/**
 * Owns how a path rule meets a place: globs count from the workspace, from the home with `~/`, or from the root.
 * A permission must match where the path really leads; a prohibition matches any spelling of it, any depth for a
 * bare name, and everything below a directory it names.
 */
import picomatch from "picomatch";
import type { PathFacts } from "../../contract/index.ts";
import { type Ground, innermost, isInside, type Place } from "../paths/ground.ts";

export interface PathPattern {
  /** Matches as a permission. */
  covers(facts: PathFacts): boolean;
  /** Matches as a prohibition or a question. */
  touches(facts: PathFacts): boolean;
  /** Something below this directory may match as a prohibition. */
  reaches(facts: PathFacts): "surely" | "perhaps" | "no";
  /** No wildcard in it. */
  readonly literal: boolean;
  /** Names of a path the pattern would match, with a plain letter for each wildcard: what the rule spells out. */
  readonly sample: Place;
  /** Names before the first wildcard. */
  readonly base: Place;
}

type Matcher = (path: string) => boolean;

/** Throws where the glob is none. */
export function compilePathPattern(glob: string, ground: Ground): PathPattern {
  const absolute = anchor(glob.replace(/\/+$/, "") || "/", ground);
  const literal = !hasWildcard(absolute);
  const exact = matcherOf(absolute);
  const bareName = !/[\\/]/.test(glob.replace(/\/+$/, "").replace(/\\./g, ""));
  const anywhere = bareName ? matcherOf(`**/${fold(glob.replace(/\/+$/, ""), ground)}`) : undefined;
  const base = ground.place(literally(literal ? absolute : picomatch.scan(absolute).base)) ?? [];
  const text = (path: string): string => comparableText(path, ground);
  return {
    literal,
    base,
    sample: (ground.place(literally(sampleOf(absolute))) ?? []).slice(sharedLength(ground, base)),
    covers: (facts) => exact(text(facts.real)),
    touches: (facts) =>
      [facts.real, facts.lexical].some((path) => {
        // A bare name is looked for below the workspace only: where the workspace lies is no reason to forbid it.
        const root = innermost(ground.place(path) ?? [], ground.roots)?.length ?? 0;
        return ancestors(text(path)).some(
          (part) => exact(part) || (anywhere !== undefined && (ground.place(part)?.length ?? 0) > root && anywhere(part)),
        );
      }),
    reaches: (facts) => {
      const place = ground.place(facts.real);
      if (!place) return "perhaps";
      if (isInside(base, place)) return literal || absolute.endsWith("/**") ? "surely" : "perhaps";
      return isInside(place, base) || anywhere !== undefined ? "perhaps" : "no";
    },
  };
}

/** A literal path as a rule writes it: relative where it is in the workspace, with every special character escaped. */
export function literalGlob(real: string, ground: Ground): string {
  const slashed = slashes(real, ground);
  const workspace = `${slashes(ground.world.workspace, ground).replace(/\/+$/, "")}/`;
  const relative = slashed.startsWith(workspace) ? slashed.slice(workspace.length) : slashed;
  return relative.replace(/[\\*?[\]{}()!+@|^$~#]/g, "\\$&");
}

function anchor(glob: string, ground: Ground): string {
  const { world } = ground;
  const isAbsolute = glob.startsWith("/") || (world.platform === "win32" && /^[a-z]:[\\/]/i.test(glob));
  if (isAbsolute) return fold(glob.replace(/^\/{2,}/, "/"), ground);
  const home = /^~\/(.*)$/s.exec(glob)?.[1];
  const base = home === undefined ? world.workspace : world.userHome;
  const escaped = slashes(base, ground)
    .replace(/\/+$/, "")
    .replace(/[\\*?[\]{}()!+@|^$~#]/g, "\\$&");
  return fold(`${escaped}/${(home ?? glob).replace(/^\.\//, "")}`, ground);
}

function matcherOf(pattern: string): Matcher {
  if (!hasWildcard(pattern)) {
    const plain = literally(pattern);
    return (path) => path === plain;
  }
  return compileGlob(pattern);
}

function compileGlob(pattern: string): Matcher {
  // Input comes with forward slashes on every platform, so a backslash in the pattern always escapes.
  // `debug` makes a pattern that is no expression an error; without it, it would silently match nothing.
  const compiled = picomatch(pattern, { dot: true, nonegate: true, windows: false, maxLength: 16_384, debug: true });
  return (path) => compiled(path);
}

function hasWildcard(pattern: string): boolean {
  return /[*?[\]{}()!+@|]/.test(pattern.replace(/\\./gs, ""));
}

function literally(pattern: string): string {
  return pattern.replace(/\\(.)/gs, "$1");
}

function sampleOf(pattern: string): string {
  return pattern
    .replace(/\{([^{},]*)[^{}]*\}/g, "$1")
    .replace(/\[[^\]]*\]/g, "x")
    .replace(/(?<!\\)\*+/g, "x")
    .replace(/(?<!\\)[?+@!|()]/g, "");
}

/** Names above the workspace or the home say nothing about what the rule spells out. */
function sharedLength(ground: Ground, base: Place): number {
  const workspace = ground.place(ground.world.workspace) ?? [];
  return isInside(base, workspace) ? workspace.length : 0;
}

function ancestors(path: string): string[] {
  const found = [path];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) found.push(path.slice(0, end));
  return found;
}

function comparableText(path: string, ground: Ground): string {
  return fold(slashes(path, ground), ground);
}

function slashes(path: string, ground: Ground): string {
  return ground.world.platform === "win32" ? path.replaceAll("\\", "/") : path;
}

function fold(text: string, ground: Ground): string {
  const { caseInsensitive, platform } = ground.world;
  return caseInsensitive || platform === "win32" ? text.normalize("NFC").toLowerCase() : text;
}
