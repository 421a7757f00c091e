/**
 * Real commands of coding agents (`../shared/corpora/agent-commands.jsonl`, where it is there): how many are asked about before
 * anything ran, and how many are denied. A sample: what counts is that few people are disturbed, not which command disturbs them.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import type { Mode } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";

const corpus = resolve(import.meta.dirname, "../../shared/corpora/agent-commands.jsonl");
const holds = (await capturingHere()).includes("E0");
const why = !existsSync(corpus) ? " (skipped: the corpus is not here)" : holds ? "" : " (skipped: tier E0 does not hold here)";

/** Parts of the commands that would be asked about and denied before anything ran. */
async function judged(mode: Mode): Promise<{ readonly asked: number; readonly denied: number }> {
  const { engine, workspace } = await testEngine({ mode });
  execFileSync("git", ["init", "-q", workspace]);
  const session = await engine.openSession();
  const rows = readFileSync(corpus, "utf8").trim().split("\n");
  const counts = { allow: 0, rehearse: 0, ask: 0, deny: 0 };
  for (const row of rows) {
    const { command } = JSON.parse(row) as { readonly command: string };
    const { decision } = await session.explain("Bash", { command: command.replaceAll("/repo", workspace) });
    counts[decision.verdict] += 1;
  }
  return { asked: counts.ask / rows.length, denied: counts.deny / rows.length };
}

describe.skipIf(why !== "")(`commands of agents${why}`, { timeout: 300_000 }, () => {
  it("in default at most 5 % ask before anything ran, and at most 1.6 % are denied", async () => {
    const { asked, denied } = await judged("default");
    expect(asked).toBeLessThanOrEqual(0.05);
    expect(denied).toBeLessThanOrEqual(0.016);
  });

  it("in auto at most 2 % are denied", async () => {
    const { asked, denied } = await judged("auto");
    expect(asked).toBe(0);
    expect(denied).toBeLessThanOrEqual(0.02);
  });
});
