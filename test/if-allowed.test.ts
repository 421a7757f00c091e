/** `ifAllowed`: a call that may begin early runs only if nobody has to be asked, and otherwise was never there. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testEngine } from "./support/engine.ts";

it("what is allowed runs once; what would ask or be denied leaves no trace and can be begun again", async () => {
  const { engine, workspace } = await testEngine();
  await writeFile(join(workspace, "a.txt"), "alpha\n");
  await writeFile(join(workspace, ".env"), "KEY=1\n");
  const session = await engine.openSession({ id: "s" });
  const begin = (id: string, file_path: string, ifAllowed: boolean) =>
    session.begin({ id, name: "Read", input: { file_path } }, { wait: true, ...(ifAllowed ? { ifAllowed } : {}) });
  expect((await begin("r1", "a.txt", true)).status).toBe("ok");
  for (const file of [".env", "/etc/shadow"])
    expect((await begin(`r-${file}`, file, true)).error?.details).toMatchObject({ reason: "not_begun" });
  const types = (await session.readEvents(0, 100)).map(({ type, callId }) => `${type} ${callId}`);
  expect(types).toEqual(["tool_call r1", "tool_result r1"]);
  expect(await engine.approvals()).toEqual([]);
  expect((await begin("r-.env", ".env", false)).status).toBe("ok");
  expect((await begin("r-/etc/shadow", "/etc/shadow", false)).error?.code).toBe("tool_forbidden_path");
});

it("whoever begins the same call while it steps back gets its own answer", async () => {
  const { engine, workspace } = await testEngine();
  await writeFile(join(workspace, ".env"), "KEY=1\n");
  const session = await engine.openSession({ id: "s" });
  const request = { id: "one", name: "Read", input: { file_path: ".env" } };
  const [early, real] = await Promise.all([session.begin(request, { ifAllowed: true }), session.begin(request, { wait: true })]);
  expect([early.error?.details?.reason, real.status]).toEqual(["not_begun", "ok"]);
});
