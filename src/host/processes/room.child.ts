/** Runs one command in the background and says when it is there; for tests that kill it. */
import { BackgroundTasks } from "./background-tasks.ts";
import { ProcessRoom } from "./create-processes.ts";

const [command = ""] = process.argv.slice(2);
const room = new ProcessRoom(process.env, { plain: true });
const tasks = new BackgroundTasks(1, () => {});
const { id } = await room.processes(tasks).background({ command, cwd: "/", env: {}, timeoutMs: 60_000 }, command);
const page = await tasks.output(id, 0, 30_000, new AbortController().signal);
process.stdout.write(page?.text ?? "");
