/**
 * ProposeTool (A8): a model hands in a tool it would like to have. Nothing of it runs: it is checked, kept, and shown to a person.
 * Refuses at once: a taken name, no identifier, a bad schema, bad syntax, a secret in it, too many of one session.
 */
import { z } from "zod";
import { defineTool, type JsonSchema, type Tool, ToolFailure } from "../contract/index.ts";
import { type Interpreter, isModule, type ProposalText, shebangOf } from "./proposal.ts";
import { maxProposalsOfSession, type Proposals } from "./proposals.ts";

export interface ProposeToolPorts {
  readonly proposals: Proposals;
  /** True if a tool that is no proposal has this name or alias. */
  isTaken(name: string): boolean;
  schemaProblem(schema: JsonSchema): string | undefined;
  /** True if something in the text looks like a secret or is one. */
  holdsSecret(text: string): boolean;
  /** What an interpreter says against a script, without running it. */
  syntaxProblem(interpreter: Interpreter, script: string, asModule: boolean, signal: AbortSignal): Promise<string | undefined>;
  /** The session at the top of this one. */
  topSession(sessionId: string): Promise<string>;
  now(): number;
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,47}$/;
const maxScriptBytes = 48 * 1024;

const input = z.object({
  name: z.string().describe("An identifier"),
  description: z.string().min(1).max(1024).describe("What it does"),
  input_schema: z.looseObject({}).describe("JSON Schema of its input"),
  script: z.string().describe("Begins with #! and node, bash or python3; JSON on stdin, stdout is the output"),
  reason: z.string().min(1).max(4000).describe("Why, for the person"),
});

export function createProposeTool(ports: ProposeToolPorts): Tool {
  return defineTool<z.output<typeof input>>({
    name: "ProposeTool",
    aliases: ["propose_tool"],
    description: "Proposes a new tool, written as a script. It works from the next start on, if the person approves it.",
    input,
    example: {
      name: "shout",
      description: "Says it loud.",
      input_schema: { type: "object" },
      script: "#!/bin/bash\ntr a-z A-Z\n",
      reason: "Needed often.",
    },
    traits: { searchHint: "propose new tool create extend evolve script" },
    plan: ({ name }) => ({ summary: `Propose the tool ${name}`, effects: [{ kind: "state", area: "tools" }] }),
    async run({ name, description, input_schema, script, reason }, { session, signal }) {
      const text: ProposalText = { name, description, inputSchema: input_schema as JsonSchema, script, reason };
      const top = await ports.topSession(session.id);
      await demandSound(text, top, ports, signal);
      const { id, version } = await ports.proposals.add(text, top, ports.now());
      return {
        output: `Proposed as ${id}. A person decides: karyi evolve show ${id}, then karyi evolve approve ${id}. It can be used from the next start on.`,
        data: { id, name, version, status: "pending" },
      };
    },
  });
}

async function demandSound(text: ProposalText, top: string, ports: ProposeToolPorts, signal: AbortSignal): Promise<void> {
  const { name, inputSchema, script } = text;
  if (!identifier.test(name) || name.includes("__"))
    throw refused("bad_name", `'${name}' is no identifier: letters, digits and '_', at most 48, no '__'.`);
  if (ports.isTaken(name))
    throw new ToolFailure("tool_conflict", `There is a tool '${name}' already.`, {
      hint: "Choose another name.",
      details: { reason: "already_exists" },
    });
  const schema = inputSchema.type === "object" ? ports.schemaProblem(inputSchema) : 'its "type" must be "object"';
  if (schema !== undefined) throw refused("bad_schema", `The input_schema cannot be used: ${schema}`);
  if (Buffer.byteLength(script) > maxScriptBytes) throw refused("too_long", `The script has more than ${maxScriptBytes} bytes.`);
  if (script.includes("\0") || script.includes("$KARYI{"))
    throw refused("bad_script", "The script holds a NUL or a $KARYI{…} placeholder. Take values from the input.");
  const shebang = shebangOf(script);
  if (shebang === undefined)
    throw refused("bad_script", "The script must begin with a line such as '#!/usr/bin/env node', with node, bash or python3.");
  if (ports.holdsSecret([name, text.description, text.reason, script, JSON.stringify(inputSchema)].join("\n")))
    throw refused("holds_secret", "The proposal holds what looks like a secret. Take it from the input, as a secure variable.");
  const wrong = await ports.syntaxProblem(shebang.interpreter, script, isModule(script), signal);
  if (wrong !== undefined) throw refused("bad_syntax", `The script is not valid: ${wrong}`);
  if ((await ports.proposals.countOfSession(top)) >= maxProposalsOfSession)
    throw new ToolFailure("tool_conflict", `This session has made ${maxProposalsOfSession} proposals, which is the most.`, {
      details: { reason: "too_many" },
    });
}

function refused(reason: string, message: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", message, { details: { reason } });
}
