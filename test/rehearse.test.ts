/** Rehearse, then ask (B9): a command that nobody can read through runs where nothing counts, and is asked about with its result. */
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import type { ApprovalCard, ApprovalReply, EngineOptions, JsonObject, KaryiEvent, Result } from "../src/index.ts";
import { testEngine, treeOf } from "./support/engine.ts";

const [tier] = await capturingHere();
const skipped = tier === undefined ? " (skipped: no overlay here)" : "";

const nothing = { exit_code: 0, change_set: null, changes_total: 0, network_attempts: 0, withheld: [], dropped: [] };
const anId = expect.stringMatching(/^[0-9a-f]{16}$/);

/** An engine whose person answers the same to every card. A script is something that nobody reads through. */
async function place(reply: ApprovalReply["answer"] | ApprovalReply | undefined, options: EngineOptions = {}) {
  const cards: ApprovalCard[] = [];
  const approve = async (card: ApprovalCard): Promise<ApprovalReply> => {
    cards.push(card);
    return typeof reply === "string" ? { answer: reply } : (reply ?? { answer: "deny" });
  };
  const { engine, workspace, home } = await testEngine({ ...(reply === undefined ? {} : { approve }), ...options });
  const events: KaryiEvent[] = [];
  engine.onEvent((event) => events.push(event));
  const session = await engine.openSession();
  await writeFile(join(workspace, "a.txt"), "one\n");
  const run = async (script: string, input: Record<string, unknown> = {}): Promise<Result> => {
    await writeFile(join(workspace, "s.sh"), script);
    return session.call("Bash", { command: ". ./s.sh", ...input });
  };
  const sets = async (): Promise<number> => {
    const names = await readdir(home, { recursive: true });
    return names.filter((name) => name.endsWith("change-set.json")).length;
  };
  return { engine, workspace, home, cards, events, session, run, sets, text: () => readFile(join(workspace, "a.txt"), "utf8") };
}

const rehearsedOf = ({ data }: Result) => (data as JsonObject | undefined)?.rehearsed;

