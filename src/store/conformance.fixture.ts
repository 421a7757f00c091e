/**
 * What every store promises, subject by subject, over an opener: a second database passes this suite or is no store of Karyi.
 * Owns the promises that callers rely on; how a database keeps them, and what it costs, is tested beside it.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Store, StoreOpener, StoreOptions } from "../contract/index.ts";
import { aCall, anApproval, anEvent, anOwner, aSession, aSettlement, aStart, initialState, temporaryHome } from "./store.fixture.ts";

export function storeConforms(name: string, open: StoreOpener): void {
  const opened = async (directory: string, options: Partial<StoreOptions> = {}): Promise<Store> => {
    const store = await open({ directory, owner: anOwner(), isAlive: () => true, ...options });
    onTestFinished(() => store.close());
    return store;
  };
  const made = async (options?: Partial<StoreOptions>) => {
    const directory = await temporaryHome();
    const store = await opened(directory, options);
    return { directory, store, session: await aSession(store) };
  };

  describe(`${name}: sessions`, () => {
    test("the same key opens the same session; patches add up and are there for other stores", async () => {
      const { directory, store, session } = await made();
      expect((await aSession(store)).id).toBe(session.id);
      await store.patchSession(session.id, { state: { cwd: "/w/sub" }, env: { A: "1" } });
      const other = await opened(directory);
      await other.patchSession(session.id, { env: { B: "2" } });
      expect((await store.session(session.id))?.state).toEqual({ ...initialState, cwd: "/w/sub", env: { A: "1", B: "2" } });
      expect(await store.sessionByKey({ ...session.key, externalId: "another" })).toBeUndefined();
    });
  });

  describe(`${name}: calls`, () => {
    test("an id begins once; its result outlives the store; a dead owner's call is adopted by one", async () => {
      const { directory, store, session } = await made({ owner: anOwner("dies") });
      expect((await store.startCall(aStart(aCall(session.id, "one")))).kind).toBe("started");
      expect((await store.startCall(aStart(aCall(session.id, "one")))).kind).not.toBe("started");
      await store.settleCall(aSettlement(session.id, "one"));
      await store.startCall(aStart(aCall(session.id, "two"), { durable: true }));
      const isAlive = ({ id }: { id: string }) => id !== "dies";
      const [heir, late] = [await opened(directory, { isAlive }), await opened(directory, { isAlive })];
      expect((await heir.call("one"))?.result?.output).toBe("text");
      expect([await heir.adoptOrphans(), await late.adoptOrphans()].map((calls) => calls.map(({ id }) => id))).toEqual([["two"], []]);
    });
  });

  describe(`${name}: events`, () => {
    test("are numbered without gaps, whoever appends, and read in order after any of them", async () => {
      const { directory, store, session } = await made();
      const other = await opened(directory);
      await Promise.all([store, other, store, other].map((each, n) => each.appendEvents(session.id, [anEvent(n), anEvent(n)])));
      const all = await store.readEvents(session.id, 0, 100);
      expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await other.readEvents(session.id, 5, 2)).toEqual(all.slice(5, 7));
    });

    test("a commit of another store wakes whoever waits", async () => {
      const { directory, store, session } = await made();
      const other = await opened(directory);
      const version = store.othersVersion();
      const woken = store.changed(new AbortController().signal);
      await other.appendEvents(session.id, [anEvent(1)]);
      await woken;
      expect(store.othersVersion()).not.toBe(version);
    });
  });

  describe(`${name}: approvals`, () => {
    test("the first answer wins, and only under the nonce of the card; an old question expires", async () => {
      let time = 1000;
      const { directory, store, session } = await made({ now: () => time });
      await store.requestApproval(anApproval(aCall(session.id, "c"), "a", { expiresAt: 5000 }));
      const other = await opened(directory, { now: () => time });
      const answer = { id: "a", answer: "once", answeredBy: "test", now: 1000 } as const;
      expect(await other.answerApproval({ ...answer, nonce: "of another card" })).toBeUndefined();
      const answers = await Promise.all([store.answerApproval(answer), other.answerApproval({ ...answer, answer: "deny" })]);
      expect(answers.filter((record) => record !== undefined)).toHaveLength(1);
      await store.requestApproval(anApproval(aCall(session.id, "d"), "b", { expiresAt: 5000 }));
      time = 6000;
      expect([(await store.approval("b"))?.status, await store.listApprovals({ status: "pending" })]).toEqual(["expired", []]);
    });
  });

  describe(`${name}: locks`, () => {
    test("are taken all or none across stores, and fall with their owner, by pid or by lease", async () => {
      let time = 1000;
      const dead = new Set<string>();
      const options = { now: () => time, isAlive: ({ id }: { id: string }) => !dead.has(id) };
      const { directory, store } = await made({ ...options, owner: anOwner("pid") });
      const leased = await opened(directory, { ...options, owner: anOwner("lease"), leaseMs: 600_000 });
      const third = await opened(directory, { ...options, owner: anOwner("third") });
      await store.acquireLocks("c1", ["/w/a"]);
      await leased.acquireLocks("c2", ["/w/b"]);
      expect(await third.acquireLocks("c3", ["/w/c", "/w/a"])).toMatchObject({ path: "/w/a", ownerId: "pid" });
      dead.add("pid").add("lease");
      expect(await third.acquireLocks("c3", ["/w/a", "/w/b"])).toMatchObject({ path: "/w/b", ownerId: "lease" });
      time += 600_001;
      expect(await third.acquireLocks("c3", ["/w/a", "/w/b"])).toBeUndefined();
    });
  });

  describe(`${name}: outputs`, () => {
    test("are read in pages by their own session, and by no other", async () => {
      const { store, session } = await made();
      const writer = await store.createOutput(session.id);
      await writer.write("one ");
      await writer.write("two");
      expect(await writer.close()).toEqual({ total: 7, kept: 7 });
      const other = await aSession(store, "other");
      const pages = [await store.readOutput(session.id, writer.ref, 4, 3), await store.readOutput(other.id, writer.ref, 0, 3)];
      expect([pages[0]?.text, pages[1]]).toEqual(["two", undefined]);
    });
  });

  describe(`${name}: tasks and artifacts`, () => {
    test("tasks keep their order; a version that was not made from the latest is a conflict", async () => {
      const { store, session } = await made();
      const task = (id: string) => ({ id, kind: "todo", title: id, status: "pending", startedAt: 1, outputBytes: 0 }) as const;
      for (const id of ["t2", "t1"]) await store.saveTask(session.id, task(id));
      expect((await store.tasks(session.id)).map(({ id }) => id)).toEqual(["t2", "t1"]);
      const draft = { id: "plan", title: "Plan", contentType: "markdown", kind: "create", callId: randomUUID() } as const;
      await store.saveArtifact(session.id, { ...draft, content: "one", base: 0 });
      await store.saveArtifact(session.id, { ...draft, kind: "rewrite", content: "two", base: 1 });
      await expect(store.saveArtifact(session.id, { ...draft, content: "late", base: 1 })).rejects.toMatchObject({ code: "tool_conflict" });
      const contents = [await store.artifact(session.id, "plan"), await store.artifact(session.id, "plan", 1)];
      expect(contents.map((artifact) => artifact?.content)).toEqual(["two", "one"]);
    });
  });

  describe(`${name}: audit and upkeep`, () => {
    test("the chain holds, and what is old goes while the chain stays", async () => {
      let time = 1000;
      const { store, session } = await made({ now: () => time });
      await store.audit([{ sessionId: session.id, kind: "test", body: { n: 1 } }]);
      await store.startCall(aStart(aCall(session.id, "old")));
      await store.settleCall(aSettlement(session.id, "old"));
      time = 9000;
      const young = await aSession(store, "young");
      await store.startCall(aStart(aCall(young.id, "young", { startedAt: time })));
      await store.settleCall(aSettlement(young.id, "young"));
      const { rows, brokenAt } = await store.verifyAudit();
      expect([rows >= 1, brokenAt, await store.auditRows()]).toEqual([true, undefined, rows]);
      const request = { olderThan: 5000, maxOutputBytes: 1 << 20 };
      expect([(await store.gc({ ...request, dryRun: true })).calls, (await store.call("old"))?.id]).toEqual([1, "old"]);
      expect([(await store.gc({ ...request, dryRun: false })).calls, await store.call("old")]).toEqual([1, undefined]);
      expect([(await store.call("young"))?.id, (await store.verifyAudit()).brokenAt]).toEqual(["young", undefined]);
    });

    test("what was acknowledged is there when the store is opened again", async () => {
      const { directory, store, session } = await made();
      await store.appendEvents(session.id, [anEvent(1)]);
      await store.close();
      expect(await (await opened(directory)).readEvents(session.id, 0, 10)).toHaveLength(1);
    });
  });
}
