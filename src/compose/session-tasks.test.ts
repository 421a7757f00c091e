import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createEngine, type WiredEngine } from "./index.ts";

async function home(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "karyi-tasks-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function open(place: string): Promise<WiredEngine> {
  const engine = await createEngine({ workspace: place, home: join(place, ".karyi"), approve: async () => "once" });
  onTestFinished(() => engine.close());
  return engine;
}

it("ids are not used twice by engines that share a session, and each sees the tasks of the other", async () => {
  const place = await home();
  const one = await (await open(place)).openSession({ id: "shared" });
  const two = await (await open(place)).openSession({ id: "shared" });
  const started = await Promise.all(
    [one, two, one, two, one, two].map((session) => session.call("Bash", { command: "sleep 30", run_in_background: true })),
  );
  const made = await Promise.all([one, two, one, two].map((session, index) => session.call("TaskCreate", { title: `${index}` })));
  const ids = started.map(({ data }) => (data as { task_id: string }).task_id);
  expect([...ids].sort()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `bg_task_${number}`));
  expect(made.map(({ data }) => (data as { id: string }).id).sort()).toEqual([1, 2, 3, 4].map((number) => `task_${number}`));
  for (const session of [one, two]) {
    const { tasks } = (await session.call("TaskList", {})).data as { tasks: { id: string; status: string }[] };
    expect(
      tasks
        .filter(({ status }) => status === "in_progress")
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort());
  }
  expect(await two.call("TaskStop", { id: ids[0] })).toMatchObject({ error: { details: { reason: "other_process" } } });
  expect(await one.call("TaskStop", { id: ids[0] })).toMatchObject({ data: { status: "cancelled" } });
  expect(await two.call("TaskUpdate", { id: "task_1", status: "in_progress" })).toMatchObject({ status: "ok" });
});
