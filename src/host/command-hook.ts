/** Hooks that are commands: the call as JSON on stdin, the decision as JSON on stdout, a non-zero exit is a failure. */
import type { Hook, HookCall, HookReply } from "../contract/index.ts";
import { signalGroup, spawn } from "./spawn.ts";

export interface CommandHookOptions {
  readonly event: "before" | "after";
  readonly match?: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly cwd: string;
  /** Asked each time before the command starts; a reason is why it does not. */
  readonly refusal?: () => Promise<string | undefined>;
}

const maxReplyBytes = 64 * 1024;

export function commandHook({ event, match, command, timeoutMs, cwd, refusal }: CommandHookOptions): Hook {
  return {
    event,
    ...(match === undefined ? {} : { match }),
    run: async (call, signal) => {
      const reason = await refusal?.();
      if (reason !== undefined) throw new Error(`the hook '${command}' was not run: ${reason}`);
      return runCommand(command, call, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), cwd);
    },
  };
}

function runCommand(command: string, call: HookCall, signal: AbortSignal, cwd: string): Promise<HookReply | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd, env: process.env, stdio: ["pipe", "pipe", "pipe"], ownGroup: true });
    let stdout = "";
    let stderr = "";
    const end = () => signalGroup(child.pid, "SIGKILL");
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      if (stdout.length <= maxReplyBytes) stdout += chunk;
      if (stdout.length > maxReplyBytes) end();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < maxReplyBytes) stderr += chunk;
    });
    // A hook that does not read its stdin must not break the call.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(call));
    child.on("error", reject);
    child.on("close", (code) => {
      signal.removeEventListener("abort", end);
      if (signal.aborted) return reject(new Error(`the hook '${command}' took too long`));
      if (stdout.length > maxReplyBytes) return reject(new Error(`the hook '${command}' answered more than ${maxReplyBytes} bytes`));
      if (code !== 0) return reject(new Error(`the hook '${command}' ended with ${code}: ${stderr.trim().slice(0, 500)}`));
      try {
        resolve(parseReply(stdout));
      } catch (error) {
        reject(error);
      }
    });
  });
}

function parseReply(text: string): HookReply | undefined {
  if (text.trim() === "") return undefined;
  const reply = JSON.parse(text) as Record<string, unknown>;
  const { decision, reason, add } = reply;
  if (decision !== undefined && decision !== "allow" && decision !== "deny" && decision !== "ask")
    throw new Error(`a hook answered with the decision '${String(decision)}'`);
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof add === "string" ? { add } : {}),
  };
}
