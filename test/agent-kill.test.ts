/** `kill -9` while an agent runs, then `--resume`: nothing acknowledged is lost, nothing runs twice unmarked. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { runWithEvents } from "./support/run-command.ts";

const kills = process.env.KARYI_FULL ? 100 : 20;
const steps = 5;

/** Each step adds one line to one file: a step that ran twice, or was lost, shows in it. */
const script = Array.from({ length: steps }, (_, step) => ({
  text: `Step ${step}.`,
  calls: [
    { name: "Read", input: { file_path: "log.txt" } },
    { name: "Bash", input: { command: `echo step-${step} >> log.txt` } },
  ],
}));

it(`after ${kills} kills a resumed run has done each step once, or says that its outcome is unknown`, async () => {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  const file = join(home, "script.yaml");
  await writeFile(file, stringify([...script, { text: "All steps are done." }]));
  let left = kills;
  for (let round = 0; left > 0; round++) {
    await writeFile(join(workspace, "log.txt"), "");
    const flags = ["--workspace", workspace, "--home", home, "--session", `s${round}`, "--mode", "accept-edits", "--approve", "yes"];
    const begin = ["go", "--model", `scripted/${file}`];
    let ended: { readonly status: string; readonly rounds: number } | undefined;
    for (let attempt = 0; ended === undefined; attempt++) {
      const run = runWithEvents([...(attempt === 0 ? begin : ["--resume"]), ...flags]);
      // The moment is chosen by what happened, not by a clock: after the n-th event of this process.
      const after = 1 + ((round * 7 + attempt * 5) % 11);
      run.child.stdout?.on("data", () => {
        if (left > 0 && run.events.length >= after && run.child.kill("SIGKILL")) left -= 1;
      });
      await run.ended;
      ended = run.events.find(({ type }) => type === "run_end");
      // A kill after the run was over leaves nothing to resume.
      if (ended === undefined && attempt > 0 && run.events.length === 0) break;
    }
    const lines = (await karyi(["sessions", "export", ...flags.slice(0, 6)])).stdout.trim().split("\n");
    const events = lines.map((line) => JSON.parse(line));
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(of("run_end")).toMatchObject([{ status: "done", text: "All steps are done.", rounds: steps + 1 }]);
    expect([of("run_start").length, of("turn_start").length, of("turn_end").length]).toEqual([1, steps + 1, steps + 1]);
    const results = of("tool_result").filter(({ tool }) => tool === "Bash");
    expect(results).toHaveLength(steps);
    const text = await readFile(join(workspace, "log.txt"), "utf8");
    for (const [step, { status }] of results.entries()) {
      const times = text.split(`step-${step}\n`).length - 1;
      expect(times).toBeLessThanOrEqual(1);
      if (status === "ok") expect(times).toBe(1);
    }
  }
}, 300_000);
