/** Promises that a tool or a person relies on without seeing them. `npm run mutants` switches each off and demands a failure here. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type FileWriter, type Plan } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";

const fileName = z.object({ path: z.string(), other: z.string().default("") });

it("a write that the plan did not name is refused", async () => {
  const tool = defineTool<{ path: string; other: string }, "files", undefined>({
    name: "Straying",
    description: "Plans one file and writes another.",
    input: fileName,
    needs: ["files"],
    plan: async ({ path }, { files }): Promise<Plan<undefined>> => ({
      summary: "write",
      effects: [{ kind: "write", path: await files.resolve(path), change: "create" }],
    }),
    run: async ({ path, other }, { files }) => {
      await files.replace(await files.resolve(path), Buffer.from("planned"), { expect: null });
      await files.replace(await files.resolve(other), Buffer.from("not planned"), { expect: null });
      return { output: "" };
    },
  });
  const { engine, workspace } = await testEngine({ tools: [tool] });
  const session = await engine.openSession();
  const { error } = await session.call("Straying", { path: "a.txt", other: "b.txt" });
  expect([error?.code, error?.details?.reason]).toEqual(["tool_forbidden_path", "not_planned"]);
  expect(existsSync(join(workspace, "b.txt"))).toBe(false);
});

it("a plan gets ports that can change nothing", async () => {
  const offered: string[] = [];
  const tool = defineTool<object, "files" | "tasks" | "processes" | "values" | "artifacts", undefined>({
    name: "Looking",
    description: "Says what its plan could do.",
    input: z.object({}),
    needs: ["files", "tasks", "processes", "values", "artifacts"],
    plan: (_, ports): Plan<undefined> => {
      const changing: Record<string, readonly string[]> = {
        files: ["replace", "remove"],
        tasks: ["create", "update", "stop"],
        processes: ["run", "background", "rehearse"],
        values: ["reveal", "substitute"],
        artifacts: ["save"],
      };
      for (const [port, methods] of Object.entries(changing))
        for (const method of methods)
          if (typeof (ports as unknown as Record<string, Record<string, unknown>>)[port]?.[method] === "function")
            offered.push(`${port}.${method}`);
      return { summary: "look", effects: [] };
    },
    run: () => ({ output: "" }),
  });
  const { engine } = await testEngine({ tools: [tool] });
  await (await engine.openSession()).call("Looking", {});
  expect(offered).toEqual([]);
});

it("the writer of a call is worth nothing after the call", async () => {
  let kept: FileWriter | undefined;
  const tool = defineTool<{ path: string; other: string }, "files", undefined>({
    name: "Keeping",
    description: "Keeps its writer.",
    input: fileName,
    needs: ["files"],
    plan: async ({ path }, { files }): Promise<Plan<undefined>> => ({
      summary: "write",
      effects: [{ kind: "write", path: await files.resolve(path), change: "create" }],
    }),
    run: (_, { files }) => {
      kept = files;
      return { output: "" };
    },
  });
  const { engine, workspace } = await testEngine({ tools: [tool] });
  await (await engine.openSession()).call("Keeping", { path: "late.txt" });
  const facts = await kept?.resolve("late.txt");
  if (kept === undefined || facts === undefined) throw new Error("the tool did not run");
  await expect(kept.replace(facts, Buffer.from("late"), { expect: null })).rejects.toMatchObject({ code: "cancelled" });
  expect(existsSync(join(workspace, "late.txt"))).toBe(false);
});

it("a dry run asks before it reads what must be asked about", async () => {
  let asked = 0;
  const { engine, workspace } = await testEngine({
    approve: async () => {
      asked += 1;
      return "deny";
    },
  });
  await writeFile(join(workspace, ".env"), "A=1\n");
  const session = await engine.openSession();
  const { status } = await session.call("Edit", { file_path: ".env", old_string: "A=1", new_string: "A=2" }, { dryRun: true });
  expect([asked, status]).toEqual([1, "denied"]);
});

it("an approval counts for exactly the plan it was given for, and under the policy it was given under", async () => {
  const { engine, workspace, home } = await testEngine({ approve: undefined as never, approvals: "record" });
  await writeFile(join(workspace, "a.txt"), "one\n");
  const session = await engine.openSession();
  const edit = () => session.call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
  const first = await edit();
  expect(first.status).toBe("suspended");
  await writeFile(join(workspace, "a.txt"), "one, and more\n");
  await engine.answer(first.approvalId ?? "", { answer: "once" });
  const changed = await engine.resume(first.approvalId ?? "");
  const second = await edit();
  await engine.answer(second.approvalId ?? "", { answer: "once" });
  await engine.close();
  const config = { permissions: { deny: ["Read(private/**)"] } };
  const later = await testEngine({ workspace, home, approve: undefined as never, approvals: "record", config });
  const judged = await later.engine.resume(second.approvalId ?? "");
  expect([changed.error?.details?.reason, judged.error?.details?.reason]).toEqual(["plan_changed", "policy_changed"]);
  const asked = await later.engine.approvals();
  expect(asked.map(({ status, voidCause }) => [status, voidCause])).toEqual([
    ["void", "plan_changed"],
    ["void", "policy_changed"],
  ]);
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("one, and more\n");
});

it("a used or expired approval opens nothing", async () => {
  const config = { approvalTtlHours: 1e-9 };
  const { engine, workspace } = await testEngine({ approve: undefined as never, approvals: "record", config });
  await writeFile(join(workspace, ".env"), "A=1\n");
  const session = await engine.openSession();
  const edit = { file_path: ".env", old_string: "A=1", new_string: "A=2" };
  // A dry run begins nothing, so nobody but the gate looks at its approval.
  const looks = () => session.call("Edit", edit, { callId: "call-1", dryRun: true });
  expect((await looks()).status).toBe("suspended");
  while ((await engine.approvals("expired")).length === 0) await new Promise(setImmediate);
  expect(await looks()).toMatchObject({ status: "denied", error: { details: { reason: "approval_expired" } } });
});
