/** What a sleeping thread waits for, from the system call it sleeps in: whether somebody who types would wake it. */
import { closeSync, openSync, readSync } from "node:fs";
import { type ProcessLine, readLink, readText } from "./process-table.ts";

/**
 * How it waits for the terminal: until somebody types (`read`), until then or a time of its own (`timed`), or for
 * several things, the terminal among them (`poll`).
 */
export type TerminalWait = "read" | "timed" | "poll";

type Call = "read" | "poll" | "ppoll" | "select" | "epoll";

/** Numbers of the system calls that can wait for a terminal. */
const calls: Readonly<Record<string, Readonly<Record<number, Call>>>> = {
  x64: { 0: "read", 19: "read", 7: "poll", 271: "ppoll", 23: "select", 270: "select", 232: "epoll", 281: "epoll", 441: "epoll" },
  arm64: { 63: "read", 65: "read", 73: "ppoll", 72: "select", 22: "epoll", 441: "epoll" },
};

/** What it waits for: descriptors to read from, and whether anything else would wake it. */
interface Awaited {
  readonly fds: readonly number[];
  readonly others: boolean;
  readonly limited: boolean;
}

/** A terminal by its name and as the kernel counts it. */
export interface TerminalDevice {
  readonly name: string;
  readonly number: number;
}

/** `text` is `/proc/PID/task/TID/syscall`: the number of the call and its arguments. */
export function terminalWait({ pid, terminal }: ProcessLine, text: string, device: TerminalDevice): TerminalWait | undefined {
  const [number = "", ...rest] = text.trim().split(" ");
  const call = /^\d+$/.test(number) ? calls[process.arch]?.[Number(number)] : undefined;
  if (call === undefined) return undefined;
  const isTerminal = (fd: number) => {
    const target = readLink(`/proc/${pid}/fd/${fd}`);
    return target === device.name || (target === "/dev/tty" && terminal === device.number);
  };
  const { fds, others, limited } = awaited(pid, call, rest);
  const isAwaited = fds.map(isTerminal);
  if (!isAwaited.includes(true)) return undefined;
  if (others || isAwaited.includes(false)) return "poll";
  return limited ? "timed" : "read";
}

function awaited(pid: number, call: Call, [first = "0", second = "0", third = "0", fourth = "0", fifth = "0"]: readonly string[]): Awaited {
  switch (call) {
    case "read":
      return { fds: [Number(first)], others: false, limited: false };
    case "epoll":
      return watched(pid, Number(first), Number(fourth));
    case "select":
      return { ...selected(pid, Number(first), second, third, fourth), limited: BigInt(fifth) !== 0n };
    case "ppoll":
      return { ...polled(pid, first, Number(second)), limited: BigInt(third) !== 0n };
    case "poll":
      return { ...polled(pid, first, Number(second)), limited: (Number(BigInt(third) & 0xffffffffn) | 0) >= 0 };
  }
}

/** Bit 0 of the events is EPOLLIN; terminals that are only written to are not waited for. */
function watched(pid: number, epoll: number, limit: number): Awaited {
  const entries = [...(readText(`/proc/${pid}/fdinfo/${epoll}`) ?? "").matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)];
  const readable = entries.filter(([, , events = "0"]) => (Number.parseInt(events, 16) & 1) === 1);
  return { fds: readable.map(([, fd]) => Number(fd)), others: readable.length < entries.length, limited: (limit | 0) >= 0 };
}

/** `struct pollfd[]`: descriptor, and bit 0 of the events for reading. One below zero is passed over. */
function polled(pid: number, address: string, count: number): Pick<Awaited, "fds" | "others"> {
  const memory = readMemory(pid, BigInt(address), Math.min(count, 64) * 8);
  const fds: number[] = [];
  let others = count > 64;
  for (let at = 0; memory && at + 8 <= memory.length; at += 8) {
    const fd = memory.readInt32LE(at);
    if (fd < 0) continue;
    const events = memory.readInt16LE(at + 4);
    if ((events & 1) === 1) fds.push(fd);
    others ||= (events & 1) === 0 || (events & 4) === 4;
  }
  return { fds, others };
}

/** Three `fd_set`s, of which the first is for reading: a bit a descriptor. */
function selected(pid: number, count: number, ...sets: readonly string[]): Pick<Awaited, "fds" | "others"> {
  const limit = Math.min(count, 256);
  const [fds = [], ...rest] = sets.map((set) => {
    const address = BigInt(set);
    const memory = address === 0n ? undefined : readMemory(pid, address, Math.ceil(limit / 8));
    return memory ? Array.from({ length: limit }, (_, fd) => fd).filter((fd) => (((memory[fd >> 3] ?? 0) >> (fd & 7)) & 1) === 1) : [];
  });
  return { fds, others: count > limit || rest.some((set) => set.length > 0) };
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
