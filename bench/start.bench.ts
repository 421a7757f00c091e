/** What a call from the command line costs over starting Node at all. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { question } from "./measure.ts";
import { numberedLines, temporaryDirectory } from "./place.ts";

const command = join(import.meta.dirname, "../bin/karyi.js");
const workspace = temporaryDirectory();
const home = temporaryDirectory();
writeFileSync(join(workspace, "a.txt"), numberedLines(20));

question({
  name: "start: `karyi call Read` over `node -e 0`",
  limit: () => run(["-e", "0"]),
  ours: () => run([command, "call", "Read", '{"file_path":"a.txt"}', "--workspace", workspace, "--home", home]),
  bound: 2.5,
  pairs: 31,
});

function run(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: workspace, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`);
}
