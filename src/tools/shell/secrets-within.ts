/**
 * A command that reads a whole tree reads the secrets in it too, and what links in it lead to where it follows them.
 * Files whose names promise a secret, and places outside the tree that a link leads to, are named as reads of their
 * own, so that the policy judges them as if they had been asked for by name.
 */
import type { Effect, FileReader, Search } from "../../contract/index.ts";
import { nameMatches } from "../../shell/index.ts";
import type { ResolvedEffect, ResolvedRead } from "./resolve-effects.ts";
import { mayBeSecret, secretPattern } from "./secret-names.ts";

const maxCut = 20_000;
const maxFound = 2_000;
const maxNamed = 200;
const maxLinks = 5_000;
const deadlineMs = 2_000;

export async function withSecretsWithin(
  resolved: readonly ResolvedEffect[],
  { search, files, signal }: { readonly search: Search; readonly files: Pick<FileReader, "resolve">; readonly signal: AbortSignal },
): Promise<Effect[]> {
  /** Each tree, how deep links in it are followed, and which files in it are opened: any, where nothing is said. */
  const trees = new Map<string, { readonly depth: number; readonly opens: readonly string[] | undefined }>();
  const look = { search, files, signal };
  const cut = await Promise.all(
    resolved.map((effect) => (effect.kind === "read" && effect.cut !== undefined ? cutNames(effect, effect.cut, look) : [])),
  );
  const effects = resolved.map(settled);
  for (const effect of resolved) {
    if (effect.kind !== "read" || effect.tree !== true || effect.path.kind !== "directory") continue;
    const { linkDepth = 0, opens } = effect;
    const other = trees.get(effect.path.real) ?? { depth: 0, opens: [] };
    trees.set(effect.path.real, {
      depth: Math.max(linkDepth, other.depth),
      opens: opens === undefined || other.opens === undefined ? undefined : [...other.opens, ...opens],
    });
  }
  const found = await Promise.all(
    [...trees].flatMap(([directory, { depth, opens }]) => [
      secretsIn(directory, opens, look),
      depth > 0 ? leadingOut(directory, depth, look) : [],
    ]),
  );
  return [...effects, ...cut.flat(), ...found.flat()];
}

function settled(effect: ResolvedEffect): Effect {
  if (effect.kind !== "read" || (effect.cut === undefined && effect.opens === undefined)) return effect;
  const { cut: _cut, opens: _opens, ...read } = effect;
  return read;
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
  depth: number,
  { search, files, signal }: { readonly search: Search; readonly files: Pick<FileReader, "resolve">; readonly signal: AbortSignal },
): Promise<Effect[]> {
  const { paths, partial } = await search.links({ directory, depth, limit: maxLinks, signal, deadlineMs });
  const unsure: Effect[] = partial ? [{ kind: "unknown", reason: `${directory} is too large to say where the links in it lead` }] : [];
  const targets = new Map<string, Effect>();
  for (const facts of await Promise.all(paths.map((path) => files.resolve(path)))) {
    const isInside = facts.real === directory || facts.real.startsWith(`${directory}/`);
    if ((!isInside || mayBeSecret(facts.real.slice(directory.length + 1))) && facts.kind !== "absent")
      targets.set(facts.real, { kind: "read", path: facts, tree: facts.kind === "directory" });
  }
  return [...targets.values(), ...unsure];
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
      pattern: secretPattern,
      includeIgnored: true,
      limit: maxFound,
      signal,
      deadlineMs,
    });
    const named = hits.filter(({ path }) => mayBeSecret(path) && isOpened(path));
    const reads = await Promise.all(
      named
        .slice(0, maxNamed)
        .map(async ({ path }): Promise<Effect> => ({ kind: "read", path: await files.resolve(`${directory}/${path}`) })),
    );
    // Harmless names must not crowd out the one that is not.
    return partial || total > hits.length || named.length > maxNamed
      ? [...reads, { kind: "unknown", reason: `${directory} is too large to say what secrets it holds` }]
      : reads;
  } catch {
    return [{ kind: "unknown", reason: `${directory} cannot be searched for secrets` }];
  }
}
