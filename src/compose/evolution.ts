/** Wires proposals of tools (A8): where they are kept, how a script is checked, and which approved ones are registered. */
import { join } from "node:path";
import type { JsonSchema, Tool } from "../contract/index.ts";
import { findProgram, recordFiles, runProgram } from "../host/index.ts";
import { createEvolvedTool, createProposeTool, Proposals } from "../plugin/index.ts";
import { schemaProblem } from "../registry/index.ts";
import { bash } from "../tools/shell/index.ts";

export interface EvolutionOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if a tool that is no proposal has this name. */
  isTaken(name: string): boolean;
  holdsSecret(text: string): boolean;
  topSession(sessionId: string): Promise<string>;
}

export function openProposals(home: string): Proposals {
  return new Proposals(recordFiles(join(home, "proposals")));
}

export function proposeTool({ home, env, ...rest }: EvolutionOptions): Tool {
  return createProposeTool({
    proposals: openProposals(home),
    ...rest,
    schemaProblem: (schema: JsonSchema) => schemaProblem(schema),
    syntaxProblem: (interpreter, script, asModule, signal) => syntaxProblem(env, interpreter, script, asModule, signal),
    now: Date.now,
  });
}

/** Of each approved name its newest version. */
export async function evolvedTools(home: string): Promise<readonly Tool[]> {
  return (await openProposals(home).inForce()).map((proposal) => createEvolvedTool(proposal, bash));
}

const checkTimeoutMs = 20_000;

/** Each interpreter reads the script on stdin and runs nothing of it. */
async function syntaxProblem(
  env: EvolutionOptions["env"],
  interpreter: "node" | "bash" | "python3",
  script: string,
  asModule: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const checks = {
    bash: ["bash", "-n", "/dev/stdin"],
    node: ["node", `--input-type=${asModule ? "module" : "commonjs"}`, "--check", "-"],
    python3: ["python3", "-I", "-c", "import ast, sys; ast.parse(sys.stdin.buffer.read(), 'script')"],
  };
  const path = env.PATH ?? "";
  if (findProgram(interpreter, path, "/") === undefined) return `${interpreter} is not installed here`;
  const kept = Object.fromEntries(["PATH", "HOME"].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const { exitCode, stderr } = await runProgram({
    argv: checks[interpreter],
    cwd: "/",
    env: { ...kept, LC_ALL: "C" },
    input: script,
    timeoutMs: checkTimeoutMs,
    signal,
  });
  return exitCode === 0 ? undefined : stderr.trim().slice(0, 500);
}
