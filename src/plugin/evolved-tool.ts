/**
 * An approved proposal as a tool. It runs as a command does, through the given command tool: judged, rehearsed, confined and
 * undone like one. The script itself is handed over in the command, because Karyi's home does not exist in a sandbox.
 */
import { createHash } from "node:crypto";
import {
  defineTool,
  type Json,
  type Plan,
  type RehearsedCall,
  type RunContext,
  type Tool,
  ToolFailure,
  type ToolOutput,
} from "../contract/index.ts";
import { isModule, type Proposal, shebangOf } from "./proposal.ts";

const timeoutMs = 30_000;
/** With the script it must fit into one argument of a program, which the system bounds at 128 KiB. */
const maxInputBytes = 64 * 1024;

export function createEvolvedTool(proposal: Proposal, bash: Tool): Tool {
  const { name, version, description, inputSchema } = proposal;
  const commandOf = (input: Json) => ({
    command: commandText(proposal, JSON.stringify(input)),
    timeout: timeoutMs,
    run_in_background: false,
  });
  return defineTool<Json, "files" | "processes" | "values" | "search", unknown>({
    name,
    description,
    input: inputSchema,
    needs: ["files", "processes", "values", "search"],
    timeoutMs: timeoutMs + 8_000,
    graceMs: 8_000,
    async plan(input, context): Promise<Plan> {
      const plan = (await bash.plan?.(commandOf(input), context)) as Plan;
      const text = `karyi-tool ${name}`;
      return {
        ...plan,
        summary: `Run the approved tool ${name} (version ${version})`,
        effects: [
          { kind: "run", program: name, text, understood: false, reason: `${name} is a script that a model wrote and a person approved` },
        ],
        preview: { type: "command", command: `${text} ${JSON.stringify(input)}`, cwd: context.session.cwd },
        report: { tool: name, version },
      };
    },
    async rehearse(input, context, rehearsal): Promise<RehearsedCall> {
      if (bash.rehearse === undefined) throw new Error("commands cannot be rehearsed here");
      const rehearsed = await bash.rehearse(commandOf(input), context, rehearsal);
      const { ending } = rehearsed;
      return ending.kind === "output" ? { ...rehearsed, ending: { kind: "output", output: stdoutOnly(ending.output) } } : rehearsed;
    },
    async run(input, context): Promise<ToolOutput> {
      return stdoutOnly(await bash.run(commandOf(input), context as RunContext));
    },
  });
}

/** What was printed on stdout is the output; the rest stays in the data. */
function stdoutOnly(output: ToolOutput): ToolOutput {
  const { stdout } = (output.data ?? {}) as { readonly stdout?: Json };
  return typeof stdout === "string" && output.truncated === undefined ? { ...output, output: stdout } : output;
}

/** In a shell of its own: neither its directory nor its variables are the session's. */
function commandText({ script }: Proposal, input: string): string {
  if (Buffer.byteLength(input) > maxInputBytes) {
    throw new ToolFailure("invalid_tool_input", `The input has more than ${maxInputBytes} bytes.`, { details: { reason: "too_long" } });
  }
  const shebang = shebangOf(script);
  if (shebang === undefined) throw new Error("an approved script names its interpreter");
  const mark = `KARYI_${createHash("sha256").update(script).update(input).digest("hex").slice(0, 24)}`;
  const file = isModule(script) && shebang.interpreter === "node" ? "tool.mjs" : "tool";
  const body = script.endsWith("\n") ? script : `${script}\n`;
  return [
    "(d=$(mktemp -d) || exit 1; trap 'rm -rf -- \"$d\"' EXIT",
    `cat >"$d/${file}" <<'${mark}_SCRIPT'`,
    `${body}${mark}_SCRIPT`,
    `${[shebang.interpreter, ...shebang.flags].join(" ")} "$d/${file}" <<'${mark}_INPUT'`,
    input,
    `${mark}_INPUT`,
    ")",
  ].join("\n");
}
