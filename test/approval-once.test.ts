/** One approval, several who go on with its call: it runs once, and its result is what came of that. */
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createEngine, defineTool } from "../src/index.ts";
import { temporaryDirectory } from "./support/engine.ts";

/** A tool that asks, and runs until it is let go. */
function gated() {
  let ran = 0;
  let letGo = () => {};
  const go = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const tool = defineTool({
    name: "Slow",
    description: "Waits.",
    input: z.object({}),
    traits: { permission: "confirm" },
    run: async () => {
      ran += 1;
      begun();
      await go;
      return { output: `ran ${ran}` };
    },
  });
  return { tool, letGo: () => letGo(), running };
}

async function asked(engine: Awaited<ReturnType<typeof createEngine>>) {
  for (;;) {
    const changed = engine.changed(new AbortController().signal);
    const [pending] = await engine.approvals("pending");
    if (pending) return pending;
    await changed;
  }
}

it("a call that waits here and is resumed here has one life", async () => {
  const { tool, letGo, running } = gated();
  const engine = await createEngine({
    workspace: await temporaryDirectory(),
    home: await temporaryDirectory(),
    tools: [tool],
    approvals: "record",
  });
  onTestFinished(() => engine.close());
  const session = await engine.openSession();
  const waited = session.call("Slow", {}, { wait: true });
  const { id, callId } = await asked(engine);
  // By its id, as a resumed run and `resume` make it again.
  const again = () => session.begin({ id: callId, name: "Slow", input: {} }, { wait: true });
  const resumed = [again(), again()];
  await session.call("List", { path: "." });
  await engine.answer(id, { answer: "once" }, "test");
  await running;
  await session.call("List", { path: "." });
  letGo();
  const outputs = (await Promise.all([waited, ...resumed])).map(({ status, output }) => `${status} ${output}`);
  expect(outputs).toEqual(["ok ran 1", "ok ran 1", "ok ran 1"]);
  expect((await engine.call(callId))?.result).toMatchObject({ status: "ok", output: "ran 1" });
});

it("a call that another process runs is not settled by the one that comes too late", async () => {
  const { tool, letGo, running } = gated();
  const options = { workspace: await temporaryDirectory(), home: await temporaryDirectory(), tools: [tool], approvals: "record" as const };
  const [first, second] = [await createEngine(options), await createEngine(options)];
  onTestFinished(async () => {
    await first.close();
    await second.close();
  });
  const suspended = await (await first.openSession({ id: "s" })).call("Slow", {});
  const approvalId = suspended.approvalId ?? "";
  await second.answer(approvalId, { answer: "once" }, "test");
  const runs = second.resume(approvalId);
  await running;
  const late = await first.resume(approvalId);
  expect(late.error?.details?.reason).toBe("call_under_way");
  letGo();
  expect(await runs).toMatchObject({ status: "ok", output: "ran 1" });
  expect((await first.call(suspended.callId))?.result).toMatchObject({ status: "ok", output: "ran 1" });
});
