import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeCaches } from "./home-caches.ts";

it("what stayed empty is removed once no other command of this process runs with it", () => {
  const home = mkdtempSync(join(tmpdir(), "karyi-caches-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/npm"), "");
  const there = () => [".cache", ".npm/_cacache", ".npm/_logs", ".npm", ".cargo"].filter((name) => existsSync(join(home, name)));
  const first = makeCaches(home, join(home, "bin"));
  const second = makeCaches(home, join(home, "bin"));
  first();
  expect(there()).toEqual([".cache", ".npm/_cacache", ".npm/_logs", ".npm"]);
  writeFileSync(join(home, ".npm/_logs/log"), "");
  second();
  expect(there()).toEqual([".npm/_logs", ".npm"]);
});
