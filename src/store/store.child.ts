/**
 * A process of its own for the tests: `store.child.ts TASK DIRECTORY …`. Says a line only after the
 * promise it speaks of has resolved, and waits for a line where a task has two steps.
 */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { CallStart, Owner, Store } from "../contract/index.ts";
import { openStore } from "./sqlite-store.ts";

const [task = "", directory = "", ...parameters] = process.argv.slice(2);
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function isRunning({ pid }: Owner): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function open(): Promise<Store> {
  return openStore({
    directory,
    owner: { id: randomUUID(), pid: process.pid, startToken: "child" },
    isAlive: isRunning,
    onDamage: (message) => say(`damage ${message}`),
  });
}

async function session(store: Store): Promise<string> {
  const key = { owner: "me", channel: "test", externalId: "s" };
  return (await store.openSession(key, "/w", { cwd: "/w", env: {}, activated: [], allowedRules: [] })).id;
}

function start(sessionId: string, id: string, durable: boolean): CallStart {
  return {
    call: {
      id,
      sessionId,
      tool: "Write",
      input: { file_path: "a" },
      cwd: "/w",
      summary: "Write a",
      effects: [],
      ownerId: "",
      startedAt: Date.now(),
      request: null,
    },
    events: [{ type: "tool_call", callId: id, body: { tool: "Write", input: {}, summary: "x".repeat(200) } }],
    journal: durable ? [{ path: `/w/${id}`, before: { kind: "absent" } }] : [],
    durable,
  };
}

const tasks = {
  /** Start and settle pairs until killed. */
  async storm() {
    const store = await open();
    const sessionId = await session(store);
    say("ready");
    for (let n = 0; ; n += 1) {
      const id = randomUUID();
      const durable = n % 4 === 0;
      await store.startCall(start(sessionId, id, durable));
      say(`started ${id}`);
      await store.settleCall({
        callId: id,
        sessionId,
        status: "success",
        result: { callId: id, tool: "Write", status: "ok", output: "x".repeat(n % 6000), content: [], undoable: true, durationMs: 1 },
        events: [
          {
            type: "tool_result",
            callId: id,
            body: { tool: "Write", status: "ok", output: "", output_length: 0, undoable: true, duration_ms: 1 },
          },
        ],
        ...(durable ? { after: [{ path: `/w/${id}`, after: { kind: "directory", mode: 0o755 } }] } : {}),
        durable,
      });
      say(`settled ${id}`);
    }
  },

  async append() {
    const store = await open();
    const sessionId = await session(store);
    say("ready");
    await input.next();
    for (let n = 0; n < Number(parameters[0]); n += 1) {
      const events = await store.appendEvents(sessionId, [
        { type: "text", body: { text: `${process.pid}` } },
        { type: "text", body: { text: `${process.pid}` } },
      ]);
      say(events.map((event) => event.seq).join(" "));
    }
    await store.close();
  },

  /** Takes the lock, says so, gives it back, so that two at once would be seen in the order of the lines. */
  async lock() {
    const store = await open();
    const other = parameters[1] ?? "";
    say("ready");
    await input.next();
    for (let n = 0; n < Number(parameters[0]); ) {
      const id = randomUUID();
      const changed = store.changed(AbortSignal.timeout(20_000));
      if ((await store.acquireLocks(id, ["/w/shared", `/w/${other}`])) !== undefined) {
        await changed;
        continue;
      }
      await store.appendEvents(await session(store), [{ type: "text", body: { text: `enter ${process.pid}` } }]);
      await store.appendEvents(await session(store), [{ type: "text", body: { text: `leave ${process.pid}` } }]);
      await store.releaseLocks(id);
      n += 1;
    }
    await store.close();
    say("done");
  },

  /** Leaves a running call and a lock behind when it is killed. */
  async hold() {
    const store = await open();
    const sessionId = await session(store);
    const [id = ""] = parameters;
    await store.acquireLocks(id, ["/w/held"]);
    await store.startCall(start(sessionId, id, true));
    say(`holding ${store.owner.id}`);
    await input.next();
  },

  /** Ends at once, without closing, with a record that may wait. */
  async leave() {
    const store = await open();
    const sessionId = await session(store);
    const id = parameters[0] ?? "";
    void store.startCallSoon(id, () => start(sessionId, id, false));
    process.exit(0);
  },

  async answer() {
    const store = await open();
    const [id = "", answer = "once"] = parameters;
    say("ready");
    await input.next();
    const won = await store.answerApproval({ id, answer: answer === "deny" ? "deny" : "once", answeredBy: answer, now: Date.now() });
    say(won === undefined ? "lost" : `won ${won.status}`);
    await store.close();
  },

  async adopt() {
    const store = await open();
    say("ready");
    await input.next();
    say(`adopted ${(await store.adoptOrphans()).map((call) => call.id).join(" ")}`);
    await input.next();
    await store.close();
  },

  async open() {
    say("ready");
    await input.next();
    const store = await open();
    say(`session ${await session(store)}`);
    await input.next();
    await store.close();
  },
};

export type TaskName = keyof typeof tasks;

await tasks[task as TaskName]();
process.exit(0);