describe.skipIf(tier === undefined)(`what becomes of a rehearsal${skipped}`, { timeout: 60_000 }, () => {
  test("nothing changed: its result is the result, and nobody is asked", async () => {
    const { session, cards, run, events, sets, workspace } = await place("deny");
    await mkdir(join(workspace, "sub"));
    const done = await run("echo out; echo err >&2; cd sub; export SEEN=yes");
    expect(done).toMatchObject({ status: "ok", undoable: false, data: { exit_code: 0, stdout: "out\n", stderr: "err\n", changes: [] } });
    expect(rehearsedOf(done)).toEqual(nothing);
    expect([cards, session.cwd, await sets()]).toEqual([[], join(workspace, "sub"), 0]);
    expect(events.map(({ type }) => type)).toEqual(["tool_call", "tool_progress", "tool_result"]);
    const failed = await session.call("Bash", { command: "bash -c 'echo $SEEN; exit 7' # make" });
    expect(failed).toMatchObject({
      status: "error",
      error: { details: { reason: "exit_nonzero", exit_code: 7 } },
      data: { stdout: "yes\n" },
    });
    expect(cards).toEqual([]);
  });

  test("files changed: the card shows exit code, output and exact diff, and yes commits that, without a second run", async () => {
    const { cards, run, events, text, session, sets } = await place("once");
    const done = await run('echo "ran $RANDOM$RANDOM" | tee -a a.txt; export LEFT=1; exit 4');
    expect(done).toMatchObject({ status: "error", undoable: true, error: { details: { exit_code: 4 } } });
    const rehearsal = { ...nothing, exit_code: 4, change_set: anId, changes_total: 1 };
    expect(rehearsedOf(done)).toEqual(rehearsal);
    const [card] = cards;
    expect([cards.length, card?.rehearsal, card?.canRehearse]).toEqual([1, rehearsal, undefined]);
    const printed = (done.data as { stdout: string }).stdout;
    expect(card?.output).toBe(printed);
    expect(await text()).toBe(`one\n${printed}`);
    expect(card?.changes).toMatchObject([{ change: "modified", diff: expect.stringContaining(`\n one\n+${printed}`) }]);
    const asked = events.filter(({ type }) => type === "permission_request");
    expect(asked.map(({ body }) => (body as JsonObject).rehearsal)).toEqual([rehearsal]);
    expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(1);
    expect(await sets()).toBe(0);
    expect((await session.call("Bash", { command: "bash -c 'echo $LEFT'" })).output).toBe("1\n");
    expect((await session.undo(done.callId)).status).toBe("ok");
    expect(await text()).toBe("one\n");
  });

  test("no drops it, and the model gets the person's words, not the output", async () => {
    const { run, workspace, sets, session } = await place({ answer: "deny", words: "use make" });
    await mkdir(join(workspace, "sub"));
    const before = await treeOf(workspace);
    const refused = await run("echo SECRETLY; echo two >> a.txt; cd sub");
    expect(refused).toMatchObject({ status: "denied", error: { details: { reason: "refused", words: "use make" } } });
    expect(JSON.stringify(refused)).not.toContain("SECRETLY");
    const { "s.sh": _, ...after } = await treeOf(workspace);
    expect(after).toEqual(before);
    expect([await sets(), session.cwd]).toEqual([0, workspace]);
  });

  test("only known caches changed: they are dropped, and that is said", async () => {
    const { run, workspace, cards, sets } = await place("deny");
    const done = await run("mkdir -p p/__pycache__ node_modules/.cache; echo x > p/__pycache__/m.pyc; echo y > node_modules/.cache/z");
    expect([done.status, cards.length]).toEqual(["denied", 1]);
    await mkdir(join(workspace, "p"));
    await mkdir(join(workspace, "node_modules"));
    const again = await run(
      "mkdir -p p/__pycache__ node_modules/.cache; echo x > p/__pycache__/m.pyc; echo y > node_modules/.cache/z; echo ok",
    );
    const dropped = ["node_modules/.cache", "p/__pycache__"].map((name) => join(workspace, name));
    expect(again).toMatchObject({ status: "ok", data: { stdout: "ok\n", changes: [], rehearsed: { ...nothing, dropped } } });
    expect(again.output).toContain("only caches changed, and were not kept");
    expect([cards.length, await sets(), await readdir(join(workspace, "p"))]).toEqual([1, 0, []]);
  });

  test("something was withheld and it failed: the card says what, and yes runs it for real", async () => {
    const { run, workspace, cards, text } = await place("once");
    await writeFile(join(workspace, ".env"), "A=1\n");
    const done = await run("echo began >> a.txt; cat .env >> a.txt || exit 3");
    const withheld = [{ kind: "file", name: join(workspace, ".env") }];
    expect(cards.map(({ rehearsal }) => rehearsal)).toEqual([{ ...nothing, exit_code: 3, changes_total: 1, withheld }]);
    expect(done).toMatchObject({ status: "ok", undoable: true });
    expect(await text()).toBe("one\nbegan\nA=1\n");
  });

  const counts = tier === "E0";
  test.skipIf(!counts)(
    `the network was wanted: counted, and offered only if it failed${counts ? "" : " (skipped: not counted here)"}`,
    async () => {
      const { run, cards } = await place("deny");
      const connect = "(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null";
      expect((await run(`${connect} || exit 5`)).status).toBe("denied");
      const rehearsal = { ...nothing, exit_code: 5, network_attempts: 1, withheld: [{ kind: "network" }] };
      expect(cards.map((card) => card.rehearsal)).toEqual([rehearsal]);
      const told = await run(`${connect}; echo offline is fine`);
      expect(rehearsedOf(told)).toEqual({ ...rehearsal, exit_code: 0 });
      expect(told.output).toBe("offline is fine\n[wanted the network 1 time(s), which it was not given]");
      expect(cards).toHaveLength(1);
    },
  );

  test("a file whose time alone would change is a change", async () => {
    const { run, cards } = await place("deny");
    expect((await run("touch -d 2001-01-01 a.txt")).status).toBe("denied");
    expect(cards.map(({ rehearsal }) => rehearsal?.changes_total)).toEqual([1]);
  });

  test("time limits hold, and what it had written is dropped", async () => {
    const { run, text, cards, sets } = await place("once");
    const ended = await run("echo two >> a.txt; sleep 60", { timeout: 1500 });
    expect(ended).toMatchObject({
      status: "error",
      error: { code: "timeout" },
      data: { rehearsed: { changes_total: 1, change_set: null } },
    });
    expect([await text(), cards, await sets()]).toEqual(["one\n", [], 0]);
  });

  test("a layer over its limit ends the rehearsal", async () => {
    const { run, workspace } = await place("once", { config: { sandbox: { maxLayerBytes: 1 << 20 } } });
    const ended = await run("echo begun; dd if=/dev/zero of=big bs=1M count=4 2>/dev/null; sleep 60");
    expect(ended).toMatchObject({ status: "error", error: { details: { reason: "layer_full", max_bytes: 1 << 20 } } });
    expect(ended.output).toContain("begun");
    expect((await readdir(workspace)).sort()).toEqual(["a.txt", "s.sh"]);
  });

  test("a rule forbids what it turned out to change: nothing is asked, and what it printed is told", async () => {
    const { run, cards, text, sets } = await place("once", { config: { permissions: { deny: ["Edit(a.txt)"] } } });
    const refused = await run("echo printed; echo two >> a.txt");
    expect(refused).toMatchObject({ status: "error", error: { code: "tool_forbidden_path" } });
    expect(refused.output).toContain("printed");
    expect([cards, await text(), await sets()]).toEqual([[], "one\n", 0]);
  });

  test("cancelled while it runs, it ends and nothing is left", async () => {
    const { session, workspace, text, sets } = await place("once");
    await writeFile(join(workspace, "s.sh"), "echo two >> a.txt; echo started; sleep 60");
    const stop = new AbortController();
    const seen: string[] = [];
    const onProgress = (piece: string) => {
      seen.push(piece);
      stop.abort();
    };
    const ended = await session.call("Bash", { command: "bash s.sh" }, { signal: stop.signal, onProgress });
    expect([ended.status, seen.join("")]).toEqual(["cancelled", "started\n"]);
    expect([await text(), await sets()]).toEqual(["one\n", 0]);
  });
});

