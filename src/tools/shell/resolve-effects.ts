/** Turns the effects of a command, whose paths are as spelled, into effects with resolved paths. */
import type { Effect, FileReader } from "../../contract/index.ts";
import type { DraftEffect } from "../../shell/index.ts";
import { trackedSecrets } from "./tracked-secrets.ts";

export async function resolveEffects(
  drafts: readonly DraftEffect[],
  files: Pick<FileReader, "resolve" | "stat" | "readAll">,
): Promise<Effect[]> {
  const known = new Map<string, ReturnType<FileReader["resolve"]>>();
  const resolve = (path: string) => {
    const facts = known.get(path) ?? files.resolve(path);
    known.set(path, facts);
    return facts;
  };
  const resolved = await Promise.all(
    drafts.map(async (draft): Promise<Effect | readonly Effect[]> => {
      if (draft.kind === "write") return { ...draft, path: await resolve(draft.path) };
      if (draft.kind !== "read") return draft;
      const { tracked, ...read } = draft;
      const path = await resolve(draft.path);
      const effect: Effect = { ...read, path };
      return tracked === undefined ? effect : [effect, ...(await trackedSecrets(path.real, tracked, files))];
    }),
  );
  return resolved.flat();
}
