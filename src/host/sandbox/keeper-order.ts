/** What a keeper is told: the steps that make a world, the command that runs in it, and how both are written down for it. */

/**
 * One step. `take NAME PATH RECURSIVE SET CLEAR` and `make NAME TYPE ATTRIBUTES OPTION…` get a mount that is nowhere yet, `put NAME
 * PATH` puts it somewhere: so nothing that covers another thing can come too early. All others work on paths of the world.
 */
export type Step =
  | readonly ["take", name: string, path: string, recursive: Flag, set: string, clear: string]
  | readonly ["make", name: string, type: string, attributes: string, ...options: readonly string[]]
  | readonly ["put", name: string, path: string]
  | readonly ["directory" | "file" | "in" | "close" | "build", path: string]
  | readonly ["link", target: string, path: string]
  | readonly ["text", path: string, content: string | Uint8Array]
  | readonly ["proc", flags: string]
  | readonly ["enter"];

type Flag = "" | "1";

/** Attributes of a mount, as the kernel counts them. */
export const readOnly = 1;
export const noSetuid = 2;
export const noDevices = 4;

/** `host`: the machine's own. `own`: one that only this command has, where attempts to leave are counted. `session`: one for all. */
export type WorldNetwork = "host" | "own" | "session";

/** A world that a keeper can make. */
export interface KeptWorld {
  /** What the keeper itself needs before its first world; the same for all worlds of a session. */
  readonly base: readonly Step[];
  readonly steps: readonly Step[];
  readonly network: WorldNetwork;
  readonly filter: Uint8Array;
  /** Of root's rights those that the command keeps, as bits. */
  readonly capabilities: number;
}

export interface WorldOrder {
  readonly id: number;
  /** Names of the pipes for stdout, stderr and the state. */
  readonly pipes: readonly string[];
  readonly world: KeptWorld;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function runOrder({ id, pipes, world, cwd, argv, env }: WorldOrder): Buffer {
  const { network, filter, capabilities, steps } = world;
  const variables = Object.entries(env).flat();
  return order([
    ...["run", String(id), fields(pipes), network, filter, String(capabilities), cwd],
    ...[stepsField(steps), fields(argv), fields(variables)],
  ]);
}

export const baseOrder = (steps: readonly Step[]): Buffer => order(["base", stepsField(steps)]);

export const killOrder = (id: number, signal: number): Buffer => order(["kill", String(id), String(signal)]);

const stepsField = (steps: readonly Step[]): Buffer => fields(steps.map(fields));

function order(parts: readonly (string | Uint8Array)[]): Buffer {
  const body = fields(parts);
  return Buffer.concat([lengthOf(body), body]);
}

/** Each with its length before it. */
function fields(parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = typeof part === "string" ? Buffer.from(part) : part;
      return [lengthOf(bytes), bytes];
    }),
  );
}

function lengthOf({ length }: Uint8Array): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}
