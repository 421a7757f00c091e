// Makes one call (or `undo` of one, or only `recover`) and dies before the n-th change to the workspace (`n+`: after it), if it
// comes so far:
// nothing-lost.child.mjs WORKSPACE HOME TOOL INPUT N
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [workspace = "", home = "", tool = "", input = "{}", at = "0"] = process.argv.slice(2);
let changes = Number.NEGATIVE_INFINITY;
const counted =
  (original) =>
  (...args) => {
    // Blobs and records are in the home; files of the workspace are named through their directory's handle, also what comes there.
    if (!args.slice(0, 2).some((name) => String(name).startsWith("/proc/self/fd/")) || ++changes !== Number.parseInt(at, 10))
      return original(...args);
    const die = () => process.kill(process.pid, "SIGKILL");
    if (!at.endsWith("+")) return die();
    const done = args.pop();
    if (typeof done === "function") return original(...args, die);
    original(...args, done);
    die();
  };
for (const name of ["rename", "renameSync", "link", "linkSync", "unlink", "unlinkSync"]) fs[name] = counted(fs[name]);
syncBuiltinESMExports();

const { createEngine } = await import("../dist/index.js");
if (tool === "recover") changes = 0;
const engine = await createEngine({ workspace, home, mode: "accept-edits", approve: async () => "once" });
const session = await engine.openSession({ id: "killed" });
changes = 0;
const { callId = "killed", ...request } = JSON.parse(input);
if (tool === "recover") process.stdout.write("ok");
else {
  const result = tool === "undo" ? await session.undo(callId) : await session.call(tool, request, { callId });
  process.stdout.write(result.status === "ok" ? "ok" : result.output);
}
await engine.close();
