import { expect, it } from "vitest";
import { aCall, aSession, aStart, aStore, temporaryHome } from "./store.fixture.ts";

it("the first image of a path before counts, but one of the time alone gives way; and the last one after it", async () => {
  const store = await aStore(await temporaryHome());
  const { id } = await aSession(store);
  const time = (mtimeNs: string) => ({ kind: "time", mtimeNs, directory: true }) as const;
  const directory = { kind: "directory", mode: 0o755, mtimeNs: "1" } as const;
  const paths = { planned: "/w/planned", around: "/w", found: "/w/found" };
  await store.startCall(
    aStart(aCall(id, "c"), {
      journal: [
        { path: paths.planned, before: { kind: "absent" } },
        { path: paths.around, before: time("1") },
      ],
    }),
  );
  await store.appendJournal("c", [
    { path: paths.planned, before: directory },
    { path: paths.around, before: time("2"), after: time("3") },
    { path: paths.found, before: time("1"), after: time("4") },
  ]);
  await store.appendJournal("c", [{ path: paths.found, before: directory }]);
  expect(await store.journal("c")).toEqual([
    { path: paths.planned, before: { kind: "absent" } },
    { path: paths.around, before: time("1"), after: time("3") },
    { path: paths.found, before: directory, after: time("4") },
  ]);
});

it("a long journal comes in parts, whole and in either order", async () => {
  const store = await aStore(await temporaryHome());
  const { id } = await aSession(store);
  // Names against the order of the journal, so that neither can stand for the other.
  const entries = Array.from({ length: 1203 }, (_, index) => ({
    path: `/w/${String(5000 - index)}`,
    before: { kind: "absent" } as const,
    after: { kind: "directory", mode: index, mtimeNs: "1" } as const,
  }));
  await store.startCall(aStart(aCall(id, "c"), { journal: [] }));
  await store.appendJournal("c", entries.slice(0, 700));
  await store.appendJournal("c", entries.slice(700));
  const parts = async (order: "forwards" | "backwards") => {
    const found = [];
    for await (const part of store.journalParts("c", order)) found.push(part);
    return found;
  };
  const forwards = await parts("forwards");
  expect([forwards.length > 1, forwards.flat()]).toEqual([true, entries]);
  expect((await parts("backwards")).flat()).toEqual(entries.toReversed());
  expect(await store.journalPaths("c")).toEqual(entries.map(({ path }) => path));
});
