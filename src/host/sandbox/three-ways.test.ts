/** Each command of the table rehearsed, run and undone. The whole table with KARYI_FULL=1, every eleventh command without. */
import { execFileSync, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ordinaryUser } from "../../../test/support/ordinary-user.ts";
import { commands } from "./fixtures/commands.ts";
import { ThreeWays } from "./fixtures/three-ways.ts";
import { capturingHere } from "./fixtures/world.ts";

const full = process.env.KARYI_FULL === "1";
const every = full ? 1 : 11;
const register = resolve(import.meta.dirname, "../../../test/support/ts-register.mjs");
const holds = (await capturingHere()).length > 0;

const isThere = (program: string): boolean => spawnSync("sh", ["-c", 'command -v "$1"', "sh", program]).status === 0;

describe(holds ? "a command, three ways" : "a command, three ways (skipped: no overlay here)", () => {
  const ways = holds ? new ThreeWays() : undefined;
  afterAll(() => ways?.close());

  it("the table is long enough", () => {
    expect(commands.length).toBeGreaterThanOrEqual(120);
  });

  for (const [index, { command, needs }] of commands.entries()) {
    if (index % every !== 0) continue;
    const missing = needs !== undefined && !isThere(needs);
    it.skipIf(!holds || missing)(`${command}${missing ? ` (skipped: ${needs} is not installed)` : ""}`, async () => {
      expect(await ways?.problems(command)).toEqual([]);
    });
  }

  const canSwitch = holds && ordinaryUser.holds;
  it.skipIf(!canSwitch)(
    `as an ordinary user${ordinaryUser.why}`,
    () => {
      const output = execFileSync(
        "setpriv",
        [
          ...["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "--import", register],
          ...[join(import.meta.dirname, "fixtures/as-user.child.mjs"), "table", String(full ? 1 : 40)],
        ],
        {
          env: { PATH: process.env.PATH, HOME: "/nonexistent", KARYI_TEST_BWRAP: process.env.KARYI_TEST_BWRAP },
          encoding: "utf8",
          maxBuffer: 1 << 24,
        },
      );
      expect(JSON.parse(output)).toEqual([]);
    },
    full ? 900_000 : 120_000,
  );
});
