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
