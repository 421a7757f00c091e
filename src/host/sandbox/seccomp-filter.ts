/**
 * The system calls that a command in the sandbox is refused, as the program the kernel runs before each call: ways to other
 * namespaces and mounts, to keys and kernel interfaces that no namespace separates, and, without a network, sockets that are
 * reached through the file system. Everything else is allowed: what files and processes may be touched is decided by the world.
 */
import { endianness, arch as nodeArchitecture } from "node:os";

interface Architecture {
  /** As the kernel tells it in `seccomp_data.arch`. */
  readonly audit: number;
  readonly clone: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly refused: readonly number[];
  /** Calls that change mode, owner, times or attributes of a file. */
  readonly changingAttributes: readonly number[];
  /** Numbers from here on are another calling convention of the same machine. */
  readonly foreign?: number;
}

/** From 424 on every architecture has the same numbers: the new mount calls, and quotactl_fd. */
const refusedEverywhere = [428, 429, 430, 431, 432, 433, 442, 443];

/**
 * In this order: mount, umount2, pivot_root, unshare, setns, keyctl, add_key, request_key, bpf, perf_event_open, userfaultfd,
 * kexec_load, kexec_file_load, init_module, finit_module, delete_module, reboot, swapon, swapoff, acct, quotactl, syslog,
 * open_by_handle_at; on x86 also iopl and ioperm.
 */
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    socket: 41,
    ioctl: 16,
    refused: [
      ...[165, 166, 155, 272, 308, 250, 248, 249, 321, 298, 323, 246, 320, 175, 313, 176, 169, 167, 168, 163, 179, 103, 304],
      ...[172, 173],
    ],
    changingAttributes: [90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280],
    foreign: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    socket: 198,
    ioctl: 29,
    refused: [40, 39, 41, 97, 268, 219, 217, 218, 280, 241, 282, 104, 294, 105, 273, 106, 142, 224, 225, 89, 60, 116, 265],
    changingAttributes: [5, 6, 7, 14, 15, 16, 52, 53, 54, 55, 88],
  },
};

/** The newer ones: fchmodat2, setxattrat, removexattrat, file_setattr. */
const changingAttributesEverywhere = [452, 463, 466, 469];

const clone3 = 435;
/** Its requests would be carried out past this filter. */
const ioUring = 425;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x7e020000;
const unixFamily = 1;
const internetFamilies = [2, 10];
/** By it programs ask the kernel how the machine is connected; nothing leaves the machine. */
const netlinkFamily = 16;
/** TIOCSTI and TIOCLINUX put words into somebody else's terminal. */
const terminalInjections = [0x5412, 0x541c];

const allow = 0x7fff0000;
const refuse = 0x00050000 | 1;
/** "Not there": C libraries then take the older call. */
const missing = 0x00050000 | 38;

const numberOffset = 0;
const architectureOffset = 4;
const argument = (index: number): number => 16 + 8 * index;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const skipUnless = (value: number, count: number): Instruction => [0x15, 0, count, value];
const skipIf = (value: number, count: number): Instruction => [0x15, count, 0, value];
const skipUnlessAny = (bits: number, count: number): Instruction => [0x45, 0, count, bits];
const skipBelow = (value: number, count: number): Instruction => [0x35, 0, count, value];

/**
 * Which sockets may be made. A network namespace holds only what speaks IP; Unix sockets lead through the file system. No namespace holds
 * the others (to the machine around a virtual one, to radios, to the kernel's ciphers): they are there only with the whole network.
 */
export type Sockets = "all" | "local" | "internet" | "netlink" | "none";

const families: Readonly<Record<Exclude<Sockets, "all">, readonly number[]>> = {
  local: [unixFamily, ...internetFamilies, netlinkFamily],
  internet: [...internetFamilies, netlinkFamily],
  netlink: [netlinkFamily],
  none: [],
};

interface FilterOptions {
  readonly architecture?: string;
  /** Refuses to change mode, owner and times of any file, where nothing else does. */
  readonly keepsAttributes?: boolean;
}

/** `undefined` where this machine's calls are not known. */
export function seccompFilter(sockets: Sockets, options: FilterOptions = {}): Uint8Array | undefined {
  const { architecture = nodeArchitecture(), keepsAttributes = false } = options;
  const machine = architectures[architecture];
  if (machine === undefined || endianness() !== "LE") return undefined;
  const whole = (number: number, value: number): Instruction[] => [skipUnless(number, 1), answer(value)];
  // Looks at an argument only of this one call; whatever it finds, the answer is given there.
  const looking = (number: number, index: number, tests: readonly Instruction[]): Instruction[] => {
    const body = [load(argument(index)), ...tests.flatMap((test) => [test, answer(refuse)]), answer(allow)];
    return [skipUnless(number, body.length), ...body];
  };
  const onlyFamilies = (number: number, known: readonly number[]): Instruction[] => {
    const tests = known.map((family, index) => skipIf(family, known.length - index));
    return [skipUnless(number, known.length + 3), load(argument(0)), ...tests, answer(refuse), answer(allow)];
  };
  return encode([
    load(architectureOffset),
    [0x15, 1, 0, machine.audit],
    answer(missing),
    load(numberOffset),
    ...(machine.foreign === undefined ? [] : [skipBelow(machine.foreign, 1), answer(missing)]),
    ...whole(clone3, missing),
    ...whole(ioUring, missing),
    ...looking(machine.clone, 0, [skipUnlessAny(newNamespaces, 1)]),
    ...(sockets === "all" ? [] : onlyFamilies(machine.socket, families[sockets])),
    ...looking(
      machine.ioctl,
      1,
      terminalInjections.map((request) => skipUnless(request, 1)),
    ),
    ...(keepsAttributes ? [...machine.changingAttributes, ...changingAttributesEverywhere] : []).flatMap((number) => whole(number, refuse)),
    ...[...machine.refused, ...refusedEverywhere].flatMap((number) => whole(number, refuse)),
    answer(allow),
  ]);
}

function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
