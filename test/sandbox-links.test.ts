/** A file with several names of which a captured command changes one: the others keep what they held, and the result says so. */
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";

it.skipIf(!holds)(
  `one of several names that is changed is parted from the others, which is said; what is tied anew is not${why}`,
  async () => {
    const workspace = realpathSync(await temporaryDirectory());
    execFileSync("bash", ["-c", "echo one > x; ln x y; echo two > p; ln p q; echo three > m; ln m n"], { cwd: workspace });
    const { engine } = await testEngine({ workspace });
    const session = await engine.openSession();
    const command = "echo more >> x; echo more >> p; ln -f p q; chmod 600 m";
    const planned = await session.call("Bash", { command }, { dryRun: true });
    expect(planned.output).toContain("  m m\n  ~ p\n  ~ q\n  ~ x  (its other names keep what they hold)\n");
    const done = await session.call("Bash", { command });
    expect(done.output).toBe("[other names of these files keep what they held: x]");
    const { changes } = done.data as { changes: readonly { path: string; parted?: boolean }[] };
    expect(changes.filter(({ parted }) => parted).map(({ path }) => path)).toEqual([join(workspace, "x")]);
    const texts = () => ["x", "y", "p", "q"].map((name) => readFileSync(join(workspace, name), "utf8"));
    expect(texts()).toEqual(["one\nmore\n", "one\n", "two\nmore\n", "two\nmore\n"]);
    await session.undo(done.callId);
    expect(texts()).toEqual(["one\n", "one\n", "two\n", "two\n"]);
  },
);
