/** Values of secure variables in commands: where nobody is asked only as they are bound, and masked in whatever comes of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Result } from "../src/index.ts";
import { karyi } from "./support/command.ts";
import { type TestEngine, temporaryDirectory, testEngine } from "./support/engine.ts";

const value = ["S3cr3t", "Val", "ueXy", "Zq91"].join("");
const shows = (text: string): boolean => {
  const compact = text.replaceAll(/[\s|]/g, "").toLowerCase();
  return [value, [...value].reverse().join(""), value.slice(0, 10)].some((form) => compact.includes(form.toLowerCase()));
};

it("in auto mode a value that is bound to commands is used in those alone", async () => {
  const { engine, workspace } = await testEngine({ mode: "auto" });
  await engine.vault.set({ name: "V", value, scope: "global", commands: ["wc *"] }, { workspace });
  const session = await engine.openSession();
  expect(await session.call("Bash", { command: "wc -c <<< $KARYI{V}" })).toMatchObject({ status: "ok", output: "18\n" });
  writeFileSync(join(workspace, "wc"), "#!/bin/sh\nrev <<< $1\n", { mode: 0o755 });
  for (const command of [
    "echo $KARYI{V} | rev",
    "wc -c <<< $KARYI{V}; echo $KARYI{V} | fold -w4",
    "wc -c $KARYI{V} 2>&1 | rev",
    "wc -c $KARYI{V} 2> kept",
    "x=$KARYI{V}; wc -c <<< ${x:0:8}",
    "wc() { rev <<< $1; }; wc $KARYI{V}",
    "PATH=.:$PATH wc $KARYI{V}",
    "./wc $KARYI{V}",
    "env wc $KARYI{V}",
    "wc -c $(echo $KARYI{V})",
  ]) {
    const result = await session.call("Bash", { command });
    expect([command, result.status, shows(JSON.stringify(result))]).toEqual([command, "denied", false]);
  }
  await session.call("Bash", { command: "export PATH=.:$PATH" });
  expect(await session.call("Bash", { command: "wc -c <<< $KARYI{V}" })).toMatchObject({ status: "denied" });
});

it("what a program makes of a value, also of one that an earlier command exported, is masked", async () => {
  const { engine, workspace } = await testEngine();
  await engine.vault.set({ name: "V", value, scope: "global" }, { workspace });
  const session = await engine.openSession();
  await session.call("Bash", { command: "export HELD=$KARYI{V}" });
  for (const source of ["$KARYI{V}", "$HELD"]) {
    for (const way of ["rev", "fold -w3", "od -c", "xxd", "hexdump -C", "cut -c1-12", "base64 -w5", "tr a-z A-Z"]) {
      const result = await session.call("Bash", { command: `echo ${source} | ${way}` });
      expect([source, way, shows(JSON.stringify(result))]).toEqual([source, way, false]);
    }
  }
});

/** Everything that TaskOutput says until the task has ended, then all of it from each of its bytes on. */
async function readTask(session: Awaited<ReturnType<TestEngine["engine"]["openSession"]>>, id: string): Promise<readonly Result[]> {
  const results: Result[] = [];
  let page = { status: "in_progress", next: 0, output_bytes: 0 };
  while (page.status === "in_progress" || page.next < page.output_bytes) {
    const result = await session.call("TaskOutput", { id, offset: page.next, wait_ms: 20_000 });
    results.push(result);
    page = result.data as typeof page;
  }
  for (let offset = 0; offset < page.output_bytes; offset += 1) results.push(await session.call("TaskOutput", { id, offset }));
  return results;
}

it("what a background command makes of a value is masked, wherever its output is read from", async () => {
  const { engine, workspace } = await testEngine();
  await engine.vault.set({ name: "V", value, scope: "global" }, { workspace });
  const session = await engine.openSession();
  await session.call("Bash", { command: "export HELD=$KARYI{V}" });
  for (const source of ["$KARYI{V}", "$HELD"]) {
    for (const way of ["rev", "fold -w3", "od -c", "cut -c1-12", "tr a-z A-Z"]) {
      const started = await session.call("Bash", { command: `echo ${source} | ${way}; echo end`, run_in_background: true });
      const results = await readTask(session, (started.data as { task_id: string }).task_id);
      const told = JSON.stringify(results.map(({ data }) => data));
      expect([source, way, shows(told), told.includes("$KARYI{V}"), told.includes("end\\n")]).toEqual([source, way, false, true, true]);
      expect(results.filter(({ output }) => shows(output))).toEqual([]);
    }
  }
});

it("what a command over its budget made of a value is masked, before and after it became a task", async () => {
  const { engine, workspace } = await testEngine({ config: { foregroundBudgetMs: 300 } });
  await engine.vault.set({ name: "V", value, scope: "global" }, { workspace });
  const session = await engine.openSession();
  // The value is printed in two halves, with the end of the budget between them.
  const command = "x=$(echo $KARYI{V} | rev); printf %s ${x:0:8}; sleep 1; echo ${x:8}";
  const moved = await session.call("Bash", { command });
  const { task_id } = moved.data as { task_id: string };
  const early = await session.call("TaskOutput", { id: task_id });
  const results = [moved, early, ...(await readTask(session, task_id))];
  const reversed = [...value].reverse().join("");
  const told = JSON.stringify(results);
  expect([task_id, told.includes(reversed.slice(0, 8)), told.includes(reversed.slice(8)), told.includes("$KARYI{V}")]).toEqual([
    "bg_task_1",
    false,
    false,
    true,
  ]);
});

it("a task is kept as it is written, without the value", async () => {
  const { engine, workspace } = await testEngine();
  await engine.vault.set({ name: "V", value, scope: "global" }, { workspace });
  const session = await engine.openSession();
  const title = "rotate $KARYI{V}";
  expect(await session.call("TaskCreate", { title, description: title })).toMatchObject({ data: { title, description: title } });
});

it("karyi var set --commands binds, and karyi var list tells it", async () => {
  const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
  const at = ["--home", home, "--workspace", workspace];
  const set = await karyi(["var", "set", "V", "--commands", "gh,git push *", ...at], { stdin: value });
  expect([set.code, set.stderr]).toEqual([0, ""]);
  expect(JSON.parse((await karyi(["var", "list", "--json", ...at])).stdout)).toMatchObject({
    variables: [{ name: "V", scope: "global", commands: ["gh", "git push *"] }],
  });
});
