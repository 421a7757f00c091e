/**
 * What the program in the foreground of a terminal is doing, read from /proc: whether a thread of it sleeps
 * until somebody types (blocked in a read of the terminal, or in a poll that includes it), and whether
 * anything of it is at work. Reads only; where /proc tells nothing, says so (`opaque`) rather than guess.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";

export interface Reader {
  readonly pid: number;
  readonly thread: number;
  readonly name: string;
  /** Blocked in a read of the terminal, or in a wait for several things, the terminal among them. */
  readonly how: "read" | "poll";
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
  /** A process of the group could not be looked into (another user's, or no /proc). */
  readonly opaque: boolean;
  /** The shell itself was stopped. */
  readonly stopped?: boolean;
}

interface ProcessLine {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly foreground: number;
}

export function probeForeground(shell: number, terminal: string): Foreground {
  const self = processLine(shell);
  if (!self || self.foreground <= 0) return { group: 0, names: [], reader: undefined, busy: false, opaque: true };
  if (self.state === "T")
    return { group: self.foreground, names: [self.name], reader: undefined, busy: false, opaque: false, stopped: true };
  const leader = processLine(self.foreground);
  if (leader && leader.state === "S") {
    // Mostly the leader itself waits: one look instead of one for every process of the machine.
    const { reader } = look(leader, terminal);
    if (reader?.how === "read") return { group: self.foreground, names: [leader.name], reader, busy: false, opaque: false };
  }
  const all = allProcesses();
  const members = all.filter(({ group }) => group === self.foreground);
  const looks = members.map((member) => look(member, terminal));
  const readers = looks.flatMap(({ reader }) => (reader ? [reader] : []));
  return {
    group: self.foreground,
    names: members.map(({ name }) => name),
    reader: readers.find(({ how }) => how === "read") ?? readers[0],
    busy: withDescendants(members, all).some(({ state }) => state === "R" || state === "D"),
    opaque: looks.some(({ opaque }) => opaque),
  };
}

function processLine(pid: number): ProcessLine | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const [state = "", parent, group, , , foreground] = text.slice(close + 2).split(" ");
  return { pid, name: text.slice(open + 1, close), state, parent: Number(parent), group: Number(group), foreground: Number(foreground) };
}

function allProcesses(): ProcessLine[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => processLine(Number(name)) ?? []);
  } catch {
    return [];
  }
}

function withDescendants(roots: readonly ProcessLine[], all: readonly ProcessLine[]): ProcessLine[] {
  const found = new Map(roots.map((root) => [root.pid, root]));
  for (let grew = true; grew; ) {
    grew = false;
    for (const line of all) {
      if (found.has(line.pid) || !found.has(line.parent)) continue;
      found.set(line.pid, line);
      grew = true;
    }
  }
  return [...found.values()];
}

/** Looks at the threads of one process; few programs have more than a handful, and the first ones are those that read. */
function look(line: ProcessLine, terminal: string): { readonly reader: Reader | undefined; readonly opaque: boolean } {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${line.pid}/task`).slice(0, 32);
  } catch {
    return { reader: undefined, opaque: false };
  }
  let opaque = false;
  for (const thread of threads) {
    const text = read(`/proc/${line.pid}/task/${thread}/syscall`);
    if (text === undefined) {
      opaque ||= line.state === "S";
      continue;
    }
    const how = waitsFor(line.pid, text, terminal);
    if (how === undefined) continue;
    const switches = Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(read(`/proc/${line.pid}/task/${thread}/status`) ?? "")?.[1] ?? 0);
    return { reader: { pid: line.pid, thread: Number(thread), name: line.name, how, switches }, opaque };
  }
  return { reader: undefined, opaque };
}

type Wait = "read" | "poll" | "select" | "epoll";

/** Numbers of the system calls that can wait for a terminal. */
const calls: Readonly<Record<string, Readonly<Record<number, Wait>>>> = {
  x64: { 0: "read", 19: "read", 7: "poll", 271: "poll", 23: "select", 270: "select", 232: "epoll", 281: "epoll", 441: "epoll" },
  arm64: { 63: "read", 65: "read", 73: "poll", 72: "select", 22: "epoll", 441: "epoll" },
};

function waitsFor(pid: number, text: string, terminal: string): "read" | "poll" | undefined {
  const [number = "", first = "", second = ""] = text.trim().split(" ");
  const call = /^\d+$/.test(number) ? calls[process.arch]?.[Number(number)] : undefined;
  if (call === undefined) return undefined;
  const isTerminal = (fd: number) => {
    const target = link(`/proc/${pid}/fd/${fd}`);
    return target === terminal || target === "/dev/tty";
  };
  if (call === "read") return isTerminal(Number(first)) ? "read" : undefined;
  if (call === "epoll") {
    const watched = read(`/proc/${pid}/fdinfo/${Number(first)}`) ?? "";
    // Bit 0 of the events is EPOLLIN; terminals that are only written to are not waited for.
    const waits = [...watched.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)].some(
      ([, fd, events]) => (Number.parseInt(events ?? "0", 16) & 1) === 1 && isTerminal(Number(fd)),
    );
    return waits ? "poll" : undefined;
  }
  const fds = call === "poll" ? polled(pid, BigInt(first || 0), Number(second)) : selected(pid, Number(first), BigInt(second || 0));
  return fds.some(isTerminal) ? "poll" : undefined;
}

/** `struct pollfd[]`: descriptor, and bit 0 of the events for reading. */
function polled(pid: number, address: bigint, count: number): number[] {
  const memory = readMemory(pid, address, Math.min(count, 64) * 8);
  if (!memory) return [];
  const fds: number[] = [];
  for (let at = 0; at + 8 <= memory.length; at += 8) if ((memory.readInt16LE(at + 4) & 1) === 1) fds.push(memory.readInt32LE(at));
  return fds;
}

/** `fd_set`: a bit a descriptor. */
function selected(pid: number, count: number, address: bigint): number[] {
  const limit = Math.min(count, 256);
  const memory = address === 0n ? undefined : readMemory(pid, address, Math.ceil(limit / 8));
  if (!memory) return [];
  return Array.from({ length: limit }, (_, fd) => fd).filter((fd) => (((memory[fd >> 3] ?? 0) >> (fd & 7)) & 1) === 1);
}

function readMemory(pid: number, address: bigint, length: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(`/proc/${pid}/mem`, "r");
    const buffer = Buffer.alloc(length);
    const count = readSync(fd, buffer, 0, length, address);
    return buffer.subarray(0, count);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
