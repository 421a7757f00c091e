/**
 * Confines a command where namespaces are forbidden: the kernel's Landlock says which files it may read and write, a seccomp filter
 * which system calls it may make. Perl, which nearly every Linux has, makes the system calls; nothing else is needed. There
 * is no layer: writes go to the workspace itself. Modes, owners and times of files are not covered by Landlock: for what only reads
 * the filter keeps them, for others nothing does.
 *
 * Landlock only knows what is allowed, so what is to stay hidden is left out: every directory on the way to it is opened entry
 * by entry. Names can be listed everywhere, contents cannot be read. A secret within a root cannot be left out: then nothing is built.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../programs.ts";
import { type Confinement, environmentFd, keptCapabilities, need, reachable } from "./confinement.ts";
import { isBelow, isWithin } from "./mount-table.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** System calls and flags that differ from machine to machine. Landlock's own calls have the same numbers on all of them. */
interface Machine {
  readonly openat: number;
  readonly close: number;
  readonly prctl: number;
  readonly seccomp: number;
  readonly doNotFollow: number;
}

const machines: Readonly<Record<string, Machine>> = {
  x64: { openat: 257, close: 3, prctl: 157, seccomp: 317, doNotFollow: 0o400000 },
  arm64: { openat: 56, close: 57, prctl: 167, seccomp: 277, doNotFollow: 0o100000 },
};

/** Rights as bits: the kernel's order. */
const execute = 1 << 0;
const writeFile = 1 << 1;
const readFile = 1 << 2;
const listDirectory = 1 << 3;
const truncate = 1 << 14;
/** All of version 3: read, write, make, remove, link and rename across directories, truncate. */
const everything = 2 ** 15 - 1;
const readOnly = execute | readFile | listDirectory;
/** What a rule for something that is no directory may hold. */
const ofFiles = execute | readFile | writeFile | truncate;
/** Without version 3 files anywhere could be emptied. */
const minVersion = 3;

/** What programs write to without meaning a file. */
const devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/** Of the shell's own first lines, and of the command's environment. */
const givenFds = [4, environmentFd];

interface Rule {
  readonly path: string;
  readonly rights: number;
}

export function landlockWorld(confinement: Confinement): readonly string[] {
  const { stage, network, roots, cwd, purpose } = confinement;
  const machine = machines[process.arch];
  const sockets = network === "none" ? "none" : network === "loopback" ? "local" : "all";
  const filter = seccompFilter(sockets, { keepsAttributes: purpose === "read" });
  // Landlock tells ports apart, not machines.
  if (network === "loopback") throw new Error("the loopback cannot be told from the network without a namespace");
  if (machine === undefined || filter === undefined) throw new Error(`the system calls of ${process.arch} are not known`);
  const hidden = reachable(confinement);
  const written = roots.map(({ path }) => path);
  if (!canHide(hidden, written)) throw new Error("a secret lies within the workspace and could not be hidden");
  const opened = confinement.writable.filter((path) => !hidden.some((other) => isWithin(other, path)));
  const rules: Rule[] = [
    { path: "/", rights: listDirectory },
    ...visible("/", hidden).map((path) => ({ path, rights: readOnly })),
    ...[...written, ...opened].map((path) => ({ path, rights: everything })),
    ...devices.map((path) => ({ path, rights: readFile | writeFile })),
  ];
  const [rulesPath, filterPath] = [join(stage, "rules"), join(stage, "filter")];
  writeFileSync(rulesPath, rules.map(({ path, rights }) => `${rights} ${path}\0`).join(""), { mode: 0o600 });
  writeFileSync(filterPath, filter, { mode: 0o600 });
  return [...withoutRightsOfRoot(), need("perl"), "-e", confine(machine, network === "on"), rulesPath, filterPath, cwd];
}

/** What lies within a root cannot be left out of it. */
export function canHide(hidden: readonly string[], roots: readonly string[]): boolean {
  return !hidden.some((path) => roots.some((root) => isWithin(path, root)));
}

/** The largest parts of a tree that hold nothing hidden. Links lead to what has a place of its own. */
function visible(directory: string, hidden: readonly string[]): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink() || hidden.includes(path)) return [];
    return hidden.some((other) => isBelow(other, path)) ? visible(path, hidden) : [path];
  });
}

function withoutRightsOfRoot(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const kept = keptCapabilities.map((name) => `,+${name}`).join("");
  return [need("setpriv"), "--no-new-privs", "--inh-caps=-all", `--bounding-set=-all${kept}`, "--"];
}

/**
 * The rights of network and of reaching other processes came with later versions: taken where the kernel has them. A file that is
 * gone meanwhile needs no rule; every other failure ends it before the command starts.
 */
function confine({ openat, close, prctl, seccomp, doNotFollow }: Machine, withNetwork: boolean): string {
  const [create, addRule, restrict] = [444, 445, 446];
  const noNewPrivileges = 38;
  const pathOnly = 0o10000000 | 0o2000000 | doNotFollow;
  return `use strict;
sub fail { my $why = "$_[0]: $!"; open(my $report, '>&=', 3); print {$report} "!karyi-setup $why"; close($report); exit 97 }
my ($rules, $filter, $cwd, @command) = @ARGV;
my $version = syscall(${create}, 0, 0, 1);
fail('Landlock of version ${minVersion} or newer') if $version < ${minVersion};
my $network = $version >= 4 ? ${withNetwork ? 0 : 3} : 0;
my $scopes = $version >= 6 ? ${withNetwork ? 2 : 3} : 0;
my $size = $version >= 6 ? 24 : $version >= 4 ? 16 : 8;
my $asked = pack('QQQ', ${everything}, $network, $scopes);
my $set = syscall(${create}, $asked, $size, 0);
fail('ruleset') if $set < 0;
sub allow { my ($rights, $fd) = @_; my $rule = pack('Ql', $rights, $fd); return syscall(${addRule}, $set, 1, $rule, 0) == 0 }
open(my $in, '<', $rules) or fail('rules');
{ local $/ = "\\0"; while (my $line = <$in>) {
  chomp $line;
  my ($rights, $path) = split(/ /, $line, 2);
  my $fd = syscall(${openat}, -100, $path, ${pathOnly}, 0);
  next if $fd < 0;
  allow($rights, $fd) or allow($rights & ${ofFiles}, $fd) or fail("rule for $path");
  syscall(${close}, $fd);
} }
close($in);
# What the command prints to can be opened again by name.
allow(${writeFile | readFile}, $_) for 1 .. 3;
# What its shell begins with has no name any more that a rule could hold.
allow(${readFile}, $_) for ${givenFds.join(", ")};
open(my $program, '<:raw', $filter) or fail('filter');
my $code = do { local $/; <$program> };
close($program);
chdir($cwd) or fail("cwd $cwd");
syscall(${prctl}, ${noNewPrivileges}, 1, 0, 0, 0) == 0 or fail('no new privileges');
syscall(${restrict}, $set, 0) == 0 or fail('restrict');
syscall(${close}, $set);
my $filters = pack('S x6 P', length($code) / 8, $code);
syscall(${seccomp}, 1, 0, $filters) == 0 or fail('filter');
exec('${program("sh") ?? "sh"}', '-c', '. /dev/fd/${environmentFd}; exec ${environmentFd}<&-; exec "$@"', 'karyi-init', @command) or fail('sh');`;
}
