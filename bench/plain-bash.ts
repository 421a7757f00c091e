/** The Bash tool as it is, on a plain process group: what a namespace costs is the machine's, not the tool's. */
import type { RunContext, ShellRequest, Tool } from "../src/contract/index.ts";
import type { ProcessRoom } from "../src/host/index.ts";
import { bash } from "../src/tools/shell/index.ts";

export function plainBash(room: ProcessRoom): Tool {
  return {
    ...bash,
    name: "PlainBash",
    aliases: [],
    run(input: unknown, context: RunContext) {
      return bash.run(input, { ...context, processes: { ...context.processes, run: (request: ShellRequest) => room.run(request) } });
    },
  };
}