describe.skipIf(tier === undefined)(`when nothing is rehearsed, or nobody is asked${skipped}`, { timeout: 60_000 }, () => {
  const script = "echo ran; echo two >> a.txt";
  const isRehearsed = (result: Result): boolean => rehearsedOf(result) !== undefined;

  test("where the answer is there already it runs captured at once", async () => {
    const yes = await place(undefined, { approve: "once" });
    const allowed = await place("deny", { config: { permissions: { allow: ["Bash(. ./s.sh)", "Edit"] } } });
    const hooked = await place("deny", { hooks: [{ event: "before", run: () => ({ decision: "allow" }) }] });
    const unattended = await place("deny", { mode: "auto" });
    for (const { run, text, cards } of [yes, allowed, hooked, unattended]) {
      const done = await run(script);
      expect([done.status, isRehearsed(done), await text(), cards]).toEqual(["ok", false, "one\ntwo\n", []]);
    }
  });

  test("where asking is demanded it asks before", async () => {
    const ruled = await place("deny", { config: { permissions: { ask: ["Bash(. ./s.sh)"] } } });
    const hooked = await place("deny", { hooks: [{ event: "before", run: () => ({ decision: "ask" }) }] });
    const configured = await place("deny", { config: { commands: "ask" } });
    for (const { run, cards } of [ruled, hooked, configured]) {
      expect((await run(script)).status).toBe("denied");
      expect(cards.map(({ rehearsal }) => rehearsal)).toEqual([undefined]);
    }
    const { session, cards, workspace } = await place("deny");
    await writeFile(join(workspace, "s.sh"), script);
    const calls = [
      { input: { command: ". ./s.sh", run_in_background: true } },
      { input: { command: ". ./s.sh; cat /srv/x" } },
      { input: { command: ". ./s.sh; cat .env" } },
      { input: { command: ". ./s.sh; curl https://example.com/" } },
      { input: { command: ". ./s.sh" }, repaired: ["a quote was missing"] },
      { input: { command: ". ./s.sh" }, cutOff: true },
    ];
    for (const call of calls) expect((await session.begin({ name: "Bash", ...call })).status).toBe("denied");
    expect(cards.map(({ rehearsal }) => rehearsal)).toEqual(calls.map(() => undefined));
  });

  test("with nobody to ask, or the answer no, what it would have changed is told and dropped", async () => {
    const nobody = await place(undefined, { approvals: "nobody", approve: undefined as never });
    const no = await place(undefined, { approve: "deny" });
    for (const [{ run, text, sets, workspace }, reason] of [
      [nobody, "nobody_to_ask"],
      [no, "refused"],
    ] as const) {
      const denied = await run(script);
      expect(denied).toMatchObject({
        status: "denied",
        error: { details: { reason } },
        data: { rehearsed: { ...nothing, changes_total: 1 }, changes: [{ path: join(workspace, "a.txt"), change: "modified" }] },
      });
      expect(denied.output).toContain("It would change 1 file(s):\n  ~ a.txt");
      expect([await text(), await sets()]).toEqual(["one\n", 0]);
      expect((await run("echo fine")).output).toBe("fine\n");
    }
  });

  test("in plan every change is dropped and told, whatever rules, hooks and answers say", async () => {
    const options: EngineOptions = {
      mode: "plan",
      approve: "once",
      config: { permissions: { allow: ["Bash", "Edit"] } },
      hooks: [{ event: "before", run: () => ({ decision: "allow" }) }],
    };
    const { run, text, sets, session, workspace } = await place(undefined, options);
    await mkdir(join(workspace, "sub"));
    const planned = await run(`${script}; cd sub`);
    expect(planned).toMatchObject({ status: "planned", undoable: false, data: { rehearsed: { ...nothing, changes_total: 1 } } });
    expect(planned.output).toContain("+two");
    expect([await text(), await sets(), session.cwd]).toEqual(["one\n", 0, workspace]);
    expect(await run("echo tested")).toMatchObject({ status: "ok", output: "tested\n" });
    expect((await session.call("Bash", { command: "mkdir new" })).status).toBe("planned");
    expect((await session.call("Write", { file_path: "w", content: "" })).status).toBe("denied");
  });
});

