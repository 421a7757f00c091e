import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createFiles } from "./files.ts";
import { temporaryName } from "./temporary.ts";

it("a write removes what dead writers left, and nothing of living ones", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-left-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const mine = temporaryName();
  const dead = temporaryName().replace(`-${process.pid}-`, `-${spawnSync(process.execPath, ["-e", "0"]).pid}-`);
  const foreign = ".karyi-zzzzzz-1-0123456789abcdef.tmp";
  const abandoned = ".karyi-zzzzzz-1-fedcba9876543210.tmp";
  const others = [".karyi-notes.tmp", "x.tmp"];
  for (const name of [mine, dead, foreign, abandoned, ...others]) writeFileSync(join(root, name), "");
  utimesSync(join(root, abandoned), 1, 1);
  const files = createFiles({ cwd: () => root });
  await files.replace(await files.resolve("new"), Buffer.from("x"), { expect: null });
  expect(readdirSync(root).sort()).toEqual([mine, foreign, ...others, "new"].sort());
});
