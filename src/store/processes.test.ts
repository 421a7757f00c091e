import { readdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startChild } from "./child.fixture.ts";
import { aCall, anApproval, aSession, aSettlement, aStore, full, isRunning, long, temporaryHome, usedHome } from "./store.fixture.ts";

test("two processes that append to one session number its events without a gap", long, async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  const { id } = await aSession(store);
  const rounds = full ? 2000 : 150;
  const children = [startChild("append", directory, String(rounds)), startChild("append", directory, String(rounds))];
  for (const child of children) expect(await child.next()).toBe("ready");
  for (const child of children) child.process.stdin?.write("go\n");
  expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0]);
  const events = await store.readEvents(id, 0, 100_000);
  expect(events.map((event) => event.seq)).toEqual(Array.from({ length: rounds * 4 }, (_, n) => n + 1));
  for (const child of children) {
    const own = events.filter((event) => event.type === "text" && event.body.text === `${child.process.pid}`).map((event) => event.seq);
    expect(child.lines.slice(1).flatMap((line) => line.split(" ").map(Number))).toEqual(own);
  }
});

test("no two processes hold the lock on one path at once", long, async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  const { id } = await aSession(store);
  const rounds = full ? 300 : 25;
  const children = ["one", "two"].map((name) => startChild("lock", directory, String(rounds), name));
  for (const child of children) expect(await child.next()).toBe("ready");
  for (const child of children) child.process.stdin?.write("go\n");
  expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0]);
  const events = await store.readEvents(id, 0, 100_000);
  expect(events).toHaveLength(rounds * 4);
  for (let n = 0; n < events.length; n += 2) {
    const [enter, leave] = events.slice(n, n + 2).map((event) => (event.type === "text" ? event.body.text.split(" ") : []));
    expect([enter?.[0], leave]).toEqual(["enter", ["leave", enter?.[1]]]);
  }
});

test("of two answers from two processes the first wins, and the waiter hears of it", async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  const { id: sessionId } = await aSession(store);
  await store.requestApproval(anApproval(aCall(sessionId, "c1"), "a1"));
  const children = ["once", "deny"].map((answer) => startChild("answer", directory, "a1", answer));
  for (const child of children) expect(await child.next()).toBe("ready");
  const waiting = (async () => {
    for (;;) {
      const changed = store.changed(AbortSignal.timeout(20_000));
      const approval = await store.approval("a1");
      if (approval?.status !== "pending") return approval;
      await changed;
    }
  })();
  for (const child of children) child.process.stdin?.write("go\n");
  const heard = await waiting;
  const said = await Promise.all(children.map((child) => child.next()));
  expect([...said].sort()).toEqual(["lost", `won ${heard?.status}`]);
  expect(heard?.status).toBe(heard?.answeredBy === "once" ? "granted" : "refused");
  expect(await store.approval("a1")).toEqual(heard);
});

test("a killed process's locks fall and its running call is adopted by exactly one other", async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory, { isAlive: isRunning });
  const holder = startChild("hold", directory, "c1");
  const ownerId = (await holder.next()).replace("holding ", "");
  expect(await store.acquireLocks("c2", ["/w/held"])).toMatchObject({ path: "/w/held", callId: "c1", ownerId });
  expect(await store.adoptOrphans()).toEqual([]);
  holder.process.kill("SIGKILL");
  expect(await holder.ended).toBe("SIGKILL");
  expect(await store.acquireLocks("c2", ["/w/held"])).toBeUndefined();

  const rivals = [startChild("adopt", directory), startChild("adopt", directory)];
  for (const rival of rivals) expect(await rival.next()).toBe("ready");
  for (const rival of rivals) rival.process.stdin?.write("go\n");
  const adopted = await Promise.all(rivals.map((rival) => rival.next()));
  expect([...adopted].sort()).toEqual(["adopted ", "adopted c1"]);
  for (const rival of rivals) rival.process.stdin?.write("end\n");
  // The adopter ended without settling it: it is an orphan again.
  await Promise.all(rivals.map((rival) => rival.ended));
  const [orphan] = await store.adoptOrphans();
  expect(orphan).toMatchObject({ id: "c1", phase: "running", ownerId: store.owner.id });
  expect(await store.journal("c1")).toEqual([{ path: "/w/c1", before: { kind: "absent" } }]);
  await store.settleCall(aSettlement(orphan?.sessionId ?? "", "c1", { status: "failed" }));
  expect(await store.adoptOrphans()).toEqual([]);
});

