/** Entry of the command. */
import { buildProgram } from "./program.ts";

// No `await` at the top: the bundle of the command is a script, not a module. Errors end inside.
void buildProgram().parseAsync(process.argv);
