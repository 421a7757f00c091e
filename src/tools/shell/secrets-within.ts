/**
 * A command that reads a whole tree reads the secrets in it too. The files whose names promise one are looked for and
 * named as reads of their own, so that the policy judges them as if they had been asked for by name.
 */
import type { Effect, FileReader, Search } from "../../contract/index.ts";

const pattern =
  "**/{.env,.env.*,*.env,*.pem,*.key,*.p12,*.pfx,*.jks,*.keystore,*.kdbx,id_rsa*,id_dsa*,id_ecdsa*,id_ed25519*,.npmrc,.pypirc,.netrc,.pgpass,.git-credentials,credentials,credentials.*,secrets.*}";
const maxNamed = 20;
const deadlineMs = 2_000;

export async function withSecretsWithin(
  effects: readonly Effect[],
  { search, files, signal }: { readonly search: Search; readonly files: Pick<FileReader, "resolve">; readonly signal: AbortSignal },
): Promise<Effect[]> {
  const trees = new Set<string>();
  for (const effect of effects) {
    if (effect.kind === "read" && effect.tree === true && effect.path.kind === "directory") trees.add(effect.path.real);
  }
  const found = await Promise.all([...trees].map((directory) => secretsIn(directory, { search, files, signal })));
  return [...effects, ...found.flat()];
}

async function secretsIn(
  directory: string,
  { search, files, signal }: { readonly search: Search; readonly files: Pick<FileReader, "resolve">; readonly signal: AbortSignal },
): Promise<Effect[]> {
  try {
    const { hits, partial } = await search.find({ directory, pattern, includeIgnored: true, limit: maxNamed, signal, deadlineMs });
    const reads = await Promise.all(
      hits.map(async ({ path }): Promise<Effect> => ({ kind: "read", path: await files.resolve(`${directory}/${path}`) })),
    );
    return partial ? [...reads, { kind: "unknown", reason: `${directory} is too large to say what secrets it holds` }] : reads;
  } catch {
    return [{ kind: "unknown", reason: `${directory} cannot be searched for secrets` }];
  }
}
