/** Hostile and unlucky cases through the real engine: each once went wrong, and none may lose or show anything. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testEngine, treeOf } from "./support/engine.ts";

it("in auto mode a command cannot leave behind what no tool may write, however it does it", async () => {
  const { engine, workspace } = await testEngine({ mode: "auto", approve: undefined as never });
  const session = await engine.openSession();
  await mkdir(join(workspace, ".git"));
  await writeFile(
    join(workspace, "p.cjs"),
    'const fs = require("fs"); fs.mkdirSync(".git/hooks"); fs.writeFileSync(".git/hooks/pre-commit", "x"); fs.writeFileSync("fine", "y");\n',
  );
  const before = await treeOf(workspace);
  const result = await session.call("Bash", { command: "node p.cjs" });
  expect(result.status).not.toBe("ok");
  expect(await treeOf(workspace)).toEqual(before);
});

it("undo leaves a file alone that got a second name where another file was", async () => {
  const { engine, workspace } = await testEngine();
  await writeFile(join(workspace, "a"), "AAAA\n");
  await writeFile(join(workspace, "b"), "important\n");
  const session = await engine.openSession();
  expect(await session.call("Bash", { command: "ln -f b a" })).toMatchObject({ status: "ok" });
  expect(await session.undo({ last: 1 })).toMatchObject({ status: "ok" });
  expect([await readFile(join(workspace, "a"), "utf8"), await readFile(join(workspace, "b"), "utf8")]).toEqual(["AAAA\n", "important\n"]);
});

it("a placeholder where no value can go safely is refused, not passed over", async () => {
  const { engine, workspace } = await testEngine();
  await engine.vault.set({ name: "SIM", value: "simpletoken12345", scope: "global" }, { workspace });
  const session = await engine.openSession();
  const result = await session.call("Bash", { command: 'touch made; sh -c "echo $KARYI{SIM}"' });
  expect(result.status).not.toBe("ok");
  expect(await treeOf(workspace)).toEqual({});
});

it("marks of a search do not part a secret", async () => {
  const { engine, workspace } = await testEngine();
  await engine.vault.set({ name: "TS", value: "TermSecretValue77", scope: "global" }, { workspace });
  await writeFile(join(workspace, "ts.txt"), "x TermSecretValue77 y\nSecret of another kind\n");
  const session = await engine.openSession();
  const { output } = await session.call("Grep", { pattern: "Secret", output_mode: "content" });
  expect(output).not.toContain("Value77");
  expect(output).toContain("Secret of another kind");
});

it("undo takes back the last call that changed something, not one that changed nothing", async () => {
  const { engine, workspace } = await testEngine();
  const session = await engine.openSession();
  await session.call("Write", { file_path: "real", content: "x" });
  await session.call("Bash", { command: "rm -f nothing-here; false" });
  expect(await session.undo({ last: 1 })).toMatchObject({ status: "ok" });
  expect(await treeOf(workspace)).toEqual({});
});

it("a closed engine refuses calls and says why", async () => {
  const { engine, workspace } = await testEngine();
  const session = await engine.openSession();
  await engine.close();
  const result = await session.call("Write", { file_path: "late", content: "x" });
  expect(result).toMatchObject({ status: "error", output: expect.stringContaining("the engine is closed") });
  expect(await treeOf(workspace)).toEqual({});
});

it("a call that was cut off and done all the same says so", async () => {
  const { engine } = await testEngine();
  const session = await engine.openSession();
  const result = await session.begin({ name: "Write", input: { file_path: "half", content: "half of the fi" }, cutOff: true });
  expect(result).toMatchObject({ status: "ok", output: expect.stringContaining("cut off") });
});

it("a pattern among printed words is a listing of its directory", async () => {
  const { engine } = await testEngine();
  const session = await engine.openSession();
  const verdict = async (command: string) => (await session.explain("Bash", { command })).decision.verdict;
  for (const command of ["echo /etc/ss*", 'printf "%s\\n" /etc/ss*', "export TAB=/etc/*; echo $TAB"])
    expect([command, await verdict(command)]).not.toEqual([command, "allow"]);
  for (const command of ["echo *.ts", 'echo "/etc/*"', "echo hi"]) expect([command, await verdict(command)]).toEqual([command, "allow"]);
});

it("a project that is not trusted cannot widen the bound of outputs", async () => {
  const { workspace, home, engine } = await testEngine();
  await engine.close();
  await mkdir(join(workspace, ".karyi"));
  await writeFile(join(workspace, ".karyi/config.json"), JSON.stringify({ maxOutputBytes: 999_999_999 }));
  const again = (await testEngine({ workspace, home })).engine;
  const session = await again.openSession();
  await writeFile(join(workspace, "long.txt"), "0123456789abcdef\n".repeat(40_000));
  const { truncated } = await session.call("Read", { file_path: "long.txt", limit: 40_000 });
  expect(truncated?.shown).toBeLessThanOrEqual(256 * 1024);
});
