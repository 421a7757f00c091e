/** Runs one command, in the foreground or in the background, and says when it is there; for tests that kill it. */
import { BackgroundTasks } from "./background-tasks.ts";
import { ProcessRoom } from "./create-processes.ts";

const [command = "", way = "background"] = process.argv.slice(2);
const never = new AbortController().signal;

if (way === "foreground") {
  const room = new ProcessRoom(process.env);
  await room.run({
    command,
    cwd: "/",
    env: {},
    timeoutMs: 60_000,
    signal: never,
    onOutput: (_, chunk) => void process.stdout.write(chunk),
  });
}
const room = new ProcessRoom(process.env, { plain: true });
const tasks = new BackgroundTasks(1, () => {});
const { id } = await room.processes(tasks).background({ command, cwd: "/", env: {}, timeoutMs: 60_000 }, command);
const page = await tasks.output(id, 0, 30_000, never);
process.stdout.write(page?.text ?? "");
