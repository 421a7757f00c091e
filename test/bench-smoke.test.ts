/** Every benchmark question can be asked; what it answers is left to `npm run bench`, for noise must never fail a build. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

it("each benchmark runs once", { timeout: 180_000 }, async () => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, KARYI_BENCH_SMOKE: "1", NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, "run", "--config", "bench/vitest.config.ts"], { cwd: root, env });
  expect(stdout).toMatch(/Test Files\s+\d+ passed/);
});
