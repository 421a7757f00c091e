// Runs a command that makes many files, then its undo, and says what memory the process had at most after each, in MB:
// many-files.child.mjs DIRECTORY COUNT
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine } from "../dist/index.js";

const [directory = "", count = "100"] = process.argv.slice(2);
const highest = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
const workspace = join(directory, "workspace");
mkdirSync(workspace);
const engine = await createEngine({ workspace, home: join(directory, "home"), approve: "once" });
const session = await engine.openSession();
const command = `for d in $(seq 100); do mkdir d$d; for i in $(seq ${Number(count) / 100}); do echo $i > d$d/f$i; done; done`;
const done = await session.call("Bash", { command, timeout: 600_000 });
const run = highest();
const undone = await session.undo({ last: 1 });
const undo = highest();
await engine.close();
if (done.status !== "ok" || undone.status !== "ok") throw new Error(`${done.output}\n${undone.output}`);
process.stdout.write(JSON.stringify({ run, undo }));
