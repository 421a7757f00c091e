// Runs a command that changes s.txt and stops itself while it holds the lock; says on stdout what came of it when it was continued:
// lock-holder.child.mjs WORKSPACE HOME
import { createEngine } from "../dist/index.js";

const [workspace = "", home = ""] = process.argv.slice(2);
const engine = await createEngine({ workspace, home, mode: "accept-edits", approve: async () => "once" });
const session = await engine.openSession({ id: "holder" });
let stopped = false;
const result = await session.call(
  "Bash",
  { command: "echo started; sleep 1; echo two > s.txt" },
  {
    onProgress: () => {
      if (stopped) return;
      stopped = true;
      process.kill(process.pid, "SIGSTOP");
    },
  },
);
process.stdout.write(JSON.stringify({ status: result.status, reason: result.error?.details?.reason }));
await engine.close();
