/** How much of a rehearsal a card carries: cards are kept in the store and sent around. The change set itself is whole. */
import type { FileChange } from "../contract/index.ts";

const headCharacters = 12 * 1024;
const tailCharacters = 4 * 1024;
const maxChanges = 1_000;
const maxDiffCharacters = 512 * 1024;

/** Its beginning and its end. Masked before: a cut must not part a secret in two. */
export function boundText(text: string): string {
  const lost = text.length - headCharacters - tailCharacters;
  if (lost <= 0) return text;
  return `${text.slice(0, headCharacters)}\n… ${lost} characters left out …\n${text.slice(-tailCharacters)}`;
}

/** The first ones; and of their diffs as many as fit, each whole. */
export function boundChanges(changes: readonly FileChange[]): readonly FileChange[] {
  let room = maxDiffCharacters;
  return changes.slice(0, maxChanges).map((change) => {
    if (change.diff === undefined) return change;
    room -= change.diff.length;
    if (room >= 0) return change;
    const { diff: _, ...rest } = change;
    return rest;
  });
}
