/**
 * Whether commands can run in a PID namespace of their own here: then nothing they start can outlive
 * them, however it forks. Probed once by running it; util-linux alone is needed.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface Containment {
  readonly kind: "namespace" | "group";
  /** What stands before `bash -c COMMAND`. */
  readonly prefix: readonly string[];
}

const processGroup: Containment = { kind: "group", prefix: [] };

/**
 * Tied to the process that starts it, a command that is alone with its namespace ends with it; without one only its shell does.
 * Empty where the machine does not have it.
 */
const tetherPrefix = ["setpriv", "--pdeathsig", "KILL", "--"];

/**
 * An init of its own: as process 1 the shell would not feel signals, and the namespace ends when it does.
 * It says nothing itself: its word for a child that a signal ended ("Terminated") is not the command's output.
 */
const init = ["sh", "-c", 'exec 5>&2 2>/dev/null; "$@" 2>&5 5>&-; exit $?', "karyi-init"];

let probed: Promise<Containment> | undefined;
let probedTether: Promise<readonly string[]> | undefined;

export function containment(): Promise<Containment> {
  probed ??= probe();
  return probed;
}

export function tether(): Promise<readonly string[]> {
  probedTether ??= probeTether();
  return probedTether;
}

async function probeTether(): Promise<readonly string[]> {
  const [program = "", ...args] = tetherPrefix;
  return execute(program, [...args, "true"], { timeout: 10_000 }).then(
    () => tetherPrefix,
    () => [],
  );
}

async function probe(): Promise<Containment> {
  if (process.platform !== "linux") return processGroup;
  for (const flags of candidates()) {
    const prefix = ["unshare", ...flags, "--pid", "--fork", "--kill-child", "--mount-proc", "--", ...init];
    const [program = "", ...args] = prefix;
    try {
      const { stdout } = await execute(program, [...args, "bash", "-c", "echo $$"], { timeout: 10_000 });
      if (Number(stdout.trim()) < 10) return { kind: "namespace", prefix };
    } catch {
      // Forbidden here; try the next way.
    }
  }
  return processGroup;
}

/** As root no user namespace is needed; as anybody else one that keeps the person's own identity. */
function candidates(): string[][] {
  return process.getuid?.() === 0 ? [["--mount"]] : [["--user", "--map-current-user", "--mount"]];
}
