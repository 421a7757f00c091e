// Edits `x` through the engine and dies when half of the change is in the file. Started by dying-writer.test.ts: workspace,
// home, and where the first difference is.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createEngine } from "../../dist/index.js";

const [workspace, home, first] = process.argv.slice(2);
const { write } = fs;
fs.write = (fd, bytes, offset, count, position, done) => {
  if (position !== Number(first)) return write(fd, bytes, offset, count, position, done);
  fs.writeSync(fd, bytes, offset, Math.floor(count / 2), position);
  process.kill(process.pid, "SIGKILL");
};
syncBuiltinESMExports();

const engine = await createEngine({ workspace, home, mode: "accept-edits", env: {}, approve: async () => "once" });
const session = await engine.openSession({ id: "dying" });
const edit = { file_path: "x", old_string: "old", new_string: "new", replace_all: true };
console.error((await session.call("Edit", edit, { callId: "half" })).output);
