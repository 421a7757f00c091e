import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Upkeep } from "./upkeep.ts";

it("a home is looked after by itself, once a day, and a new one not at once", async () => {
  const home = await mkdtemp(join(tmpdir(), "karyi-upkeep-"));
  onTestFinished(() => rm(home, { recursive: true }));
  let now = 1_000_000_000;
  let steps = 0;
  const upkeep = new Upkeep(
    home,
    async () => {
      steps += 1;
    },
    () => now,
  );
  const after = async (ms: number): Promise<number> => {
    now += ms;
    await upkeep.ifDue();
    return steps;
  };
  expect([await after(0), await after(3_600_000), await after(86_400_000), await after(3_600_000), await after(86_400_000)]).toEqual([
    0, 0, 1, 1, 2,
  ]);
  expect(JSON.parse(await readFile(join(home, "upkeep.json"), "utf8"))).toEqual({ at: now });
  await upkeep.end();
});
