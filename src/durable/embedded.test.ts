import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Durable, type Json, OutcomeUnknown, type Owner, type RunFunction, type Store } from "../contract/index.ts";
import { openStore } from "../store/index.ts";
import { createEmbeddedDurable } from "./index.ts";

const opened: { readonly store: Store; readonly durable: Durable }[] = [];
const directories: string[] = [];
const dead = new Set<string>();

afterEach(async () => {
  for (const { store, durable } of opened.splice(0)) {
    // A dead process closes nothing.
    if (!dead.has(store.owner.id)) await durable.close();
    await store.close();
  }
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

async function home(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "karyi-durable-"));
  directories.push(directory);
  return directory;
}

/** A process of its own as far as the store can tell. */
async function process(directory: string, run: RunFunction) {
  const owner: Owner = { id: randomUUID(), pid: 1, startToken: randomUUID() };
  const store = await openStore({ directory, owner, isAlive: ({ id }) => !dead.has(id) });
  const durable = createEmbeddedDurable({ store: { ...store.runs, changed: store.changed }, publish: () => {}, now: Date.now });
  durable.register("work", run);
  const { id: session } = await store.openSession({ owner: "local", channel: "test", externalId: "s" }, "/w", {
    cwd: "/w",
    env: {},
    activated: [],
    allowedRules: [],
  });
  opened.push({ store, durable });
  return {
    durable,
    session,
    die: () => dead.add(owner.id),
    start: (id: string, input: Json = null) => durable.start({ id, sessionId: session, name: "work", input }),
  };
}

const never = new Promise<never>(() => {});

it("a recorded step answers its output without running again after a crash", async () => {
  const directory = await home();
  let ran = 0;
  const first = await process(directory, async (context) => {
    await context.step("one", "idempotent", async () => ++ran);
    await context.step("two", "idempotent", () => never);
    return { outcome: null, events: [] };
  });
  await first.start("run");
  await until(async () => (await first.durable.steps(first.session)).length === 1);
  first.die();
  const second = await process(directory, async (context) => ({
    outcome: [await context.step("one", "idempotent", async () => ++ran), await context.step("two", "idempotent", async () => "b")],
    events: [],
  }));
  expect(await (await second.durable.resume("run"))?.done).toEqual([1, "b"]);
  expect(ran).toBe(1);
});

it("an unsafe step whose outcome nobody knows does not run again", async () => {
  const directory = await home();
  const first = await process(directory, async (context) => {
    await context.step("send", "unsafe", () => never);
    return { outcome: null, events: [] };
  });
  await first.start("run");
  await until(async () => (await first.durable.steps(first.session)).length === 1);
  first.die();
  const second = await process(directory, async (context) => {
    const outcome = await context.step("send", "unsafe", async () => "sent").catch((error) => error instanceof OutcomeUnknown);
    return { outcome, events: [] };
  });
  expect(await (await second.durable.resume("run"))?.done).toBe(true);
});

it("runs of one session go one at a time, first in, first out, over processes", async () => {
  const directory = await home();
  const order: string[] = [];
  let open = 0;
  const run: RunFunction = async (context) => {
    open += 1;
    expect(open).toBe(1);
    order.push(context.run.id);
    await new Promise(setImmediate);
    open -= 1;
    return { outcome: context.run.id, events: [] };
  };
  const [a, b] = [await process(directory, run), await process(directory, run)];
  const handles = [];
  for (const [index, place] of [a, b, a, b, b, a].entries()) handles.push(await place.start(`run-${index}`));
  await Promise.all(handles.map(({ done }) => done));
  expect(order).toEqual(["run-0", "run-1", "run-2", "run-3", "run-4", "run-5"]);
});

it("a run takes the place of one whose process is gone, which is closed first", async () => {
  const directory = await home();
  const first = await process(directory, () => never);
  await first.start("lost");
  await until(async () => (await first.durable.run("lost"))?.phase === "running");
  first.die();
  const second = await process(directory, async () => ({ outcome: "new", events: [] }));
  second.durable.onSuperseded(async (run) => ({ outcome: `closed ${run.id}`, events: [] }));
  expect(await (await second.start("next")).done).toBe("new");
  expect((await second.durable.run("lost"))?.outcome).toBe("closed lost");
});

it("a cancel asked for in another process aborts the run", async () => {
  const directory = await home();
  const first = await process(directory, async (context) => {
    await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
    return { outcome: "cancelled", events: [] };
  });
  const second = await process(directory, async () => ({ outcome: null, events: [] }));
  const { done } = await first.start("run");
  await until(async () => (await first.durable.run("run"))?.phase === "running");
  expect(await second.durable.cancel("run")).toBe(true);
  expect(await done).toBe("cancelled");
  expect(await second.durable.cancel("run")).toBe(false);
});

it("signals are kept once by key, taken once, and received after a restart", async () => {
  const directory = await home();
  const first = await process(directory, async (context) => {
    await context.receive("go", "go", { timeoutMs: 600_000 });
    return never;
  });
  await first.start("run");
  expect(await first.durable.signal("run", { topic: "note", key: "k", body: "a" })).toBe(true);
  await first.durable.signal("run", { topic: "note", key: "k", body: "again" });
  first.die();
  const second = await process(directory, async (context) => ({
    outcome: [
      await context.receive("go", "go", { timeoutMs: 600_000 }),
      await context.take("note", "n1"),
      await context.take("note", "n2"),
    ] as Json,
    events: [],
  }));
  await second.durable.signal("run", { topic: "go", key: "g", body: 1 });
  expect(await (await second.durable.resume("run"))?.done).toEqual([1, ["a"], []]);
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}
