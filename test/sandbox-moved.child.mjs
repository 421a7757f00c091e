// Moves a captured command to the background and waits to be killed: node --import ts-register sandbox-moved.child.mjs WORKSPACE HOME COMMAND
import { createEngine } from "../src/index.ts";

const [workspace = "", home = "", command = ""] = process.argv.slice(2);
const engine = await createEngine({ workspace, home, approve: async () => "once", config: { foregroundBudgetMs: 100 } });
const session = await engine.openSession();
const { output } = await session.call("Bash", { command });
process.stdout.write(output);
