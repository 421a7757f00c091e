// Five agents in one process, each with its own session, editing their own lines of one file as fast as they can.
// Started by concurrent-edits.test.ts: workspace, home, name, rounds. Says "ready", starts at the first line on stdin.
import { once } from "node:events";
import { createEngine } from "../../dist/index.js";

const [workspace, home, name, rounds] = process.argv.slice(2);
const engine = await createEngine({ workspace, home, mode: "accept-edits" });
const sessions = await Promise.all([0, 1, 2, 3, 4].map((agent) => engine.openSession({ id: `${name}-${agent}` })));
process.stdout.write("ready\n");
await once(process.stdin, "data");

const attempts = await Promise.all(sessions.map(work));
await engine.close();
process.stdout.write(`${JSON.stringify({ attempts })}\n`);
process.exit(0);

/** As a model would: told that the file changed, it reads again and repeats the edit. */
async function work(session, agent) {
  let tried = 0;
  for (let round = 0; round < Number(rounds); round += 1) {
    const edit = { file_path: "board.txt", old_string: `${name}-${agent}: ${round};`, new_string: `${name}-${agent}: ${round + 1};` };
    for (;;) {
      tried += 1;
      const result = await session.call("Edit", edit);
      if (result.status === "ok") break;
      if (result.error?.details?.reason !== "stale_file") throw new Error(result.output);
      await session.call("Read", { file_path: "board.txt" });
    }
  }
  return tried;
}
