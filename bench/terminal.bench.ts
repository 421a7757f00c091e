/** What the Terminal tool adds to a command in a shell that is already there: to one that does nothing, one that prints a line, one that starts a program. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { record } from "./measure.ts";
import { smoke } from "./place.ts";
import type { TerminalTimes } from "./terminal.child.ts";

const bound = 2;

it(`a command in the terminal takes at most ${bound} times the same in a bare pty`, () => {
  const register = join(import.meta.dirname, "../test/support/ts-register.mjs");
  const child = spawnSync(process.execPath, ["--import", register, join(import.meta.dirname, "terminal.child.ts")], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  const answers = (JSON.parse(child.stdout) as TerminalTimes[]).map((times) => ({ ...times, ratio: times.oursMs / times.limitMs }));
  for (const { command, ...times } of answers) {
    record({ ...times, name: `terminal: \`${command}\` over the same in a bare pty`, bound, target: "3 ms" });
  }
  if (!smoke) for (const { ratio } of answers) expect(ratio).toBeLessThanOrEqual(bound);
});
