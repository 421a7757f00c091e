/**
 * Paths as the store keeps them: the value of a secure variable in a path is written down by its name, and is there
 * again in what the store hands out. A path that could not be given back exactly (a coded form of a value in it) stays
 * as it is, for undo must never restore to another place.
 */
import { type JournalEntry, type Masker, placeholderPattern, type SessionPatch, type Store } from "../contract/index.ts";

interface Secret {
  readonly name: string;
  readonly value: string;
}

export function hidingPaths(store: Store, masker: Masker, secrets: () => readonly Secret[]): Store {
  const open = (kept: string): string => {
    if (!kept.includes("$KARYI{")) return kept;
    const values = new Map(secrets().map(({ name, value }) => [name, value]));
    return kept.replaceAll(placeholderPattern, (text, literal: string, name: string) =>
      literal === "" ? (values.get(name) ?? text) : text.slice(1),
    );
  };
  const hide = (path: string): string => {
    if (secrets().length === 0 && !path.includes("$KARYI{")) return path;
    // A placeholder that is meant as text must not come back as a value.
    const kept = masker.mask(path.replaceAll(placeholderPattern, "$$$&"));
    return open(kept) === path ? kept : path;
  };
  const hidden = (entries: readonly JournalEntry[]) => entries.map((entry) => ({ ...entry, path: hide(entry.path) }));
  const hiddenPatch = (patch: SessionPatch): SessionPatch =>
    patch.seen === undefined
      ? patch
      : { ...patch, seen: Object.fromEntries(Object.entries(patch.seen).map(([path, fingerprint]) => [hide(path), fingerprint])) };

  return {
    ...store,
    startCall: (start) => store.startCall(start.journal.length === 0 ? start : { ...start, journal: hidden(start.journal) }),
    settleCall: (settlement) =>
      store.settleCall({
        ...settlement,
        ...(settlement.after === undefined ? {} : { after: settlement.after.map((image) => ({ ...image, path: hide(image.path) })) }),
        ...(settlement.patch === undefined ? {} : { patch: hiddenPatch(settlement.patch) }),
      }),
    appendJournal: (callId, entries) => store.appendJournal(callId, hidden(entries)),
    journal: async (callId) => (await store.journal(callId)).map((entry) => ({ ...entry, path: open(entry.path) })),
    async *journalParts(callId, order) {
      for await (const part of store.journalParts(callId, order)) yield part.map((entry) => ({ ...entry, path: open(entry.path) }));
    },
    journalPaths: async (callId) => (await store.journalPaths(callId)).map(open),
    acquireLocks: (callId, paths, steal) => store.acquireLocks(callId, paths.map(hide), steal),
    patchSession: (id, patch) => store.patchSession(id, hiddenPatch(patch)),
    seenFiles: async (sessionId) => new Map([...(await store.seenFiles(sessionId))].map(([path, seen]) => [open(path), seen])),
  };
}
