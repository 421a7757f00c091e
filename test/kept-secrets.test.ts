/** What a session keeps of secure variables that its commands exported. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createEngine } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";

const value = ["kept", "Canary/+", "77xQz"].join("-");

async function holding(directory: string, text: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.map(async (file) => ((await readFile(file)).includes(text) ? file : undefined)));
  return found.filter((file) => file !== undefined);
}

it("a secure variable that a command exported is kept by name, never in clear, and is there when the session is opened again", async () => {
  const { engine, workspace, home } = await testEngine();
  await engine.vault.set({ name: "TOK", value, scope: "global" }, { workspace });
  await engine.vault.set({ name: "READ_ONLY", value: `${value}-2`, scope: "global", tools: ["Read"] }, { workspace });
  const session = await engine.openSession();
  const exported = await session.call("Bash", {
    command:
      "export A=$KARYI{TOK} B=\"x $KARYI{TOK} y\" TEXT='$$KARYI{TOK}' BOUND='$$KARYI{READ_ONLY}' PLAIN=p; export CODED=$(printf %s \"$A\" | base64)",
  });
  expect(exported).toMatchObject({ status: "ok" });
  const sizes = 'echo "${#A} ${#B} ${#TEXT} ${#BOUND} $PLAIN ${#CODED}"';
  const coded = Buffer.from(value).toString("base64");
  const here = await session.call("Bash", { command: sizes });
  expect(here.output).toBe(`${value.length} ${value.length + 4} 11 17 p ${coded.length}\n`);
  await engine.close();
  expect(await holding(home, value)).toEqual([]);
  expect(await holding(home, coded)).toEqual([]);

  const again = await createEngine({ workspace, home, approve: async () => "once" });
  const reopened = await again.openSession();
  const there = await reopened.call("Bash", { command: sizes });
  // What only an encoding would give back is gone with its process.
  expect(there.output).toBe(`${value.length} ${value.length + 4} 11 17 p 0\n`);
  await again.close();
});

it("a secure variable in a path is kept by name everywhere, and what was done there can still be undone after a restart", async () => {
  const { engine, workspace, home } = await testEngine();
  await engine.vault.set({ name: "PART", value: "canary77Path", scope: "global" }, { workspace });
  const session = await engine.openSession();
  const path = "dir/$KARYI{PART}.txt";
  const written = await session.call("Write", { file_path: path, content: "one\n" });
  expect(written).toMatchObject({ status: "ok", undoable: true });
  expect(await session.call("Edit", { file_path: path, old_string: "one", new_string: "two" })).toMatchObject({ status: "ok" });
  expect(await session.call("Read", { file_path: path })).toMatchObject({ status: "ok" });
  expect(await session.call("Bash", { command: "echo three > dir/$KARYI{PART}.txt; cat dir/*.txt" })).toMatchObject({ status: "ok" });
  expect(await readFile(join(workspace, "dir/canary77Path.txt"), "utf8")).toBe("three\n");
  await engine.close();
  expect(await holding(home, "canary77Path")).toEqual([]);

  const again = await createEngine({ workspace, home, approve: async () => "once" });
  const reopened = await again.openSession();
  // It is remembered as read.
  await reopened.undo({ last: 1 });
  expect(await reopened.call("Read", { file_path: path })).toMatchObject({ status: "ok", output: expect.stringContaining("two") });
  expect(await reopened.undo({ last: 3 })).toMatchObject({ status: "ok" });
  expect(await readdir(workspace)).toEqual([]);
  await again.close();
  expect(await holding(home, "canary77Path")).toEqual([]);
});
