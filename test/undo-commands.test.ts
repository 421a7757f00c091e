/** Commands run by an engine, undone, and the undo undone. The whole table with KARYI_FULL=1, every fortieth command without. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ordinaryUser } from "./support/ordinary-user.ts";

const full = process.env.KARYI_FULL === "1";
const isRoot = process.getuid?.() === 0;
const timeout = full ? 1_800_000 : 180_000;

function problems(...starter: readonly string[]): unknown {
  const register = join(import.meta.dirname, "support/ts-register.mjs");
  const [program = process.execPath, ...first] = [...starter, process.execPath];
  const output = execFileSync(
    program,
    [...first, "--import", register, join(import.meta.dirname, "undo-commands.child.mjs"), String(full ? 1 : 40)],
    { env: { PATH: process.env.PATH, HOME: "/nonexistent", KARYI_DURABILITY: "off" }, encoding: "utf8", maxBuffer: 1 << 24 },
  );
  return JSON.parse(output);
}

describe("undo of commands, and of that undo", () => {
  it(`gives ${isRoot ? "root" : "an ordinary user"} everything back, what was closed too`, { timeout }, () => {
    expect(problems()).toEqual([]);
  });

  const title = `gives an ordinary user everything back, what was closed too${ordinaryUser.why}`;
  it.skipIf(!ordinaryUser.holds)(title, { timeout }, () => {
    expect(problems("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")).toEqual([]);
  });
});
