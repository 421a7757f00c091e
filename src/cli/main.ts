/** Entry of the command. */
import { buildProgram } from "./program.ts";

const program = buildProgram();
await program.parseAsync(process.argv);
