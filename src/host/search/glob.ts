/**
 * Globs as people and models write them: `**`, `*`, `?`, classes, braces, matched against a path relative to the searched
 * directory. `[id]` also matches itself, since directories of that name are common in web projects. Pure.
 */
import { ToolFailure } from "../../contract/index.ts";
import { expandBraces } from "./braces.ts";
import { compileWildcard, matchesWildcard, type Wildcard } from "./wildcard.ts";

export interface Glob {
  matches(path: string): boolean;
  /** The same of a path in two parts: the way, empty or with a `/` at the end, and the name. */
  matchesIn(way: string, name: string): boolean;
  /** False where nothing below this directory can match. */
  mayEnter(directory: string): boolean;
  /** The alternatives where all of them look at the base name alone. */
  readonly baseNames: readonly string[] | undefined;
}

export interface GlobOptions {
  /** A pattern without `/` matches at any depth, as file filters do; else only at the top, as in a shell. */
  readonly anyDepth: boolean;
}

interface Alternative {
  readonly wildcard: Wildcard;
  /** Of a pattern that leaves the way open: what the name alone must match. */
  readonly name: Wildcard | undefined;
  /** Ends in `/` unless empty. */
  readonly fixed: string;
  /** Directories deep at most. */
  readonly depth: number;
}

export function compileGlob(pattern: string, { anyDepth }: GlobOptions): Glob {
  const negated = anyDepth && pattern.startsWith("!");
  const written = normalize(negated ? pattern.slice(1) : pattern);
  const expanded = written === "" ? undefined : expandBraces(written);
  if (expanded === undefined) {
    throw new ToolFailure(
      "invalid_tool_input",
      `The glob ${JSON.stringify(pattern)} is not valid: braces must close, and it must not be empty.`,
      {
        details: { reason: "invalid_glob" },
      },
    );
  }
  const baseOnly = anyDepth && expanded.every((alternative) => !alternative.includes("/"));
  const alternatives: Alternative[] = [];
  for (const alternative of expanded) {
    const text = baseOnly || (anyDepth && !alternative.includes("/")) ? `**/${alternative}` : alternative.replace(/^\/+/, "");
    const literal = text.includes("[") && !text.includes("\\") ? text.replace(/[[\]]/g, "\\$&") : undefined;
    for (const form of literal === undefined ? [text] : [text, literal]) {
      const wildcard = compileWildcard(form, "glob");
      const name = /^\*\*\/[^/]+$/.test(form) ? compileWildcard(form.slice(3), "glob") : undefined;
      if (wildcard !== undefined) alternatives.push({ wildcard, name, fixed: fixedDirectories(text), depth: depthOf(text) });
    }
  }
  const matches = (path: string): boolean => alternatives.some(({ wildcard }) => matchesWildcard(wildcard, path));
  const matchesIn = (way: string, name: string): boolean =>
    alternatives.some((one) => (one.name === undefined ? matchesWildcard(one.wildcard, way + name) : matchesWildcard(one.name, name)));
  return {
    matchesIn: negated ? (way, name) => !matchesPathOrParent(matches, way + name) : matchesIn,
    matches: negated ? (path) => !matchesPathOrParent(matches, path) : matches,
    mayEnter: negated
      ? () => true
      : (directory) => {
          const inside = `${directory}/`;
          let depth = 0;
          for (let at = inside.indexOf("/"); at >= 0; at = inside.indexOf("/", at + 1)) depth++;
          return alternatives.some((one) => depth <= one.depth && (inside.startsWith(one.fixed) || one.fixed.startsWith(inside)));
        },
    baseNames: baseOnly && !negated ? expanded : undefined,
  };
}

function normalize(pattern: string): string {
  const text = pattern.replace(/^(?:\.\/+)+/, "").replace(/(?<!\\)\/{2,}/g, "/");
  return text.endsWith("/") ? `${text}**` : text;
}

function matchesPathOrParent(matches: (path: string) => boolean, path: string): boolean {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    if (matches(path.slice(0, at))) return true;
  }
  return matches(path);
}

function fixedDirectories(text: string): string {
  const special = text.search(/[*?[\\]/);
  const head = special < 0 ? text : text.slice(0, special);
  return head.slice(0, head.lastIndexOf("/") + 1);
}

function depthOf(text: string): number {
  return text.includes("**") ? Number.POSITIVE_INFINITY : text.split("/").length - 1;
}
