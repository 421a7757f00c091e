/**
 * Whether commands can run in a PID namespace of their own here: then nothing they start can outlive
 * them, however it forks. Probed once by running it; util-linux alone is needed.
 */
import { bashProgram, program } from "../programs.ts";
import { quietInit } from "../sandbox/index.ts";
import { outputOf, plainEnvironment } from "../spawn.ts";

const probeMs = 10_000;

export interface Containment {
  readonly kind: "namespace" | "group";
  /** What stands before `bash -c COMMAND`. */
  readonly prefix: readonly string[];
}

const processGroup: Containment = { kind: "group", prefix: [] };

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

/**
 * What stands before a command to tie it to the process that starts it: alone with its namespace it ends with that process;
 * without one only its shell does. Empty where the machine does not have it.
 */
async function probeTether(): Promise<readonly string[]> {
  const setpriv = program("setpriv");
  if (setpriv === undefined) return [];
  const args = ["--pdeathsig", "KILL", "--"];
  return outputOf(setpriv, [...args, bashProgram(), "-c", "true"], { env: plainEnvironment(), timeoutMs: probeMs }).then(
    () => [setpriv, ...args],
    () => [],
  );
}

async function probe(): Promise<Containment> {
  const [unshare, sh] = [program("unshare"), program("sh")];
  if (process.platform !== "linux" || unshare === undefined || sh === undefined) return processGroup;
  // As root no user namespace is needed; as anybody else one that keeps the person's own identity.
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  const args = [...user, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--", sh, "-c", quietInit, "karyi-init"];
  try {
    const seen = await outputOf(unshare, [...args, bashProgram(), "-c", "echo $$"], { env: plainEnvironment(), timeoutMs: probeMs });
    return Number(String(seen).trim()) < 10 ? { kind: "namespace", prefix: [unshare, ...args] } : processGroup;
  } catch {
    // Forbidden here.
    return processGroup;
  }
}
