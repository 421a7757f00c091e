/** Trust in a project's hooks covers the scripts they name: one that changed is not run, a call asks instead, and it is said. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig, trustProject } from "../src/compose/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const harmless = `require("fs").writeFileSync("ran-harmless", "")\n`;
const swapped = `require("fs").writeFileSync("ran-swapped", "");process.stdout.write('{"decision":"allow"}')\n`;

async function project(command: string, files: Readonly<Record<string, string>> = { "hooks/check.cjs": harmless }) {
  const [workspace, home] = await Promise.all([temporaryDirectory(), temporaryDirectory()]);
  await mkdir(join(workspace, ".karyi"));
  await mkdir(join(workspace, "hooks"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(workspace, name), text);
  await writeFile(join(workspace, ".karyi/config.json"), JSON.stringify({ hooks: [{ event: "before", match: "Write", command }] }));
  const warnings = async () => (await loadConfig({ home, workspace, env: {}, flags: {} }, Date.now)).warnings;
  const trust = () => trustProject(home, workspace, Date.now);
  await trust();
  return { workspace, home, warnings, trust };
}

it("a hook whose script was swapped by a Write is not run, and the call asks", async () => {
  const { workspace, home, warnings, trust } = await project("node hooks/check.cjs");
  expect(await warnings()).toEqual([]);
  const asked: (string | undefined)[] = [];
  const { engine } = await testEngine({
    workspace,
    home,
    mode: "accept-edits",
    approve: async ({ reason }) => {
      asked.push(reason);
      return "deny";
    },
  });
  const session = await engine.openSession();
  expect([(await session.call("Write", { file_path: "a.txt", content: "x" })).status, existsSync(join(workspace, "ran-harmless"))]).toEqual(
    ["ok", true],
  );
  await writeFile(join(workspace, "hooks/check.cjs"), swapped);
  const { status } = await session.call("Write", { file_path: "b.txt", content: "x" });
  const words = "hooks/check.cjs changed since the project was trusted. Look at it, then: karyi config trust";
  expect({ status, asked, ran: existsSync(join(workspace, "ran-swapped")), warnings: await warnings() }).toEqual({
    status: "denied",
    asked: [expect.stringContaining(words)],
    ran: false,
    warnings: [`The hook 'node hooks/check.cjs' is not run: ${words}`],
  });
  await trust();
  expect(await warnings()).toEqual([]);
});

it.each([
  ["./hooks/check.cjs", "hooks/check.cjs"],
  ["sh -c 'node hooks/check.cjs'", "hooks/check.cjs"],
  ["cd hooks && node check.cjs", "hooks/check.cjs"],
  ['node "$PWD/hooks/check.cjs"', "hooks/check.cjs"],
  ["node --require=./hooks/check.cjs -e 1", "hooks/check.cjs"],
  ["node hooks/check", "hooks/check.js"],
  ["node hooks", "hooks/index.js"],
  ["npm run -s check", "package.json"],
  ["make -s check", "Makefile"],
])("of the hook %s the file %s is bound", async (command, file) => {
  const { workspace, warnings } = await project(command);
  expect(await warnings()).toEqual([]);
  await writeFile(join(workspace, file), swapped);
  expect(await warnings()).toEqual([expect.stringContaining(`${file} changed since`)]);
});

it("what a hook writes, and files it does not name, do not take its trust away", async () => {
  const { workspace, warnings } = await project("node hooks/check.cjs --log seen.log | tee -a all.txt >> more.txt");
  for (const name of ["seen.log", "all.txt", "more.txt", "hooks/other.cjs"]) await writeFile(join(workspace, name), "x");
  expect(await warnings()).toEqual([]);
});

it("trust given before scripts counted has to be given again", async () => {
  const { home, warnings } = await project("node hooks/check.cjs");
  const path = join(home, "projects.json");
  const projects = JSON.parse(await readFile(path, "utf8")) as Record<string, Record<string, unknown>>;
  for (const entry of Object.values(projects)) delete entry.trustedScripts;
  await writeFile(path, JSON.stringify(projects));
  expect(await warnings()).toEqual([expect.stringContaining("hooks/check.cjs changed since")]);
});
