/** What the config says of the sandbox: layer by layer, and what doctor makes of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { mergeConfig } from "../src/compose/config.ts";
import { examine } from "../src/compose/doctor.ts";

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

it("a later layer that sets one thing leaves the others as they were", () => {
  const effective = mergeConfig([
    { sandbox: { require: "E2u", network: "loopback" }, retention: { days: 3 } },
    { sandbox: { capture: "auto" }, retention: { maxOutputBytes: 9 } },
  ]);
  expect(effective).toMatchObject({
    requiredTier: "E2u",
    network: "loopback",
    capture: "auto",
    retentionDays: 3,
    retentionOutputBytes: 9,
  });
});

it("doctor fails where the config demands more than the machine holds", async () => {
  const base = mkdtempSync(join(tmpdir(), "karyi-sandbox-config-"));
  made.push(base);
  const [workspace, home] = [join(base, "work"), join(base, "home")];
  mkdirSync(workspace);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "config.json"), JSON.stringify({ sandbox: { require: "E1" } }));
  const checks = await examine(workspace, home, {});
  const enough = checks.some(({ tier }) => tier?.standing === "in_use" && ["E0", "E1"].includes(tier.name));
  const demand = checks.filter(({ name }) => name === "sandbox");
  const expected = { state: "failed", detail: expect.stringContaining("the config demands tier E1"), advice: expect.any(String) };
  expect(demand).toEqual(enough ? [] : [{ name: "sandbox", ...expected }]);
});
