/** Runs the hooks that match a call, in order (C12). A hook that fails before a call turns the call into an ask. */
import type { Hook, HookCall, HookReply } from "../contract/index.ts";

export async function runHooks(
  hooks: readonly Hook[],
  call: HookCall,
  signal: AbortSignal,
  log: (message: string, cause?: unknown) => void,
): Promise<HookReply[]> {
  const replies: HookReply[] = [];
  for (const hook of hooks) {
    if (hook.event !== call.event || !matches(hook.match, call.tool)) continue;
    try {
      const reply = await hook.run(call, signal);
      if (reply) replies.push(reply);
      if (reply?.decision === "deny") break;
    } catch (error) {
      log(`A ${hook.event} hook failed`, error);
      // Whatever the hook was there to stop may be happening: a person decides.
      if (hook.event === "before")
        replies.push({ decision: "ask", reason: `a hook failed: ${error instanceof Error ? error.message : String(error)}` });
    }
  }
  return replies;
}

function matches(pattern: string | undefined, tool: string): boolean {
  if (pattern === undefined || pattern === "*") return true;
  return pattern.split("|").some((part) => {
    const source = part
      .trim()
      .split("*")
      .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*");
    return new RegExp(`^${source}$`).test(tool);
  });
}
