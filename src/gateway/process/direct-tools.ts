/**
 * The four tools of `/agent/process` as adapters over Read, Write and Bash. A call by an authenticated client is that
 * person's consent: inside the roots it runs without asking; what a rule denies stays denied.
 */
import { type CallRequest, errorText, type JsonObject, noOutputText, type Result, type SessionHandle } from "../../contract/index.ts";
import type { GatewayDesk } from "../ports.ts";
import { Problem, problemOfResult } from "../problem.ts";
import { refuseOutside, refuseSystemText, refuseTraversal } from "./boundaries.ts";
import type { Queue } from "./queue.ts";
import { type DirectTool, type ToolInput, wrongInput } from "./request.ts";

const readBytes = 64 * 1024;
/** Longer files cannot be appended to here: they would have to be held in memory. */
const maxAppendBytes = 8 * 1024 * 1024;

export interface DirectCall {
  readonly session: SessionHandle;
  readonly desk: GatewayDesk;
  readonly queue: Queue;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Who calls and where from. */
  readonly by: string;
}

/** The `tool_result` of a call that was done; a failed one throws its Problem. */
export async function runDirectTool(tool: DirectTool, call: DirectCall): Promise<JsonObject> {
  switch (tool.name) {
    case "read_file":
      return readFile(tool.input, call);
    case "create_file":
      return createFile(tool.input, call);
    case "update_file":
      return updateFile(tool.input, call);
    case "shell":
      return shell(tool.input, call);
  }
}

async function readFile({ path }: ToolInput<"read_file">, call: DirectCall): Promise<JsonObject> {
  const facts = await placeOf(path, call);
  if (facts.kind !== "file" && facts.kind !== "absent" && facts.kind !== "unreadable") {
    throw wrongInput(`${path} is a ${facts.kind}, not a file.`, { reason: `is_${facts.kind}` });
  }
  const result = await begin("Read", { file_path: facts.real }, call);
  // A picture that cannot be shown is no text either.
  const looked = result.status === "ok" || (facts.kind === "file" && result.error?.code === "tool_error");
  const head = looked ? await call.desk.readText(facts, readBytes) : undefined;
  if (!looked || head !== undefined) succeed(result);
  if (head === undefined) throw wrongInput(`${path} is not a text file.`, { reason: "not_text", path });
  const content = call.desk.mask(head.text);
  return { ok: true, path, size: head.size, truncated: head.truncated, content, text: content };
}

async function createFile({ path, content }: ToolInput<"create_file">, call: DirectCall): Promise<JsonObject> {
  const { real } = await placeOf(path, call);
  if (path.endsWith("/")) throw wrongInput(`${path} names a directory, not a file.`, { reason: "is_directory" });
  return call.queue.run(real, async () => {
    const { kind } = await placeOf(path, call);
    if (kind !== "absent") {
      throw new Problem(409, "tool_conflict", `${path} exists already.`, { details: { reason: "already_exists", path } });
    }
    const size = writtenBytes(succeed(await begin("Write", { file_path: real, content }, call)));
    return { ok: true, path, size, text: `created ${path} (${size} bytes)` };
  });
}

async function updateFile({ path, content, mode }: ToolInput<"update_file">, call: DirectCall): Promise<JsonObject> {
  const { real } = await placeOf(path, call);
  return call.queue.run(real, async () => {
    const facts = await placeOf(path, call);
    if (facts.kind === "absent") {
      throw new Problem(404, "tool_not_found", `There is no file ${path}.`, { details: { reason: "file_not_found", path } });
    }
    if (facts.kind !== "file") throw wrongInput(`${path} is not a regular file.`, { reason: `is_${facts.kind}` });
    let whole = content;
    if (mode === "append") {
      // The session looks at it as it is now, so that the change is made from what is there.
      succeed(await begin("Read", { file_path: real }, { ...call, callId: `${call.callId}-read` }));
      const old = await call.desk.readText(facts, maxAppendBytes);
      if (old === undefined || !old.exact) {
        const tooLong = old?.truncated === true;
        throw wrongInput(`${path} cannot be appended to: ${tooLong ? "it is too long" : "it is not text"}.`, {
          reason: tooLong ? "too_large" : "not_text",
        });
      }
      // What stands in the file already is text, never a placeholder.
      whole = `${old.text.replaceAll("$KARYI{", "$$$$KARYI{")}${content}`;
    }
    const size = writtenBytes(succeed(await begin("Write", { file_path: real, content: whole }, call)));
    return { ok: true, path, mode, size, text: `updated ${path} with mode=${mode}` };
  });
}

async function shell({ command, cwd, timeout_seconds }: ToolInput<"shell">, call: DirectCall): Promise<JsonObject> {
  const { session, desk } = call;
  refuseSystemText(command);
  const directory = cwd === undefined ? undefined : await directoryOf(cwd, call);
  const result = await call.queue.run(`shell ${session.id}`, async () => {
    if (call.signal.aborted) throw new Problem(499, "cancelled", "The client went away.");
    const wanted = directory ?? session.workspace;
    if (session.cwd !== wanted) await desk.setCwd(session.record, wanted);
    return begin("Bash", { command, timeout: Math.max(1, Math.round(timeout_seconds * 1000)) }, call);
  });
  const { exit_code: exitCode } = (result.data ?? {}) as { readonly exit_code?: number | null };
  const ended = result.status === "error" && result.error?.details?.reason === "exit_nonzero";
  if (!ended) succeed(result);
  const output = printedBy(result);
  return { ok: !ended, command, exit_code: exitCode ?? null, output, text: output };
}

/** What the command printed, without the sentence about how it ended: that is in `ok` and `exit_code`. */
function printedBy({ output, data, error }: Result): string {
  const { stdout, stderr } = (data ?? {}) as { readonly stdout?: string; readonly stderr?: string };
  if (error === undefined) return output === noOutputText && stdout === "" && stderr === "" ? "" : output;
  const said = output.lastIndexOf(errorText(error));
  return said < 0 ? output : output.slice(0, Math.max(0, said - 1));
}

async function directoryOf(cwd: string, call: DirectCall): Promise<string> {
  const { kind, real } = await placeOf(cwd, call);
  if (kind === "absent") {
    throw new Problem(404, "tool_not_found", `There is no directory ${cwd}.`, { details: { reason: "file_not_found", path: cwd } });
  }
  if (kind !== "directory") throw wrongInput(`cwd: ${cwd} is not a directory.`, { reason: "not_a_directory" });
  return real;
}

async function placeOf(path: string, { desk, session }: DirectCall) {
  refuseTraversal(path);
  // `~` and `file:` are names here, not shortcuts.
  const facts = await desk.look(session.record, path.startsWith("/") ? path : `./${path}`);
  refuseOutside(facts);
  return facts;
}

function begin(name: string, input: JsonObject, { session, callId, signal, by }: DirectCall): Promise<Result> {
  const request: CallRequest = { id: callId, name, input, direct: true, by };
  // The id was made for this request, so nothing is looked up by it.
  return session.begin(request, { signal, fresh: true });
}

function succeed(result: Result): Result {
  if (result.status !== "ok") throw problemOfResult(result);
  return result;
}

function writtenBytes({ data }: Result): number {
  const { bytes } = (data ?? {}) as { readonly bytes?: number };
  return bytes ?? 0;
}
