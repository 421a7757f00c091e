// Does one thing through the engine and says when it begins; killed by its parent: sandbox-kill.child.mjs WORKSPACE HOME run COMMAND | undo CALL
import { createEngine } from "../src/index.ts";

const [workspace = "", home = "", what = "", argument = ""] = process.argv.slice(2);
const engine = await createEngine({ workspace, home, approve: async () => "once" });
const session = await engine.openSession();
// The first command pays for what is started once.
if (what === "run") await session.call("Bash", { command: "true" });
process.stdout.write("begin\n");
const { status } = what === "run" ? await session.call("Bash", { command: argument }) : await session.undo(argument);
await engine.close();
process.stdout.write(`${status}\n`);
