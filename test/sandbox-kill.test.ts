/** Karyi is killed at random moments of a captured command, its commit and its undo: all or nothing, and undo still works. */
import { execFileSync, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { capturingHere, treeOf } from "../src/host/sandbox/fixtures/world.ts";
import { createEngine } from "../src/index.ts";
import { temporaryDirectory } from "./support/engine.ts";

const full = process.env.KARYI_FULL === "1";
const rounds = 15;
const holds = (await capturingHere()).length > 0;
const why = holds ? (full ? "" : " (skipped: long, with KARYI_FULL=1)") : " (skipped: no overlay here)";

const seed = `mkdir -p d/e f; for i in $(seq 60); do echo $i > d/e/$i; done; echo a > a; echo b > b; chmod 700 f; ln -s a link; mkfifo pipe; head -c 100000 /dev/zero > large`;
const command = `rm -rf d; mkdir d; for i in $(seq 60); do echo new > d/new$i; done; mv a moved; echo more >> b; chmod 755 f; ln -sfn b link; rm pipe; echo x >> large; mkdir -p x/y; echo z > x/y/z`;

/** A file that a killed process was writing. */
const leftover = /(^|\/)\.karyi-\S+\.tmp /;

interface Place {
  readonly workspace: string;
  readonly home: string;
  readonly cache: string;
}

async function place(): Promise<Place> {
  const [workspace, home, cache] = [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()];
  execFileSync("bash", ["-c", seed], { cwd: workspace });
  return { workspace, home, cache };
}

/** Starts the child and kills it so long after it began; answers how long it took where it ended by itself. */
function killed({ workspace, home, cache }: Place, what: "run" | "undo", argument: string, afterMs: number): Promise<number | undefined> {
  const loaders = ["support/ts-register.mjs", "sandbox-cache.mjs"].flatMap((name) => ["--import", resolve(import.meta.dirname, name)]);
  const child = spawn(
    process.execPath,
    [...loaders, join(import.meta.dirname, "sandbox-kill.child.mjs"), workspace, home, what, argument],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, KARYI_TS_CACHE: cache } },
  );
  return new Promise((resolve) => {
    let began = 0;
    let took: number | undefined;
    child.stdout.on("data", (chunk: Buffer) => {
      if (began === 0 && chunk.includes("begin")) {
        began = performance.now();
        if (Number.isFinite(afterMs)) setTimeout(() => child.kill("SIGKILL"), afterMs);
      }
      if (chunk.includes("ok")) took = performance.now() - began;
    });
    child.once("exit", () => resolve(took));
  });
}

/** The state of things as the next process finds it; `undone` where the last writing call could be taken back. */
async function reopened({
  workspace,
  home,
}: Place): Promise<{ found: readonly string[]; callId: string | undefined; undone: readonly string[] }> {
  const engine = await createEngine({ workspace, home, approve: async () => "once" });
  const found = treeOf(workspace);
  const session = await engine.openSession();
  const history = await session.history();
  const call = history.find(({ tool, summary, status }) => tool === "Bash" && summary.includes("rm -rf d") && status !== "rolled_back");
  if (call !== undefined) await session.undo(call.id);
  // A process looks for leftovers in a directory once a minute, and here all rounds are one process.
  const undone = treeOf(workspace).filter((line) => !leftover.test(line));
  await engine.close();
  return { found, callId: call?.id, undone };
}

describe.skipIf(!holds || !full)(`killed at random moments${why}`, () => {
  it(`a captured command is there as a whole or not at all, ${rounds} times`, { timeout: 900_000 }, async () => {
    const there = await place();
    const before = treeOf(there.workspace);
    const took = (await killed(there, "run", command, Number.POSITIVE_INFINITY)) ?? 0;
    const after = treeOf(there.workspace);
    expect((await reopened(there)).undone).toEqual(before);
    for (let round = 0; round < rounds; round++) {
      await killed(there, "run", command, Math.random() * took * 1.2);
      const { found, undone } = await reopened(there);
      expect([before, after]).toContainEqual(found);
      expect(undone).toEqual(before);
    }
  });

  it(`an undo is finished by the next start or has not begun, ${rounds} times`, { timeout: 900_000 }, async () => {
    const there = await place();
    const before = treeOf(there.workspace);
    let took = Number.POSITIVE_INFINITY;
    for (let round = 0; round <= rounds; round++) {
      const engine = await createEngine({ workspace: there.workspace, home: there.home, approve: async () => "once" });
      const session = await engine.openSession();
      const { callId, status } = await session.call("Bash", { command });
      expect(status).toBe("ok");
      await engine.close();
      const after = treeOf(there.workspace);
      const whole = await killed(there, "undo", callId, round === 0 ? took : Math.random() * took * 1.2);
      if (round === 0) took = whole ?? 0;
      const { found, undone } = await reopened(there);
      expect([before, after]).toContainEqual(found.filter((line) => !leftover.test(line)));
      expect(undone).toEqual(before);
    }
  });
});
