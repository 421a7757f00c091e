/** Which files of a tree a content search looks into: the caller's glob and type. Pure; the last word for both backends. */
import type { GrepRequest } from "../../contract/index.ts";
import { typeGlobs } from "./file-types.ts";
import { compileGlob } from "./glob.ts";

export interface FileFilter {
  /** Displayed path relative to the searched directory, in two parts as the walk has it. */
  acceptsIn(way: string, name: string): boolean;
  accepts(path: string): boolean;
  mayEnter(directory: string): boolean;
  /** Globs on base names that accept at least everything `accepts` does; `undefined` where there are none. */
  readonly prefilter: readonly string[] | undefined;
}

export function compileFilter({ glob, type }: Pick<GrepRequest, "glob" | "type">): FileFilter | undefined {
  if (glob === undefined && type === undefined) return undefined;
  const byGlob = glob === undefined ? undefined : compileGlob(glob, { anyDepth: true });
  const types = type === undefined ? undefined : typeGlobs(type);
  const byType =
    types === undefined ? undefined : compileGlob(types.length === 1 ? (types[0] as string) : `{${types.join(",")}}`, { anyDepth: true });
  // Only where every glob library agrees on the meaning.
  const plain = byGlob?.baseNames?.every((name) => /^[\w.*?-]+$/.test(name) && !name.includes("**")) ? byGlob.baseNames : undefined;
  return {
    acceptsIn: (way, name) => (byGlob?.matchesIn(way, name) ?? true) && (byType?.matchesIn(way, name) ?? true),
    accepts: (path) => (byGlob?.matches(path) ?? true) && (byType?.matches(path) ?? true),
    mayEnter: byGlob?.mayEnter ?? (() => true),
    prefilter: types ?? plain,
  };
}
