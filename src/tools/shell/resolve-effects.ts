/** Turns the effects of a command, whose paths are as spelled, into effects with resolved paths. */
import type { Effect, FileReader } from "../../contract/index.ts";
import type { DraftEffect } from "../../shell/index.ts";

export async function resolveEffects(drafts: readonly DraftEffect[], files: Pick<FileReader, "resolve">): Promise<Effect[]> {
  const known = new Map<string, ReturnType<FileReader["resolve"]>>();
  const resolve = (path: string) => {
    const facts = known.get(path) ?? files.resolve(path);
    known.set(path, facts);
    return facts;
  };
  return Promise.all(
    drafts.map(async (draft): Promise<Effect> => {
      if (draft.kind === "read" || draft.kind === "write") return { ...draft, path: await resolve(draft.path) };
      return draft;
    }),
  );
}
