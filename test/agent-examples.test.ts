import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";

const script = resolve(import.meta.dirname, "../examples/scripted/look-around.yaml");
const embedded = resolve(import.meta.dirname, "../examples/embed-agent/index.mjs");

it("examples/scripted plays by the command", async () => {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  await writeFile(join(workspace, "a.txt"), "x");
  const { code, stdout } = await karyi(["run", "What is here?", "--model", `scripted/${script}`, "--workspace", workspace, "--home", home]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Let me look around.\nThat is all there is.\n" });
});

it("examples/embed-agent runs an agent in a program of its own", async () => {
  const [cwd, home] = [await temporaryDirectory(), await temporaryDirectory()];
  const { stdout } = await promisify(execFile)(process.execPath, [embedded, "What is here?", `scripted/${script}`], {
    cwd,
    env: { ...process.env, HOME: home, KARYI_HOME: join(home, ".karyi") },
  });
  expect(stdout).toContain("[Glob: ok]");
  expect(stdout).toContain("[done, 2 rounds]");
});