describe.skipIf(tier === undefined)(`a rehearsal that waits for its answer${skipped}`, { timeout: 60_000 }, () => {
  const suspend = async () => {
    const here = await place(undefined, { approvals: "record", approve: undefined as never });
    const waiting = await here.run("echo printed; echo two >> a.txt; mkdir made; cd made; export LEFT=2");
    expect(waiting).toMatchObject({ status: "suspended" });
    return { ...here, waiting, id: waiting.approvalId ?? "" };
  };

  test("is kept for days, and another process commits it", async () => {
    const { waiting, id, engine, workspace, home, sets, text } = await suspend();
    expect(waiting).toMatchObject({ status: "suspended", data: { rehearsed: { exit_code: 0, change_set: anId, changes_total: 2 } } });
    expect(JSON.stringify(waiting)).not.toContain("printed");
    expect(await engine.collectGarbage({ olderThanDays: 0 })).toMatchObject({ changeSets: 0 });
    await engine.close();
    await writeFile(join(workspace, "s.sh"), "echo a second run >> a.txt");
    const { engine: other } = await testEngine({ workspace, home, approvals: "record", approve: undefined as never });
    const [record] = await other.approvals("pending");
    expect(record?.card.rehearsal).toEqual((waiting.data as JsonObject).rehearsed);
    await other.answer(id, { answer: "once" });
    const done = await other.resume(id);
    expect(done).toMatchObject({ status: "ok", output: "printed\n", undoable: true, data: { rehearsed: record?.card.rehearsal } });
    expect([await text(), await sets()]).toEqual(["one\ntwo\n", 0]);
    const session = await other.openSession();
    expect(session.cwd).toBe(join(workspace, "made"));
    expect((await session.call("Bash", { command: "bash -c 'echo $LEFT'" })).output).toBe("2\n");
  });

  test("always stores its rule, commits what was shown, and what it allows later gets no network", async () => {
    const { id, engine, text, run, workspace, session } = await suspend();
    await engine.answer(id, { answer: "always" });
    expect(await engine.resume(id)).toMatchObject({ status: "ok" });
    expect(await text()).toBe("one\ntwo\n");
    const kept = JSON.parse(await readFile(join(engine.places.home, "projects.json"), "utf8"))[workspace] as JsonObject;
    expect(kept.allow).toEqual(["Bash(. ./s.sh)"]);
    expect(kept.offline).toEqual(["Bash(. ./s.sh)"]);
    const interfaces = "cat /proc/net/dev | grep -c : ";
    expect((await session.call("Bash", { command: "cd .." })).status).toBe("ok");
    const offline = await run(interfaces);
    expect([offline.status, rehearsedOf(offline)]).toEqual(["ok", undefined]);
    expect(offline.output).toBe("1\n");
  });

  test("a workspace that moved meanwhile makes it stale, never half applied, and what it printed is told", async () => {
    const { id, engine, workspace, sets } = await suspend();
    await appendFile(join(workspace, "a.txt"), "theirs\n");
    const before = await treeOf(workspace);
    await engine.answer(id, { answer: "once" });
    const stale = await engine.resume(id);
    expect(stale).toMatchObject({ status: "error", error: { code: "tool_conflict", details: { reason: "workspace_changed" } } });
    expect(stale.output).toContain("printed");
    expect([await treeOf(workspace), await sets()]).toEqual([before, 0]);
  });

  test("refused elsewhere it is dropped", async () => {
    const { id, engine, sets, text } = await suspend();
    await engine.answer(id, { answer: "deny", words: "no" });
    expect(await engine.resume(id)).toMatchObject({ status: "denied", error: { details: { words: "no" } } });
    expect([await text(), await sets()]).toEqual(["one\n", 0]);
  });
});
