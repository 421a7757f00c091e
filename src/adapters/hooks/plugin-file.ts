/**
 * The file of ours that agents without hooks of their own load into their process: it tells `bin/hook.sh` of each call, before and
 * after, in the form that Claude Code's hooks have, and stops the call if the answer is no. Judges nothing itself.
 */

export interface PluginPlaces {
  readonly node: string;
  readonly hookScript: string;
  readonly home: string;
  readonly mode?: string;
  /** The capturing shell, for an agent that takes one. */
  readonly shell?: string;
}

export type PluginAgent = "opencode" | "pi";

/** Of the file, which runs in the agent's process; nothing here uses them. */
const imports = Object.entries({
  "node:child_process": "spawn",
  "node:fs": "existsSync, realpathSync",
  "node:path": "resolve",
})
  .map(([module, names]) => `import { ${names} } from "${module}";`)
  .join("\n");

/** Longer than the hook's own limit. */
const timeoutMs = 15_000;

/** A missing program lets the call pass and says so; everything else that is no clear answer stops it. */
export function pluginFile(agent: PluginAgent, { node, hookScript, home, mode, shell }: PluginPlaces): string {
  return `// Karyi under ${agent}. Removed by: karyi hook uninstall ${agent}
${imports}

const node = ${JSON.stringify(node)};
const script = ${JSON.stringify(hookScript)};
const words = ${JSON.stringify([home, agent])};
const mode = ${JSON.stringify(mode === undefined ? [] : [mode])};
const shell = ${JSON.stringify(shell ?? "")};

/** Why the call must not run; "" lets it. */
function hook(when, event, { directory, isCaptured, session, cwd, tool, input, id, output }) {
  if (!existsSync(node) || !existsSync(script)) {
    if (when === "before") process.stderr.write("karyi is not there: this call is not judged\\n");
    return Promise.resolve("");
  }
  let real = resolve(directory, cwd ?? "");
  try {
    real = realpathSync(real);
  } catch {}
  const payload = { session_id: session, cwd: real, hook_event_name: event, tool_name: tool, tool_input: input, tool_use_id: id };
  if (output !== undefined) payload.tool_response = output;
  const env = { ...process.env, CLAUDE_PROJECT_DIR: directory, CLAUDE_CODE_SHELL: isCaptured ? shell : "" };
  return new Promise((done) => {
    const child = spawn("/bin/sh", [script, node, ...words, when, ...mode], { env, cwd: directory, stdio: ["pipe", "pipe", "pipe"], timeout: ${timeoutMs} });
    const [out, err] = [[], []];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => err.push(chunk));
    child.stdin.on("error", () => {});
    child.on("error", (error) => done("Karyi could not be started: " + error.message));
    child.on("close", (code) => {
      if (code !== 0) return done(String(Buffer.concat(err)).trim() || "Karyi could not judge this call; it is refused.");
      const text = String(Buffer.concat(out));
      if (text === "") return done("");
      try {
        done(JSON.parse(text).hookSpecificOutput.permissionDecisionReason || "Karyi refuses this call.");
      } catch {
        done("Karyi's answer could not be read; the call is refused.");
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

${agent === "opencode" ? opencode : pi}`;
}

const opencode = `let isCaptured = false;

export const Karyi = async ({ directory }) => {
  const call = ({ tool, sessionID, callID }, input) => ({
    directory, isCaptured, session: sessionID, tool, input: input ?? {}, id: callID, cwd: tool === "bash" ? input?.workdir : undefined,
  });
  return {
    // The person's own shell stays; commands are judged only then.
    config: async (config) => {
      if (shell !== "" && existsSync(shell)) config.shell ??= shell;
      isCaptured = shell !== "" && config.shell === shell;
    },
    "tool.execute.before": async (info, { args }) => {
      const reason = await hook("before", "PreToolUse", call(info, args));
      if (reason !== "") throw new Error(reason);
    },
    "tool.execute.after": async (info, result) => {
      await hook("after", "PostToolUse", { ...call(info, info.args), output: String(result?.output ?? "") });
    },
  };
};
`;

const pi = `export default function karyi(pi) {
  const call = (event, ctx) => ({
    directory: ctx.cwd, isCaptured: false, session: ctx.sessionManager.getSessionId(),
    tool: event.toolName, input: event.input ?? {}, id: event.toolCallId,
  });
  pi.on("tool_call", async (event, ctx) => {
    const reason = await hook("before", "PreToolUse", call(event, ctx));
    return reason === "" ? undefined : { block: true, reason };
  });
  pi.on("tool_result", async (event, ctx) => {
    const output = (event.content ?? []).map((part) => part.text ?? "").join("\\n");
    await hook("after", event.isError ? "PostToolUseFailure" : "PostToolUse", { ...call(event, ctx), output });
  });
}
`;
