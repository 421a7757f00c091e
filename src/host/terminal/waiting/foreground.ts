/**
 * What the program in the foreground of a terminal is doing, read from /proc: whether a thread of it sleeps until somebody
 * types, and whether anything of it is at work. A program that hands what is typed on to another terminal of its own
 * (script, sudo) waits where the program in there does. Reads only; where /proc tells nothing, says so (`opaque`)
 * rather than guess.
 */
import { readdirSync } from "node:fs";
import { allProcesses, argumentsOf, type ProcessLine, processLine, readLink, readText, withDescendants } from "./process-table.ts";
import { type TerminalDevice, type TerminalWait, terminalWait } from "./thread-wait.ts";

export interface Reader {
  readonly pid: number;
  readonly thread: number;
  readonly name: string;
  readonly how: TerminalWait;
  /** Grows each time the thread goes to sleep: unchanged means it has not run since. */
  readonly switches: number;
}

export interface Foreground {
  /** Process group in the foreground; 0 where unknown. */
  readonly group: number;
  readonly names: readonly string[];
  readonly reader: Reader | undefined;
  /** Some process of the group or below it is running, or waits for a disk. */
  readonly busy: boolean;
  /** Some thread of who might read is running. */
  readonly working?: boolean;
  /** A process of the group could not be looked into (another user's, or no /proc). */
  readonly opaque: boolean;
  /** The shell itself was stopped. */
  readonly stopped?: boolean;
  /** What runs in the terminal that the reader hands everything on to. */
  readonly inner?: Foreground;
  /** That terminal, where it is not the one that was asked about. */
  readonly terminal?: string;
}

const nothing: Foreground = { group: 0, names: [], reader: undefined, busy: false, opaque: true };
/** Terminals in terminals, at most. */
const maxDepth = 4;

/** `drawn`: where the whole screen is drawn, whoever does it may have got the terminal from the program in the foreground (tmux). */
export function probeForeground(shell: number, terminal: string, drawn = false): Foreground {
  const self = processLine(shell);
  if (!self || self.foreground <= 0) return nothing;
  if (self.state === "T") return { ...nothing, group: self.foreground, names: [self.name], opaque: false, stopped: true };
  const device = { name: terminal, number: self.terminal };
  const leader = processLine(self.foreground);
  if (leader && leader.state === "S") {
    // Mostly the leader itself waits: one look instead of one for every process of the machine.
    const { reader } = look(leader, device);
    if (reader?.how === "read") return { group: self.foreground, names: [leader.name], reader, busy: false, opaque: false };
  }
  const all = allProcesses();
  const found = lookAtGroup(self.foreground, self.session, device, all);
  if (found.reader || !drawn) return found;
  const reader = all.filter(({ state }) => state === "S").flatMap((line) => look(line, device).reader ?? [])[0];
  return reader ? { ...found, reader } : found;
}

function lookAtGroup(group: number, session: number, device: TerminalDevice, all: readonly ProcessLine[], depth = 0): Foreground {
  const members = all.filter((line) => line.group === group);
  const family = withDescendants(members, all);
  // In a session of its own a program may read from a terminal that is not its own (su).
  const looked = [...members, ...family.filter((line) => line.group !== group && line.session !== session)];
  const looks = looked.map((line) => look(line, device));
  const readers = looks.flatMap(({ reader }) => reader ?? []);
  const reader = readers.find(({ how }) => how === "read") ?? readers[0];
  const inner = reader?.how === "poll" && depth < maxDepth ? handedOn(reader.pid, all, depth) : undefined;
  return {
    group,
    names: [...new Set([...looked.map(({ name }) => name), ...(inner?.names ?? [])])],
    reader,
    busy: family.some(({ state }) => state === "R" || state === "D") || (inner?.busy ?? false),
    working: looks.some(({ working }) => working) || (inner?.working ?? false),
    opaque: looks.some(({ opaque }) => opaque),
    ...(inner ? { inner } : {}),
  };
}

/** Of a program with exactly one terminal of its own. One with several (a multiplexer) is a screen in itself. */
function handedOn(pid: number, all: readonly ProcessLine[], depth: number): Foreground | undefined {
  const numbers = masters(pid);
  const [index] = numbers;
  if (index === undefined || numbers.size !== 1) return undefined;
  // As the kernel counts: major 136, and a minor whose high part stands above it.
  const device = { name: `/dev/pts/${index}`, number: (136 << 8) | (index & 0xff) | ((index & ~0xff) << 12) };
  const inside = all.find((line) => line.terminal === device.number && line.foreground > 0);
  const found = inside ? lookAtGroup(inside.foreground, inside.session, device, all, depth + 1) : { ...nothing, opaque: false };
  return { ...found, terminal: device.name };
}

function masters(pid: number): Set<number> {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`).filter((fd) => /\/ptmx$/.test(readLink(`/proc/${pid}/fd/${fd}`) ?? ""));
    return new Set(fds.flatMap((fd) => /^tty-index:\s*(\d+)/m.exec(readText(`/proc/${pid}/fdinfo/${fd}`) ?? "")?.[1] ?? []).map(Number));
  } catch {
    return new Set();
  }
}

interface Look {
  readonly reader: Reader | undefined;
  readonly opaque: boolean;
  readonly working: boolean;
}

/** Looks at the threads of one process; few programs have more than a handful, and the first ones are those that read. */
function look(line: ProcessLine, device: TerminalDevice): Look {
  let opaque = false;
  let working = false;
  let reader: Reader | undefined;
  for (const thread of threadsOf(line.pid)) {
    const text = readText(`/proc/${line.pid}/task/${thread}/syscall`);
    opaque ||= text === undefined && line.state === "S";
    working ||= text?.startsWith("running") ?? false;
    const how = text === undefined ? undefined : terminalWait(line, text, device);
    if (how === undefined || (reader && how !== "read")) continue;
    const status = readText(`/proc/${line.pid}/task/${thread}/status`) ?? "";
    const switches = Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    reader = { pid: line.pid, thread: Number(thread), name: line.name, how, switches };
    if (how === "read") break;
  }
  return { reader, opaque, working };
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).slice(0, 32);
  } catch {
    return [];
  }
}

/** Of shells and languages: the next word is theirs. */
const takesWord = /^(?:[-+][oO]|--rcfile|--init-file|-W|-X|-r|--require|--import)$/;

/** Started to be typed at, and not to run a script or a line it was given. What cannot be read may be. */
export function isTypedAt(pid: number): boolean {
  const [, ...words] = argumentsOf(pid);
  const operands = words.filter((word, at) => !/^[-+]/.test(word) && !takesWord.test(words[at - 1] ?? ""));
  return operands.length === 0 || words.some((word) => /^(?:-[a-bd-z]*i[a-bd-z]*|--interactive)$/.test(word));
}