test("nothing acknowledged is lost when a process is killed at any instant", long, async () => {
  const directory = await temporaryHome();
  const kills = full ? 40 : 4;
  const acknowledged: string[] = [];
  for (let round = 0; round < kills; round += 1) {
    const child = startChild("storm", directory);
    expect(await child.next()).toBe("ready");
    const upTo = 5 + Math.floor(Math.random() * 300);
    for (let n = 0; n < upTo; n += 1) await child.next();
    child.process.kill("SIGKILL");
    expect(await child.ended).toBe("SIGKILL");
    acknowledged.push(...child.lines.slice(1));
  }
  const store = await aStore(directory, { isAlive: isRunning, onDamage: (message) => expect.unreachable(message) });
  const calls = new Map((await store.listCalls({})).map((call) => [call.id, call]));
  for (const line of acknowledged) {
    const [step, id = ""] = line.split(" ");
    const call = calls.get(id);
    expect(call, line).toBeDefined();
    if (step === "settled") expect(call, line).toMatchObject({ phase: "settled", status: "success", result: { callId: id } });
  }
  // A step is there whole or not at all.
  const { id: sessionId } = await aSession(store);
  const events = await store.readEvents(sessionId, 0, 1_000_000);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const settled = [...calls.values()].filter((call) => call.phase === "settled").map((call) => call.id);
  expect(new Set(events.filter((event) => event.type === "tool_call").map((event) => event.callId))).toEqual(new Set(calls.keys()));
  expect(new Set(events.filter((event) => event.type === "tool_result").map((event) => event.callId))).toEqual(new Set(settled));
  expect(await store.verifyAudit()).not.toHaveProperty("brokenAt");
  const orphans = await store.adoptOrphans();
  expect(orphans.map((call) => call.id).sort()).toEqual([...calls.keys()].filter((id) => !settled.includes(id)).sort());
  expect(orphans.length).toBeLessThanOrEqual(kills);
});

test("two processes that open a new home at the same time both succeed and share it", async () => {
  const directory = await temporaryHome();
  const children = [startChild("open", directory), startChild("open", directory), startChild("open", directory)];
  for (const child of children) expect(await child.next()).toBe("ready");
  for (const child of children) child.process.stdin?.write("go\n");
  const sessions = await Promise.all(children.map((child) => child.next()));
  expect(sessions[0]).toMatch(/^session /);
  expect(new Set(sessions).size).toBe(1);
  for (const child of children) child.process.stdin?.write("end\n");
  expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0]);
});

test("a damaged file that another process has open is not moved", async () => {
  const { directory, file } = await usedHome();
  const holder = startChild("open", directory);
  await holder.next();
  holder.process.stdin?.write("go\n");
  await holder.next();
  writeFileSync(`${file}.suspect`, "");
  await expect(aStore(directory)).rejects.toMatchObject({ code: "tool_error", details: { reason: "store_damaged" } });
  expect(readdirSync(directory).filter((name) => name.includes("damaged"))).toEqual([]);
  holder.process.stdin?.write("end\n");
  expect(await holder.ended).toBe(0);
  await aStore(directory);
});

test("processes that meet the same damage at once move it once and share the new file", async () => {
  const { directory, file } = await usedHome();
  writeFileSync(file, "garbage");
  const children = [startChild("open", directory), startChild("open", directory), startChild("open", directory)];
  for (const child of children) await child.next();
  for (const child of children) child.process.stdin?.write("go\n");
  const sessionOf = async (child: (typeof children)[number]): Promise<string> => {
    for (;;) {
      const line = await child.next();
      if (line.startsWith("session ")) return line;
    }
  };
  const sessions = await Promise.all(children.map(sessionOf));
  expect(new Set(sessions).size).toBe(1);
  expect(readdirSync(directory).filter((name) => /damaged-\d+$/.test(name))).toHaveLength(1);
  expect(children.flatMap((child) => child.lines).filter((line) => line.startsWith("damage "))).toHaveLength(1);
  for (const child of children) child.process.stdin?.write("end\n");
  await Promise.all(children.map((child) => child.ended));
});

test("a change by another process wakes a waiter that armed itself before it looked", async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  const { id } = await aSession(store);
  const child = startChild("append", directory, "1");
  expect(await child.next()).toBe("ready");
  const changed = store.changed(AbortSignal.timeout(20_000));
  expect(await store.readEvents(id, 0, 10)).toEqual([]);
  child.process.stdin?.write("go\n");
  await changed;
  expect(await store.readEvents(id, 0, 10)).toHaveLength(2);
  await child.ended;
});

test("a process that ends without closing still gets down what waited", async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  expect(await startChild("leave", directory, "c9").ended).toBe(0);
  expect(await store.call("c9")).toMatchObject({ phase: "running", tool: "Write" });
});
