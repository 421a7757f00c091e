/**
 * The program of a keeper, as text of perl, which nearly every Linux has: one small process that makes a fresh world for each
 * command and starts the command in it. It knows nothing of policy: which mounts make a world is said by its orders, step by step
 * (`keeper-order.ts`). A step that fails ends the world before the command starts. It ends with Karyi, and its worlds with it.
 *
 * An order is its length and its fields, each with its own length. News are lines: `ready`, `started ID PID`, `failed ID ERRNO`,
 * `net ID COUNT`, `exit ID CODE SIGNAL`. A command cannot trace it: it is not dumpable and has rights that commands have not.
 */

/** System calls that differ from machine to machine; the newer ones have the same number on all of them. */
interface Machine {
  readonly clone: number;
  readonly mount: number;
  readonly umount2: number;
  readonly pivotRoot: number;
  readonly unshare: number;
  readonly setns: number;
  readonly openat: number;
  readonly close: number;
  readonly dup3: number;
  readonly write: number;
  readonly prctl: number;
  readonly seccomp: number;
  readonly capset: number;
  readonly setsid: number;
  readonly exitGroup: number;
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    ...{ clone: 56, mount: 165, umount2: 166, pivotRoot: 155, unshare: 272, setns: 308, openat: 257, close: 3, dup3: 292 },
    ...{ write: 1, prctl: 157, seccomp: 317, capset: 126, setsid: 112, exitGroup: 231 },
  },
  arm64: {
    ...{ clone: 220, mount: 40, umount2: 39, pivotRoot: 41, unshare: 97, setns: 268, openat: 56, close: 57, dup3: 24 },
    ...{ write: 64, prctl: 167, seccomp: 277, capset: 91, setsid: 157, exitGroup: 94 },
  },
};

/** An id that no keeper of root maps: whatever it owns, no right over files reaches. */
export const unmappedId = 65533;

/** `undefined` where this machine's calls are not known. */
export function keeperText(architecture: string = process.arch): string | undefined {
  const machine = machines[architecture];
  return machine === undefined ? undefined : text(machine);
}

