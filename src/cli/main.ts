/** Entry of the command. */
import "./without-jit.ts";
import { hookFlags } from "./hook-flags.ts";

// Whoever reads may stop reading: `karyi history | head -1`.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(process.exitCode ?? 0);
  });
}

// No `await` at the top: the bundle of the command is a script, not a module. Errors end inside.
const hook = hookFlags(process.argv.slice(2));
if (hook === undefined) void import("./program.ts").then(({ buildProgram }) => buildProgram().parseAsync(process.argv));
else
  void import("./commands/answer-hook.ts").then(async ({ answerAgent }) => {
    const code = await answerAgent(hook.agent, hook.flags);
    // Nothing is left to do, so the heap is not taken apart piece by piece.
    process.stdout.write("", () => process.exit(code));
  });
