/** How the command starts and ends: with few packages, and with npm. */
import { spawn, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "./support/engine.ts";
import { isRunning } from "./support/processes.ts";

const bin = join(import.meta.dirname, "../bin/karyi.js");

test("a call of the command loads no package that only some calls need", async () => {
  const directory = await temporaryDirectory();
  const told = join(directory, "told.cjs");
  await writeFile(
    told,
    `process.on("exit", () => {
      const names = Object.keys(require.cache).map((file) => /.*node_modules[\\\\/]((?:@[^\\\\/]+[\\\\/])?[^\\\\/]+)/.exec(file)?.[1]);
      process.stderr.write(JSON.stringify([...new Set(names)].filter((name) => name !== undefined).sort()));
    });`,
  );
  await writeFile(join(directory, "a.txt"), "text\n");
  const call = ["call", "Read", '{"file_path":"a.txt"}', "--workspace", directory, "--home", join(directory, "home")];
  const { status, stderr } = spawnSync(process.execPath, ["--require", told, bin, ...call], { encoding: "utf8" });
  expect([status, JSON.parse(stderr)]).toEqual([0, ["@photostructure/sqlite"]]);
});

test("a server started by npm stops when npm is ended without telling it", async () => {
  const directory = await temporaryDirectory();
  const args = ["serve", "--json", "--port", "0", "--workspace", directory, "--home", join(directory, "home")];
  // As npm does: a shell that does not become the program, and hands no signal on.
  const npm = spawn("sh", ["-c", '"$0" "$@"; exit', process.execPath, bin, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, npm_lifecycle_event: "start" },
  });
  let text = "";
  for await (const chunk of npm.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.trimEnd().endsWith("}")) break;
  }
  const { pid, address } = JSON.parse(text) as { pid: number; address: string };
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  npm.kill("SIGKILL");
  await expect
    .poll(() =>
      fetch(`${address}/health`).then(
        () => "answers",
        () => "gone",
      ),
    )
    .toBe("gone");
  await expect.poll(() => isRunning(pid)).toBe(false);
});
