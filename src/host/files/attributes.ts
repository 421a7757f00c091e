/**
 * Owns extended attributes, access control lists among them: reads and sets them for many paths at once. Node has no call for
 * them, so a small process of perl makes the system calls; it is started at the first question and ends with this process.
 * Refuses to guess: where there is no perl or the machine's numbers are unknown, nothing is known and nothing is set.
 */
import type { Attributes } from "../../contract/index.ts";
import { program } from "../programs.ts";
import { type Child, spawn } from "../spawn.ts";
import { systemPath } from "./byte-name.ts";

/** Numbers of llistxattr, lgetxattr, lsetxattr and lremovexattr. */
const numbers: Readonly<Record<string, readonly number[]>> = { x64: [195, 192, 189, 198], arm64: [12, 9, 6, 15] };

/** Paths of one question: bounds what both sides hold in memory. */
const pathsAtOnce = 2000;

/**
 * L: the attributes of each path. S: makes each path have exactly these. D: takes the marks of an overlay off, and answers whether
 * none is left. What labels and measures the system itself is nobody's to move.
 */
const text = String.raw`
use strict; my ($list, $get, $set, $remove) = map { $_ + 0 } @ARGV; binmode STDIN; binmode STDOUT; $| = 1;
sub take { my $n = shift; my $b = ""; while (length $b < $n) { my $r = read(STDIN, $b, $n - length $b, length $b); exit 0 unless $r } $b }
sub names { my $p = shift; my $b = "\0" x 65536; my $n = syscall($list, $p, $b, 65536); $n > 0 ? split(/\0/, substr($b, 0, $n)) : () }
sub value { my ($p, $a) = @_; my $b = "\0" x 65536; my $n = syscall($get, $p, $a, $b, 65536); $n < 0 ? undef : substr($b, 0, $n) }
sub mark { $_[0] =~ /^(user|trusted)\.overlay\./ }
sub ours { my $a = shift; !mark($a) && ($a !~ /^security\./ || $a eq "security.capability") }
while (1) {
  my ($op, $size) = unpack("aN", take(5)); my @in = unpack("(N/a*)*", take($size)); my $out = "";
  if ($op eq "L") { for my $p (@in) { my @f = grep { ours($_) } names($p); my @v = map { ($_, value($p, $_) // "") } @f; $out .= pack("N(N/a*)*", scalar(@f), @v) } }
  elsif ($op eq "D") { for my $p (@in) { syscall($remove, $p, $_) for grep { mark($_) } names($p); $out .= (grep { mark($_) } names($p)) ? "1" : "0" } }
  else { while (@in) { my $p = shift @in; my $n = shift @in; my %w = splice(@in, 0, 2 * $n); my $bad = 0;
    for my $a (grep { ours($_) && !exists $w{$_} } names($p)) { $bad = 1 if syscall($remove, $p, $a) < 0 }
    for my $a (keys %w) { my $v = $w{$a}; next if (value($p, $a) // "\0none") eq $v; $bad = 1 if syscall($set, $p, "$a", "$v", length $v, 0) < 0 }
    $out .= $bad ? "1" : "0" } }
  print pack("N", length $out), $out;
}
`;

type Helper = Child<["pipe", "pipe", "ignore"]>;

let helper: Helper | undefined;
/** Questions in the order they were put; the answers come in the same. */
const waiting: ((answer: Buffer | undefined) => void)[] = [];
let received: Buffer = Buffer.alloc(0);

/** Of the paths that have any. */
export async function attributesOf(paths: readonly string[]): Promise<ReadonlyMap<string, Attributes>> {
  const found = new Map<string, Attributes>();
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const some = paths.slice(at, at + pathsAtOnce);
    const answer = await ask("L", some.map(bytesOf));
    if (answer === undefined) return found;
    let offset = 0;
    const next = (): Buffer => {
      const length = answer.readUInt32BE(offset);
      offset += 4 + length;
      return answer.subarray(offset - length, offset);
    };
    for (const path of some) {
      const count = answer.readUInt32BE(offset);
      offset += 4;
      if (count === 0) continue;
      const entries = Array.from({ length: count }, () => [next().toString("latin1"), next().toString("base64")] as const);
      found.set(path, Object.fromEntries(entries));
    }
  }
  return found;
}

export async function hasAttributes(path: string): Promise<boolean> {
  return (await attributesOf([path])).size > 0;
}

/** Makes each path have exactly these; answers those where it could not be done. */
export async function giveAttributes(
  wanted: readonly { readonly path: string; readonly attributes: Attributes }[],
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (let at = 0; at < wanted.length; at += pathsAtOnce) {
    const some = wanted.slice(at, at + pathsAtOnce);
    const parts = some.flatMap(({ path, attributes }) => {
      const entries = Object.entries(attributes);
      const values = entries.flatMap(([name, value]) => [Buffer.from(name, "latin1"), Buffer.from(value, "base64")]);
      return [bytesOf(path), Buffer.from(String(entries.length)), ...values];
    });
    const answer = await ask("S", parts);
    some.forEach(({ path }, index) => {
      if (answer?.[index] !== okByte) failed.push(path);
    });
  }
  return failed;
}

/** Takes the marks of an overlay off its files; answers those that have none now. */
export async function withoutMarks(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const clean = new Set<string>();
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const some = paths.slice(at, at + pathsAtOnce);
    const answer = await ask("D", some.map(bytesOf));
    some.forEach((path, index) => {
      if (answer?.[index] === okByte) clean.add(path);
    });
  }
  return clean;
}

const okByte = "0".charCodeAt(0);

function bytesOf(path: string): Buffer {
  return Buffer.from(systemPath(path));
}

/** `undefined` where nobody can be asked. */
function ask(op: "L" | "S" | "D", parts: readonly Buffer[]): Promise<Buffer | undefined> {
  const asked = started();
  if (asked === undefined) return Promise.resolve(undefined);
  const body = Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
  return new Promise((resolve) => {
    if (waiting.length === 0) refer(asked, true);
    waiting.push((answer) => {
      if (waiting.length === 0) refer(asked, false);
      resolve(answer);
    });
    asked.stdin.write(Buffer.concat([Buffer.from(op), lengthOf(body), body]));
  });
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}

/** A process that has nothing else to do waits for an answer, and ends otherwise. */
function refer(child: Helper, isNeeded: boolean): void {
  const ends = [child, child.stdin, child.stdout] as unknown as readonly { ref(): void; unref(): void }[];
  for (const end of ends) isNeeded ? end.ref() : end.unref();
}

function started(): Helper | undefined {
  if (helper !== undefined) return helper;
  const perl = program("perl");
  const calls = process.platform === "linux" ? numbers[process.arch] : undefined;
  if (perl === undefined || calls === undefined) return undefined;
  // In a group of its own: an interrupt at the terminal is not for it.
  const child = spawn(perl, ["-e", text, ...calls.map(String)], {
    cwd: "/",
    env: { LC_ALL: "C" },
    ownGroup: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  refer(child, false);
  const end = (): void => {
    if (helper !== child) return;
    helper = undefined;
    received = Buffer.alloc(0);
    for (const resolve of waiting.splice(0)) resolve(undefined);
  };
  child.once("error", end);
  child.once("exit", end);
  child.stdin.on("error", end);
  child.stdout.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
      const length = received.readUInt32BE(0);
      const answer = received.subarray(4, 4 + length);
      received = received.subarray(4 + length);
      waiting.shift()?.(answer);
    }
  });
  helper = child;
  return child;
}
