/**
 * A command that reads a whole tree reads the secrets in it too, and what links in it lead to where it follows them.
 * Files whose names promise a secret, and places outside the tree that a link leads to, are named as reads of their
 * own, so that the policy judges them as if they had been asked for by name.
 */
import { type Effect, type FileReader, isSecretPath, type PathFacts, type Search } from "../../contract/index.ts";
import { type LinkPattern, nameMatches } from "../../shell/index.ts";
import type { ResolvedEffect, ResolvedRead } from "./resolve-effects.ts";

const maxCut = 20_000;
const maxNamed = 200;
const maxLinks = 5_000;
const deadlineMs = 2_000;

/** A tree that is read. */
interface Tree {
  /** How deep links in it are followed. */
  readonly depth: number;
  /** Which files in it are opened: any, where nothing is said. */
  readonly opens: readonly string[] | undefined;
  /** Which links in it are met: any, where nothing is said. */
  readonly through: readonly LinkPattern[] | undefined;
}

export async function withSecretsWithin(
  resolved: readonly ResolvedEffect[],
  { search, files, signal }: { readonly search: Search; readonly files: Pick<FileReader, "resolve">; readonly signal: AbortSignal },
): Promise<Effect[]> {
  const trees = new Map<string, Tree>();
  const look = { search, files, signal };
  const cut = await Promise.all(
    resolved.map((effect) => (effect.kind === "read" && effect.cut !== undefined ? cutNames(effect, effect.cut, look) : [])),
  );
  const effects = resolved.map(settled);
  for (const effect of resolved) {
    if (effect.kind !== "read" || effect.tree !== true || effect.path.kind !== "directory") continue;
    const { linkDepth = 0, opens, through } = effect;
    const other = trees.get(effect.path.real) ?? { depth: 0, opens: [], through: [] };
    trees.set(effect.path.real, {
      depth: Math.max(linkDepth, other.depth),
      opens: opens === undefined || other.opens === undefined ? undefined : [...other.opens, ...opens],
      through:
        linkDepth === 0 ? other.through : through === undefined || other.through === undefined ? undefined : [...other.through, through],
    });
  }
  const found = await Promise.all(
    [...trees].flatMap(([directory, tree]) => [
      secretsIn(directory, tree.opens, look),
      tree.depth > 0 ? leadingOut(directory, tree, look) : [],
    ]),
  );
  return [...effects, ...cut.flat(), ...found.flat()];
}

function settled(effect: ResolvedEffect): Effect {
  if (effect.kind !== "read" || (effect.cut === undefined && effect.opens === undefined && effect.through === undefined)) return effect;
  const { cut: _cut, opens, through: _through, ...read } = effect;
  return opens?.length === 0 && read.tree === true ? { ...read, namesOnly: true } : read;
}

/** A name with a blank, a quote or a wildcard in it would become other names on its way through the shell or `xargs`. */
async function cutNames(
  { path }: ResolvedRead,
  name: string,
  { search, signal }: { readonly search: Search; readonly signal: AbortSignal },
): Promise<Effect[]> {
  const unsure: Effect = { kind: "unknown", reason: `names in ${path.asked} have blanks or quotes in them, and would be cut into others` };
  try {
    const pattern = name.includes("**") ? "**" : `**/${name}`;
    const { hits, total, partial } = await search.find({
      directory: path.real,
      pattern,
      includeIgnored: true,
      unreadable: "shown",
      limit: maxCut,
      signal,
      deadlineMs,
    });
    return partial || total > hits.length || hits.some((hit) => /[\s'"\\*?[]/.test(hit.path)) ? [unsure] : [];
  } catch {
    return [unsure];
  }
}

/** What is read through links that leave the tree, or lead to a secret in it under another name. */
async function leadingOut(
  directory: string,
  { depth, through }: Tree,
  { search, files, signal }: { readonly search: Search; readonly files: Pick<FileReader, "resolve">; readonly signal: AbortSignal },
): Promise<Effect[]> {
  const { paths, partial } = await search.links({ directory, depth, limit: maxLinks, signal, deadlineMs });
  const unsure: Effect[] = partial ? [{ kind: "unknown", reason: `${directory} is too large to say where the links in it lead` }] : [];
  const targets = new Map<string, Effect>();
  const isInside = ({ real }: PathFacts): boolean => real === directory || real.startsWith(`${directory}/`);
  const all = await Promise.all(paths.map(async (path) => ({ path, facts: await files.resolve(path) })));
  const met = all.filter(({ path }) => isMet(path.slice(directory.length + 1), through));
  // What lies behind a directory's second name is listed here under its first.
  const links = met.some(({ facts }) => facts.kind === "directory" && isInside(facts)) ? all : met;
  for (const { facts } of links) {
    if ((!isInside(facts) || isSecretPath(facts.real.slice(directory.length + 1))) && facts.kind !== "absent")
      targets.set(facts.real, { kind: "read", path: facts, tree: facts.kind === "directory" });
  }
  return [...targets.values(), ...unsure];
}

/** Whether a pattern leads to the link or through it. */
function isMet(link: string, through: readonly LinkPattern[] | undefined): boolean {
  const names = link.split("/");
  return (
    through?.some(({ names: pattern, walked }) => {
      const last = pattern.at(-1) ?? "**";
      if (walked) return last === "**" || nameMatches(last, names.at(-1) ?? "");
      if (pattern.includes("**")) return true;
      return names.length <= pattern.length && names.every((name, index) => nameMatches(pattern[index] ?? "", name));
    }) ?? true
  );
}

async function secretsIn(
  directory: string,
  opens: readonly string[] | undefined,
  { search, files, signal }: { readonly search: Search; readonly files: Pick<FileReader, "resolve">; readonly signal: AbortSignal },
): Promise<Effect[]> {
  if (opens?.length === 0) return [];
  const isOpened = (path: string): boolean =>
    opens === undefined || opens.some((pattern) => nameMatches(pattern, path.slice(path.lastIndexOf("/") + 1)));
  try {
    const { hits, total, partial } = await search.find({
      directory,
      pattern: "**",
      only: (path) => isSecretPath(path) && isOpened(path),
      includeIgnored: true,
      unreadable: "shown",
      limit: maxNamed,
      signal,
      deadlineMs,
    });
    const reads = await Promise.all(
      hits
        .slice(0, maxNamed)
        .map(async ({ path }): Promise<Effect> => ({ kind: "read", path: await files.resolve(`${directory}/${path}`) })),
    );
    return partial || total > maxNamed
      ? [...reads, { kind: "unknown", reason: `${directory} is too large to say what secrets it holds` }]
      : reads;
  } catch {
    return [{ kind: "unknown", reason: `${directory} cannot be searched for secrets` }];
  }
}