function text(m: Machine): string {
  return String.raw`use strict;
my ($root) = @ARGV;
my (%running, %ids, %taken, $session, $state, $at);
my $nothing = '';
sub news { my $line = $_[0]; syswrite(STDOUT, $line) }
sub leave { syscall(${m.exitGroup}, $_[0]) }
sub fail { my $why = "!karyi-setup $_[0]: $!"; if (defined $state) { my $n = length $why; syscall(${m.write}, $state, $why, $n) } else { $why =~ s/\n/ /g; news("broken $why\n") } leave(97) }
sub must { my ($what, $result) = @_; fail($what) if $result < 0; return $result }
sub opened { my ($dir, $path, $flags) = @_; my $name = "$path"; return must("open $path", syscall(${m.openat}, $dir + 0, $name, $flags | 0x80000, 0)) }
sub write_to { my ($path, $text) = @_; open(my $out, '>', $path) or fail($path); syswrite($out, $text) or fail($path); close($out) }
sub attributes { my ($fd, $recursive, $set, $clear) = @_; my $asked = pack('QQQQ', $set, $clear, 0, 0);
  return syscall(442, $fd + 0, $nothing, 0x1000 | ($recursive ? 0x8000 : 0), $asked, 32) }
# Every directory on the way; what is there already is no failure.
sub directories { my ($path) = @_; my $so_far = ''; for my $name (split m{/}, $path) { next if $name eq ''; $so_far .= "/$name"; mkdir $so_far, 0755 } }
sub parent { my ($path) = @_; $path =~ s{/[^/]*\z}{}; return $path }
sub made { my ($type, $bits, @options) = @_; my $name = "$type"; my $source = 'karyi'; my $key = 'source';
  my $fs = must("fsopen $type", syscall(430, $name, 1));
  syscall(431, $fs, 1, $key, $source, 0);
  for (@options) { my ($option, $value) = split /=/, $_, 2;
    if (defined $value) { must("$type $option=$value", syscall(431, $fs, 1, $option, $value, 0)) } else { must("$type $option", syscall(431, $fs, 0, $option, 0, 0)) } }
  must("$type", syscall(431, $fs, 6, 0, 0, 0));
  my $fd = must("fsmount $type", syscall(432, $fs, 1, $bits + 0));
  syscall(${m.close}, $fs);
  return $fd }
# $at: where the root of the world is being built; a path of the world is found below it.
my %step = (
  take => sub { my ($name, $path, $recursive, $set, $clear) = @_; my $from = "$path";
    my $fd = syscall(428, -100, $from, 0x80001 | 0x100 | ($recursive ? 0x8000 : 0));
    must("take $path", $fd); must("attributes of $path", attributes($fd, 0, $set + 0, $clear + 0)) if $set || $clear; $taken{$name} = $fd },
  make => sub { my ($name, $type, $bits, @options) = @_; $taken{$name} = made($type, $bits, @options) },
  put => sub { my ($name, $path) = @_; my $to = "$at$path"; my $fd = $taken{$name};
    must("put $path", syscall(429, $fd, $nothing, -100, $to, 4)); syscall(${m.close}, $fd); delete $taken{$name} },
  directory => sub { directories("$at$_[0]") },
  file => sub { my $path = "$at$_[0]"; return if -f $path; directories(parent($path)); open(my $out, '>>', $path) or fail("file $path"); close($out) },
  link => sub { my ($target, $path) = @_; directories(parent("$at$path")); symlink($target, "$at$path") or fail("link $path") },
  text => sub { my ($path, $content) = @_; my $to = "$at$path"; directories(parent($to)); open(my $out, '>', $to) or fail("text $to"); syswrite($out, $content); close($out) },
  proc => sub { my ($bits) = @_; my ($source, $to, $type) = ('karyi', "$at/proc", 'proc'); must('proc', syscall(${m.mount}, $source, $to, $type, $bits + 0, 0)) },
  build => sub { $at = $_[0] },
  in => sub { chdir($_[0]) or fail("in $_[0]") },
  enter => sub { my $here = '.'; chdir($at) or fail('enter'); must('pivot', syscall(${m.pivotRoot}, $here, $here)); must('detach', syscall(${m.umount2}, $here, 2));
    chdir('/') or fail('chdir'); $at = ''; },
  close => sub { my ($path) = @_; my $fd = opened(-100, "$at$path", 0x200000); must("close $path", attributes($fd, 0, 1, 0)); syscall(${m.close}, $fd) },
);
sub build { $at = ''; for (unpack '(N/a*)*', $_[0]) { my ($name, @words) = unpack '(N/a*)*', $_; $step{$name}->(@words) } }
sub loopback { my $up = pack('a16s', 'lo', 0x49); my $socket; socket($socket, 2, 2, 0) && ioctl($socket, 0x8914, $up) or fail('loopback'); close($socket) }
# Attempts to leave: packets that no route would take.
sub attempts { my ($count, @names) = (0);
  if (open(my $in, '<', '/proc/self/net/snmp')) { while (<$in>) { next unless s/^Ip: //; my @words = split; if (@names) { my %found; @found{@names} = @words; $count += $found{OutNoRoutes} || 0; last } @names = @words } }
  if (open(my $in, '<', '/proc/self/net/snmp6')) { while (<$in>) { $count += $1 if /^Ip6OutNoRoutes\s+(\d+)/ } }
  return $count }
# A network of its own that lasts as long as the keeper does: its name is a descriptor.
sub session_network { return $session if defined $session;
  pipe(my $told, my $tell); pipe(my $wait, my $end);
  my $helper = fork;
  if (!$helper) { syscall(${m.unshare}, 0x40000000) == 0 or leave(1); loopback(); syscall(${m.prctl}, 4, 1, 0, 0, 0); syswrite($tell, '.'); close($end); sysread($wait, my $word, 1); leave(0) }
  close($tell); close($wait);
  my $got = sysread($told, my $word, 1);
  $session = opened(-100, "/proc/$helper/ns/net", 0) if $got;
  close($end); waitpid($helper, 0);
  return $session }
sub command { my ($filter, $kept, $cwd, $argv, $env, $fds, $broken) = @_;
  syscall(${m.setsid});
  $SIG{$_} = 'DEFAULT' for qw(TERM CHLD PIPE);
  syscall(${m.dup3}, $fds->[$_], $_ + 1, 0) for 0 .. 2;
  for (0 .. 63) { syscall(${m.prctl}, 24, $_, 0, 0, 0) unless $kept >> $_ & 1 }
  syscall(${m.prctl}, 47, 4, 0, 0, 0);
  my $header = pack('LL', 0x20080522, 0); my $low = $kept & 0xffffffff; my $sets = pack('L6', $low, $low, 0, 0, 0, 0);
  must('capabilities', syscall(${m.capset}, $header, $sets));
  chdir($cwd) or fail("cwd $cwd");
  must('no new privileges', syscall(${m.prctl}, 38, 1, 0, 0, 0));
  if (length $filter) { my $filters = pack('S x6 P', length($filter) / 8, $filter); must('filter', syscall(${m.seccomp}, 1, 0, $filters)) }
  %ENV = unpack '(N/a*)*', $env;
  my @words = unpack '(N/a*)*', $argv;
  exec { $words[0] } @words;
  syswrite($broken, int($!));
  leave(127) }
# The first process of a world: builds it, starts the command, and ends with it; everything else in the world ends then.
sub init { my ($fds, $id, $network, $filter, $kept, $cwd, $steps, $argv, $env) = @_;
  syscall(${m.prctl}, 1, 9, 0, 0, 0);
  syscall(${m.setsid});
  $SIG{CHLD} = 'DEFAULT';
  my @fds = @$fds;
  $state = $fds[2];
  my $null = opened(-100, '/dev/null', 2); syscall(${m.dup3}, $null, 0, 0);
  loopback() if $network eq 'own';
  must('network', syscall(${m.setns}, $session, 0x40000000)) if $network eq 'session';
  build($steps);
  my $before = $network eq 'session' ? attempts() : 0;
  pipe(my $heard, my $broken);
  my $child = fork;
  fail('fork') unless defined $child;
  command($filter, $kept, $cwd, $argv, $env, \@fds, $broken) if !$child;
  $SIG{TERM} = sub { kill 'TERM', -$child };
  close($broken);
  syscall(${m.close}, $_) for @fds;
  my $status = 0;
  while ((my $ended = waitpid(-1, 0)) > 0) { if ($ended == $child) { $status = $?; last } }
  my $errno = '';
  news("failed $id $errno\n") if sysread($heard, $errno, 16);
  news('net ' . $id . ' ' . (attempts() - $before) . "\n") if $network ne 'host';
  leave($status & 127 ? 128 + ($status & 127) : $status >> 8) }
sub start { my ($id, $pipes, $network, @rest) = @_;
  # Opened before it is told that the command runs: the pipes lose their names then.
  my @fds = map { my $name = $_; syscall(${m.openat}, 3, $name, 0x80001, 0) } unpack '(N/a*)*', $pipes;
  session_network() if $network eq 'session';
  my $pid = syscall(${m.clone}, 0x20020000 | ($network eq 'own' ? 0x40000000 : 0) | 17, 0, 0, 0, 0);
  if ($pid == 0) { init(\@fds, $id, $network, @rest) }
  my $errno = int($!);
  syscall(${m.close}, $_) for @fds;
  if ($pid < 0) { news("failed $id $errno\n"); return }
  $running{$id} = $pid; $ids{$pid} = $id;
  news("started $id $pid\n") }
sub reap { while ((my $pid = waitpid(-1, 1)) > 0) { my $id = delete $ids{$pid}; next unless defined $id; delete $running{$id};
  news("exit $id " . ($? >> 8) . ' ' . ($? & 127) . "\n") } }
sub settle {
  my $flags = 0x18020000;
  if ($root) {
    # Who maps several ranges has to stand outside: a helper does it, and leaves one id out.
    my $me = $$; pipe(my $wait, my $go); pipe(my $told, my $tell);
    my $helper = fork;
    if (!$helper) { sysread($wait, my $word, 1);
      for my $kind ('uid', 'gid') { my $map = '';
        open(my $in, '<', "/proc/self/${"$"}{kind}_map") or leave(1);
        while (<$in>) { my ($first, undef, $count) = split; my $end = $first + $count;
          for ([$first, $end < ${unmappedId} ? $end : ${unmappedId}], [$first > ${unmappedId} ? $first : ${unmappedId} + 1, $end]) { my ($from, $to) = @$_; $map .= "$from $from " . ($to - $from) . "\n" if $to > $from } }
        write_to("/proc/$me/${"$"}{kind}_map", $map) }
      syswrite($tell, '.'); leave(0) }
    syscall(${m.unshare}, $flags) == 0 or fail('namespaces');
    syswrite($go, '.'); close($tell);
    sysread($told, my $word, 1) or fail('map');
    waitpid($helper, 0);
  } else {
    my ($uid, $gid) = ($>, $) + 0);
    syscall(${m.unshare}, $flags) == 0 or fail('namespaces');
    write_to('/proc/self/setgroups', 'deny'); write_to('/proc/self/uid_map', "$uid $uid 1\n"); write_to('/proc/self/gid_map', "$gid $gid 1\n");
  }
  my $everything = '/'; my $none = 'none';
  must('private', syscall(${m.mount}, $none, $everything, $none, 0x44000, 0));
  my $all = opened(-100, '/', 0x200000);
  must('read-only', attributes($all, 1, 3, 0)); syscall(${m.close}, $all);
  syscall(${m.prctl}, 4, 0, 0, 0, 0);
  syscall(${m.prctl}, 1, 9, 0, 0, 0);
}
$0 = 'karyi-keeper';
pipe(my $children, my $child); $SIG{CHLD} = sub { syswrite($child, '.') };
settle();
my $buffer = '';
for (;;) {
  my $ready = ''; vec($ready, 0, 1) = 1; vec($ready, fileno($children), 1) = 1;
  next if select($ready, undef, undef, undef) < 0;
  if (vec($ready, fileno($children), 1)) { sysread($children, my $words, 4096); reap() }
  next unless vec($ready, 0, 1);
  my $got = sysread(STDIN, $buffer, 1 << 20, length $buffer);
  leave(0) unless $got;
  while (length $buffer >= 4) {
    my $length = unpack('N', $buffer);
    last if length $buffer < 4 + $length;
    my ($verb, @fields) = unpack '(N/a*)*', substr($buffer, 4, $length);
    substr($buffer, 0, 4 + $length) = '';
    if ($verb eq 'run') { start(@fields) }
    elsif ($verb eq 'kill') { my ($id, $signal) = @fields; kill int($signal), $running{$id} if defined $running{$id} }
    elsif ($verb eq 'base') { build($fields[0]); news("ready\n") }
  }
}
`;
}
