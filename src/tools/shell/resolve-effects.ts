/** Turns the effects of a command, whose paths are as spelled, into effects with resolved paths. */
import type { Effect, FileReader, ReadEffect } from "../../contract/index.ts";
import type { DraftEffect, DraftReadEffect } from "../../shell/index.ts";
import { trackedSecrets } from "./tracked-secrets.ts";

/** A read of which it is still open whether names below it are what they seem. */
export type ResolvedRead = ReadEffect & Pick<DraftReadEffect, "cut" | "opens" | "through">;
export type ResolvedEffect = Exclude<Effect, ReadEffect> | ResolvedRead;

export async function resolveEffects(
  drafts: readonly DraftEffect[],
  files: Pick<FileReader, "resolve" | "stat" | "readAll">,
): Promise<ResolvedEffect[]> {
  const known = new Map<string, ReturnType<FileReader["resolve"]>>();
  const resolve = (path: string) => {
    const facts = known.get(path) ?? files.resolve(path);
    known.set(path, facts);
    return facts;
  };
  const resolved = await Promise.all(
    drafts.map(async (draft): Promise<ResolvedEffect | readonly ResolvedEffect[]> => {
      if (draft.kind !== "read" && draft.kind !== "write") return draft;
      const path = await resolve(draft.path);
      if (draft.guessed === true && path.kind === "absent") return [];
      if (draft.kind === "write") {
        const { guessed: _guessed, ...write } = draft;
        return { ...write, path };
      }
      const { tracked, guessed: _guessed, ...read } = draft;
      const effect: ResolvedRead = { ...read, path };
      return tracked === undefined ? effect : [effect, ...(await trackedSecrets(path.real, tracked, files))];
    }),
  );
  return resolved.flat();
}
