/**
 * Writes a planned set of files, all or nothing: when one fails, those already written get their old bytes back.
 * What could not be given back is named, never passed over.
 */
import type { Fingerprint, RunContext } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import type { PlannedWrite } from "./write-set.ts";

export type CommitContext = Pick<RunContext<"files">, "files" | "seen">;

interface Written {
  readonly write: PlannedWrite;
  /** `null`: removed. */
  readonly now: Fingerprint | null;
}

export async function commitWrites(writes: readonly PlannedWrite[], context: CommitContext): Promise<void> {
  const written: Written[] = [];
  const modes = new Map<PlannedWrite, number>();
  try {
    for (const write of writes) {
      if (write.after === null) await keepMode(write, modes, context);
      written.push({ write, now: await commitOne(write, context) });
    }
  } catch (error) {
    throw written.length === 0 ? error : await takeBack(written, modes, error, context);
  }
  for (const { write, now } of written) {
    if (now === null) context.seen.forget(write.facts.real);
    else context.seen.remember(write.facts.real, now);
  }
}

async function commitOne({ facts, after, expect, mode }: PlannedWrite, { files }: CommitContext): Promise<Fingerprint | null> {
  if (after !== null) return files.replace(facts, after, { expect, ...(mode === undefined ? {} : { mode }) });
  // A path that is absent before and after is no write.
  if (expect !== null) await files.remove(facts, expect);
  return null;
}

/** The permission bits of a file that is about to go, should it have to come back. */
async function keepMode(write: PlannedWrite, modes: Map<PlannedWrite, number>, { files }: CommitContext): Promise<void> {
  const stat = await files.stat(write.facts.real);
  if (stat !== undefined) modes.set(write, stat.mode & 0o7777);
}

async function takeBack(
  written: readonly Written[],
  modes: ReadonlyMap<PlannedWrite, number>,
  cause: unknown,
  context: CommitContext,
): Promise<ToolFailure> {
  const restored: string[] = [];
  const notRestored: string[] = [];
  for (const one of written.toReversed()) {
    const path = one.write.facts.asked;
    try {
      await restore(one, modes.get(one.write), context);
      restored.push(path);
    } catch {
      notRestored.push(path);
    }
  }
  const failure = cause instanceof ToolFailure ? cause : new ToolFailure("tool_error", "A file could not be written", { cause });
  const outcome =
    notRestored.length === 0
      ? `Nothing was changed: ${restored.join(", ")} had been written and got the old content back.`
      : `Could not be given back their old content: ${notRestored.join(", ")}. Undo this call to restore them.`;
  return new ToolFailure(failure.code, `${failure.message}. ${outcome}`, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    details: { ...failure.details, restored, not_restored: notRestored },
    cause,
  });
}

async function restore({ write, now }: Written, mode: number | undefined, { files, seen }: CommitContext): Promise<void> {
  const { facts, before } = write;
  if (before === null) {
    // It did not exist when it was planned; now it does, and only as such can it be removed.
    if (now !== null) await files.remove(await files.resolve(facts.real), now);
    return;
  }
  const fingerprint = await files.replace(facts, before, { expect: now, ...(mode === undefined ? {} : { mode }) });
  if (seen.get(facts.real) !== undefined) seen.remember(facts.real, fingerprint);
}
