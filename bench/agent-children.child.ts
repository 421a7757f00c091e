/** Runs as many children at once as it is told, in a process of its own, and prints the most memory that it took. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "../src/index.ts";

export interface ChildrenMemory {
  readonly peakBytes: number;
}

const count = Number(process.argv[2]);
const place = mkdtempSync(join(tmpdir(), "karyi-bench-"));
try {
  const [child, parent] = [join(place, "child.json"), join(place, "parent.json")];
  // Long enough that the first one is still at work when the last one starts.
  writeFileSync(child, JSON.stringify([{ calls: [{ name: "Glob", input: { pattern: "*" } }] }, { text: "done", delay_ms: 20 * count }]));
  const call = { name: "Agent", input: { prompt: "work", mode: "background", model: `scripted/${child}` } };
  writeFileSync(parent, JSON.stringify([{ calls: Array.from({ length: count }, () => call) }, { text: "waiting" }, { text: "all done" }]));
  const engine = await createEngine({ workspace: place, home: join(place, "home"), env: {} });
  const session = await engine.openSession();
  let ended = 0;
  for await (const { type } of session.run({ prompt: "go", model: `scripted/${parent}` })) if (type === "subagent_end") ended += 1;
  await engine.close();
  if (ended !== count) throw new Error(`${ended} of ${count} children ended`);
  const memory: ChildrenMemory = { peakBytes: process.resourceUsage().maxRSS * 1024 };
  process.stdout.write(JSON.stringify(memory));
} finally {
  rmSync(place, { recursive: true, force: true });
}
