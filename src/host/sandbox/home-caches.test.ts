import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeCaches } from "./home-caches.ts";

const register = join(import.meta.dirname, "../../../test/support/ts-register.mjs");

function homeWithNpm(): string {
  const home = mkdtempSync(join(tmpdir(), "karyi-caches-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/npm"), "");
  return home;
}

/** Another process that makes the caches of a home and keeps them until its input ends. */
async function otherUser(home: string): Promise<ChildProcess> {
  const module = JSON.stringify(import.meta.resolve("./home-caches.ts"));
  const program = `import { makeCaches } from ${module};
    const ended = makeCaches(${JSON.stringify(home)}, ${JSON.stringify(join(home, "bin"))});
    process.stdout.write("made");
    process.stdin.on("end", ended).resume();`;
  const child = spawn(process.execPath, ["--import", register, "--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

it("what stayed empty is removed once no other command of this process runs with it", () => {
  const home = homeWithNpm();
  const there = () => [".cache", ".npm/_cacache", ".npm/_logs", ".npm", ".cargo"].filter((name) => existsSync(join(home, name)));
  const first = makeCaches(home, join(home, "bin"));
  const second = makeCaches(home, join(home, "bin"));
  first();
  expect(there()).toEqual([".cache", ".npm/_cacache", ".npm/_logs", ".npm"]);
  writeFileSync(join(home, ".npm/_logs/log"), "");
  second();
  expect(there()).toEqual([".npm/_logs", ".npm"]);
});

it("what stayed empty is removed once no command of another process runs with it", async () => {
  const home = homeWithNpm();
  const before = readdirSync(home);
  const mine = makeCaches(home, join(home, "bin"));
  const other = await otherUser(home);
  mine();
  expect(existsSync(join(home, ".npm/_cacache"))).toBe(true);
  other.stdin?.end();
  await once(other, "exit");
  expect(readdirSync(home)).toEqual(before);
});

it("an empty directory of the person's stays, and what a killed process made is taken over", async () => {
  const home = homeWithNpm();
  mkdirSync(join(home, ".npm"));
  const other = await otherUser(home);
  other.kill("SIGKILL");
  await once(other, "exit");
  makeCaches(home, join(home, "bin"))();
  expect(readdirSync(home).sort()).toEqual([".npm", "bin"]);
  expect(readdirSync(join(home, ".npm"))).toEqual([]);
});
