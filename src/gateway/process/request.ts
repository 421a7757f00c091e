/** The body of `POST /agent/process` (H1). A wrong shape is `invalid_request`, one of `biz_params.tool` is `invalid_tool_input`. */
import { z } from "@hono/zod-openapi";
import type { JsonObject } from "../../contract/index.ts";
import { invalid, Problem } from "../problem.ts";

const name = z.string().min(1).max(512);

export const processBody = z
  .looseObject({
    /** Messages: `{role, type: "message", content: [{type: "text", text}]}`. */
    input: z.array(z.unknown()),
    session_id: name,
    user_id: name,
    channel: name,
    stream: z.boolean().optional(),
    biz_params: z.looseObject({ tool: z.unknown().optional() }).optional(),
  })
  .openapi("ProcessRequest");

export type ProcessBody = z.infer<typeof processBody>;

const toolNames = ["read_file", "create_file", "update_file", "shell"] as const;
type ToolName = (typeof toolNames)[number];

const path = z.string().min(1).max(4096);

const inputs = {
  read_file: z.strictObject({ path }),
  create_file: z.strictObject({ path, content: z.string() }),
  update_file: z.strictObject({ path, content: z.string(), mode: z.enum(["overwrite", "append"]).default("overwrite") }),
  shell: z.strictObject({
    command: z.string().regex(/\S/, "must not be empty"),
    cwd: path.optional(),
    timeout_seconds: z.number().positive().max(120).default(20),
  }),
} as const;

export type ToolInput<N extends ToolName> = z.infer<(typeof inputs)[N]>;
export type DirectTool = { readonly [N in ToolName]: { readonly name: N; readonly input: ToolInput<N> } }[ToolName];

export interface DirectToolOptions {
  readonly enableShell: boolean;
}

/** The tool that is asked for; `undefined` if the message goes to the agent. */
export function directToolOf({ biz_params }: ProcessBody, { enableShell }: DirectToolOptions): DirectTool | undefined {
  if (biz_params === undefined || !Object.hasOwn(biz_params, "tool")) return undefined;
  const { tool } = biz_params;
  if (!isObject(tool)) throw wrongInput("`biz_params.tool` must be an object with `name` and `input`.");
  if (typeof tool.name !== "string") throw wrongInput("`biz_params.tool.name` must be a string.");
  const known = toolNames.find((candidate) => candidate === tool.name);
  if (known === undefined) {
    const closest = toolNames.join(", ");
    throw new Problem(404, "tool_not_found", `There is no tool '${tool.name.slice(0, 200)}'. There are: ${closest}.`, {
      details: { reason: "unknown_tool" },
    });
  }
  if (known === "shell" && !enableShell) {
    throw new Problem(403, "tool_disabled", "The shell is off on this server; it is turned on with `karyi serve --enable-shell`.", {
      details: { reason: "shell_off" },
    });
  }
  if (!isObject(tool.input)) throw wrongInput("`biz_params.tool.input` must be an object.");
  const parsed = inputs[known].safeParse(tool.input);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path: at, message }) => ({ path: at.map(String).join("."), message }));
    throw wrongInput(problems.map(({ path: at, message }) => (at === "" ? message : `${at}: ${message}`)).join("; "), { problems });
  }
  return { name: known, input: parsed.data } as DirectTool;
}

/** The words of the last message of the person. */
export function promptOf(input: readonly unknown[]): string {
  const words = input
    .filter((message) => isObject(message) && (message.role === undefined || message.role === "user"))
    .map((message) => textOf(message as JsonObject))
    .filter((text) => text.trim() !== "");
  const last = words.at(-1);
  if (last === undefined) throw invalid("`input` holds no text of a user.", { parameter: "input" });
  return last;
}

function textOf({ content, text }: JsonObject): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return typeof text === "string" ? text : "";
  return content.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : [])).join("\n");
}

export function wrongInput(message: string, details?: JsonObject): Problem {
  return new Problem(400, "invalid_tool_input", message, details === undefined ? {} : { details });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
