import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ordinaryUser } from "../../../test/support/ordinary-user.ts";
import { type Attempt, attempts } from "./fixtures/attempts.ts";
import { capturingHere, capturingTiers } from "./fixtures/world.ts";

const register = resolve(import.meta.dirname, "../../../test/support/ts-register.mjs");
const isRoot = process.getuid?.() === 0;
const here = await capturingHere();

for (const tier of capturingTiers) {
  const holds = here.includes(tier);
  describe(`ways out of a world of tier ${tier}${holds ? "" : " (skipped: it does not hold here)"}`, () => {
    it.skipIf(!holds)(`none is open ${isRoot ? "to root" : "to an ordinary user"}`, { timeout: 120_000 }, async () => {
      expect((await attempts(tier)).filter(({ problem }) => problem !== "")).toEqual([]);
    });

    const canSwitch = holds && ordinaryUser.holds && existsSync("/var/lib");
    const title = `none is open to an ordinary user${ordinaryUser.why}`;
    it.skipIf(!canSwitch)(title, { timeout: 120_000 }, () => {
      const place = mkdtempSync("/var/lib/karyi-test-");
      try {
        chownSync(place, 65534, 65534);
        const output = execFileSync(
          "setpriv",
          [
            ...["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "--import", register],
            ...[join(import.meta.dirname, "fixtures/as-user.child.mjs"), "attempts", tier],
          ],
          {
            env: { PATH: process.env.PATH, HOME: "/nonexistent", KARYI_TEST_PLACE: place, KARYI_TEST_BWRAP: process.env.KARYI_TEST_BWRAP },
            encoding: "utf8",
          },
        );
        const results = JSON.parse(output) as readonly Attempt[];
        expect(results.filter(({ problem }) => problem !== "")).toEqual([]);
        expect(results.length).toBeGreaterThan(20);
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    });
  });
}
