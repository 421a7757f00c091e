/** Looks at the machine for `doctor`: versions, writable places, programs that make more possible. */
import { access, constants, mkdir, statfs } from "node:fs/promises";
import type { Places } from "./places.ts";
import { outputOf, plainEnvironment } from "./spawn.ts";

const minimumFreeBytes = 256 * 1024 * 1024;

interface HostCheck {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly advice?: string;
  /** What the detail is made of, for who tells it in other words. */
  readonly values?: readonly (string | number)[];
}

export async function measureHost(places: Places): Promise<readonly HostCheck[]> {
  return [
    nodeVersion(),
    await writable("workspace", places.workspace, false),
    await writable("home", places.home, true),
    await space(places.home),
    await program("bash", ["--version"], "Bash and Terminal need it", "Install it. Debian: apt install bash"),
    await program("git", ["--version"], "worktrees and git commands need it", "Install it. Debian: apt install git"),
  ];
}

function nodeVersion(): HostCheck {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= 20
    ? { name: "node", state: "ok", detail: process.version }
    : { name: "node", state: "failed", detail: process.version, advice: "Install Node 20 or newer." };
}

async function writable(name: string, path: string, create: boolean): Promise<HostCheck> {
  try {
    if (create) await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK);
    return { name, state: "ok", detail: path };
  } catch (error) {
    return {
      name,
      state: "failed",
      detail: `${path}: ${(error as Error).message}`,
      advice: `Make ${path} readable and writable, or choose another with --${name}.`,
      values: [path, name],
    };
  }
}

async function space(path: string): Promise<HostCheck> {
  try {
    const { bavail, bsize } = await statfs(path);
    const free = bavail * bsize;
    const mebibytes = Math.round(free / 1024 / 1024);
    const check = { name: "disk", detail: `${mebibytes} MiB free at ${path}`, values: [mebibytes, path] };
    return free >= minimumFreeBytes
      ? { ...check, state: "ok" }
      : { ...check, state: "warning", advice: "Free some space, or run: karyi gc" };
  } catch (error) {
    return { name: "disk", state: "warning", detail: (error as Error).message };
  }
}

async function program(name: string, args: string[], use: string, advice: string): Promise<HostCheck> {
  try {
    const printed = await outputOf(name, args, { env: plainEnvironment(), timeoutMs: 5_000 });
    return { name, state: "ok", detail: String(printed).split("\n", 1)[0] ?? "" };
  } catch {
    return { name, state: "warning", detail: `not found; ${use}`, advice };
  }
}
