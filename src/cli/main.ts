/** Entry of the command. */
import "./without-jit.ts";
import { buildProgram } from "./program.ts";

// Whoever reads may stop reading: `karyi history | head -1`.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(process.exitCode ?? 0);
  });
}

// No `await` at the top: the bundle of the command is a script, not a module. Errors end inside.
void buildProgram().parseAsync(process.argv);
