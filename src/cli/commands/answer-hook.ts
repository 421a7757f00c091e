/** Answers one hook of another agent, in a process of its own. Loads nothing that the other commands need: an agent waits for it before every call. */
import { join } from "node:path";
import { type Mode, modes } from "../../contract/index.ts";
import { say } from "../messages.ts";

export interface AnswerFlags {
  readonly home?: string;
  readonly workspace?: string;
  readonly mode?: string;
  readonly when?: string;
  readonly resident?: true;
}

/** The agent's own limit is longer: what takes so long is refused by us, with a reason. */
const deadlineMs = 5_000;
const passed = 0;
const refused = 2;

/** Exit code 0 or 2, nothing else: anything other lets the call run in some agent. */
export async function answerAgent(name: string, flags: AnswerFlags): Promise<number> {
  const isBefore = flags.when !== "after";
  const late = setTimeout(() => {
    process.stderr.write(`${say("hookTooSlow")}\n`);
    process.exit(isBefore ? refused : passed);
  }, deadlineMs);
  try {
    const { answerHook, hookAgents, isOurShell, readPayload, startResident } = await import("../../compose/hooks/index.ts");
    const payload = await readPayload();
    const agent = hookAgents.find((known) => known === name);
    if (agent === undefined) throw new Error(say("hookUnknownAgent", name, hookAgents.join(", ")));
    const workspace = flags.workspace ?? (agent === "codex" ? undefined : process.env.CLAUDE_PROJECT_DIR);
    const mode = knownMode(flags.mode);
    if (flags.mode !== undefined && mode === undefined) throw new Error(say("unknownMode", flags.mode));
    const answered = await answerHook({
      agent,
      payload,
      ...(workspace === undefined ? {} : { workspace }),
      ...(flags.home === undefined ? {} : { home: flags.home }),
      ...(mode === undefined ? {} : { mode }),
      isCaptured: agent !== "codex" && isOurShell(process.env.CLAUDE_CODE_SHELL),
    });
    if (answered !== "") process.stdout.write(answered);
    if (flags.resident && flags.home !== undefined) startResident(process.execPath, ownFiles().script, flags.home);
    return passed;
  } catch (error) {
    process.stderr.write(`${say("hookFailed", error instanceof Error ? error.message : String(error))}\n`);
    return isBefore ? refused : passed;
  } finally {
    clearTimeout(late);
  }
}

/** The files of the command as it is installed. */
export function ownFiles() {
  const file = (name: string) => join(__dirname, "..", "bin", name);
  return { script: file("karyi.js"), hookScript: file("hook.sh"), bundle: join(__dirname, "command.cjs") };
}

export function knownMode(text: string | undefined): Mode | undefined {
  return modes.find((candidate) => candidate === text);
}
