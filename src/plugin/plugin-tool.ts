/**
 * A tool of a plugin: a program that gets its input as JSON on stdin; stdout is the output, a non-zero exit an error.
 * Somebody else's deed: judged as `remote`, whatever its traits say. Gets the named variables and no others.
 */
import { defineTool, type JsonSchema, type Tool, ToolFailure, type ToolOutput, type Traits, type Values } from "../contract/index.ts";
import { type PluginTool, pluginToolNames, pluginToolTimeoutMs } from "./manifest.ts";

interface ProgramRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface ProgramOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** Bytes that were dropped, because nobody could keep them. */
  readonly dropped: number;
}

export interface PluginToolPorts {
  readonly folder: string;
  /** Rejects if the copy is no longer what was added. */
  demandUnchanged(): Promise<void>;
  run(request: ProgramRequest): Promise<ProgramOutcome>;
  variable(name: string): string | undefined;
}

/** The engine's own limit comes later than the program's, so that the program's words are told. */
const endingMs = 10_000;

export function createPluginTool(plugin: string, tool: PluginTool, ports: PluginToolPorts): Tool {
  const { name, alias } = pluginToolNames(plugin, tool.name);
  const timeoutMs = tool.timeout_ms ?? pluginToolTimeoutMs;
  return defineTool<object, "values">({
    name,
    aliases: [alias],
    description: tool.description,
    input: tool.input_schema as JsonSchema,
    traits: traitsOf(tool),
    importedFrom: plugin,
    needs: ["values"],
    timeoutMs: timeoutMs + endingMs,
    graceMs: endingMs,
    plan: (input) => ({
      summary: `Run ${name}`,
      effects: [{ kind: "remote", server: plugin, tool: name }],
      preview: { type: "text", text: `${tool.command.join(" ")}\n${JSON.stringify(input, undefined, 2)}` },
    }),
    async run(input, { session, signal, values }) {
      await ports.demandUnchanged();
      const outcome = await ports.run({
        argv: tool.command,
        cwd: ports.folder,
        env: { ...(await namedVariables(tool.env ?? [], name, ports, values)), KARYI_WORKSPACE: session.workspace },
        input: JSON.stringify(input),
        timeoutMs,
        signal,
      });
      return outputOf(name, outcome, timeoutMs);
    },
  });
}

/** What the person's own environment has, else a secure variable of that name. */
async function namedVariables(
  names: readonly string[],
  tool: string,
  ports: PluginToolPorts,
  values: Pick<Values, "list" | "reveal">,
): Promise<Record<string, string>> {
  const always = ["PATH", "HOME", "LANG", "LC_ALL"];
  const found: Record<string, string> = {};
  const kept = names.length === 0 ? [] : (await values.list()).map((one) => one.name);
  for (const name of [...always, ...names]) {
    const value = ports.variable(name) ?? (kept.includes(name) ? await values.reveal(name, { tool, hosts: [] }) : undefined);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function outputOf(name: string, { exitCode, stdout, stderr, timedOut, dropped }: ProgramOutcome, timeoutMs: number): ToolOutput {
  const lost = dropped > 0 ? `\n[${dropped} bytes of output were not kept]` : "";
  const both = [stdout, stderr].filter((text) => text !== "").join("\n");
  if (timedOut) {
    throw new ToolFailure("timeout", `${name} took longer than ${timeoutMs} ms and was ended.`, {
      output: `${both}${lost}`,
      details: { reason: "timeout", timeout_ms: timeoutMs },
    });
  }
  if (exitCode !== 0) {
    throw new ToolFailure("tool_error", `${name} ended with exit code ${exitCode}.`, {
      output: `${both}${lost}`,
      details: { reason: "exit_nonzero", exit_code: exitCode },
      data: { exit_code: exitCode, stdout, stderr },
    });
  }
  return { output: `${stdout}${lost}`, data: { exit_code: exitCode, ...(stderr === "" ? {} : { stderr }) } };
}

function traitsOf({ traits = {} }: PluginTool): Partial<Traits> {
  const { read_only, concurrency_safe, destructive, search_hint, permission } = traits;
  return {
    readOnly: read_only ?? false,
    concurrencySafe: concurrency_safe ?? false,
    destructive: destructive ?? false,
    searchHint: search_hint ?? "",
    ...(permission === undefined ? {} : { permission }),
  };
}
