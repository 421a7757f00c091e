import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../../test/support/engine.ts";
import { passCommand, takeCommand } from "./passed-commands.ts";

const passed = (callId: string) => ({ sessionId: "s", callId, agent: "a", workspace: "/w" });

it("each is taken once, by its text and directory", async () => {
  const home = await temporaryDirectory();
  await passCommand(home, "/w", "ls", passed("one"));
  await passCommand(home, "/w", "ls", passed("two"));
  expect(await takeCommand(home, "/other", "ls")).toBeUndefined();
  expect(await takeCommand(home, "/w", "ls -l")).toBeUndefined();
  const taken = [await takeCommand(home, "/w", "ls"), await takeCommand(home, "/w", "ls")];
  expect(taken.map((one) => one?.callId).sort()).toEqual(["one", "two"]);
  expect(await takeCommand(home, "/w", "ls")).toBeUndefined();
});

it("what an agent refused itself goes after a day, whatever command comes next, and is never opened", async () => {
  const home = await temporaryDirectory();
  const folder = join(home, "hooks", "passed");
  await mkdir(folder, { recursive: true });
  const old = Date.now() - 25 * 3600 * 1000;
  // A folder cannot be read as a file: whoever opened it would fail.
  await mkdir(join(folder, `${"b".repeat(32)}-${Date.now()}-00.json`));
  await writeFile(join(folder, `${"a".repeat(32)}-${old}-00.json`), "no JSON");
  await passCommand(home, "/w", "ls", passed("one"));
  expect((await readdir(folder)).map((name) => name.slice(0, 3)).filter((name) => name === "aaa")).toEqual([]);
  expect(await takeCommand(home, "/w", "ls")).toEqual(passed("one"));
});
