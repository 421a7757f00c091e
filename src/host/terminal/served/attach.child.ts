/** A person's side in a process of its own: joins the terminal given and says how it ended. */
import { attachTerminal } from "../index.ts";

const how = await attachTerminal(process.argv[2] ?? "", process.stdin, process.stdout).catch((error: Error) => error.message);
process.stdout.write(`ended: ${how}\n`);
